#include "ck_matmul.h"

#include "ck_matmul_tables.h"

const ck_matmul_table *ck_matmul_table_for(ck_isa isa) {
  if (!ck_isa_available(isa)) return NULL;
  switch (isa) {
    default: return &ck_matmul_scalar;
  }
}
