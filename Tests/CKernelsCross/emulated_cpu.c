// Stands in for ck_cpu.c when AVX-512 is emulated in plain C: scalar and AVX-512 run everywhere.
#include "ck_cpu.h"

const char *ck_isa_name(ck_isa isa) { return isa == CK_ISA_SCALAR ? "scalar" : "avx512"; }

bool ck_isa_available(ck_isa isa) { return isa == CK_ISA_SCALAR || isa == CK_ISA_AVX512; }

ck_isa ck_isa_active(void) { return CK_ISA_AVX512; }
