#include "ck_matmul.h"

#include "ck_matmul_tables.h"

const ck_matmul_table *ck_matmul_table_for(ck_isa isa) {
  if (!ck_isa_available(isa)) return NULL;
  switch (isa) {
#if defined(__x86_64__)
    case CK_ISA_AVX2: return &ck_matmul_table_avx2;
    case CK_ISA_AVX512: return &ck_matmul_table_avx512;
    case CK_ISA_AMX: return &ck_matmul_table_amx;
#elif defined(__aarch64__)
    case CK_ISA_NEON: return &ck_matmul_table_neon;
    case CK_ISA_DOTPROD: return &ck_matmul_table_dotprod;
    case CK_ISA_I8MM: return &ck_matmul_table_i8mm;
#endif
    default: return &ck_matmul_table_scalar;
  }
}
