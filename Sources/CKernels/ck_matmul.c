#include "ck_matmul.h"

#include "ck_matmul_tables.h"

const ck_matmul_table *ck_matmul_table_for(ck_isa isa) {
  if (!ck_isa_available(isa)) return NULL;
  switch (isa) {
#if defined(__x86_64__)
    case CK_ISA_AVX2: return &ck_matmul_table_avx2;
#endif
    default: return &ck_matmul_table_scalar;
  }
}
