// Stands in for ck_cpu.c when AVX-512 and AMX are emulated in plain C: they and the scalar code run
// everywhere.
#include "emulated_avx512.h"

#include "ck_cpu.h"

_Thread_local emulated_tile_unit emulated_tiles;

const char *ck_isa_name(ck_isa isa) {
  return isa == CK_ISA_SCALAR ? "scalar" : isa == CK_ISA_AVX512 ? "avx512" : "amx";
}

bool ck_isa_available(ck_isa isa) {
  return isa == CK_ISA_SCALAR || isa == CK_ISA_AVX512 || isa == CK_ISA_AMX;
}

ck_isa ck_isa_active(void) { return CK_ISA_AMX; }
