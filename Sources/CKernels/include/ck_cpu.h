// What this CPU can run, asked once, with the operating system's consent checked too.
#pragma once

#include <stdbool.h>

typedef enum ck_isa {
  CK_ISA_SCALAR = 0,   // portable C, defines every result
  CK_ISA_AVX2,         // x86-64-v3: AVX2, FMA, F16C
  CK_ISA_AVX512,       // AVX-512 F/BW/VL/DQ + VNNI
  CK_ISA_AMX,          // AVX-512 as above with BF16, and AMX tiles of bfloat16
  CK_ISA_NEON,         // aarch64 base
  CK_ISA_DOTPROD,      // aarch64 with the dot product extension
  CK_ISA_I8MM,         // aarch64 with dot products and products of 2 x 8 matrices of bytes
  CK_ISA_COUNT,
} ck_isa;

// Short lower-case name: "scalar", "avx2", "avx512", "amx", "neon", "dotprod", "i8mm".
const char *ck_isa_name(ck_isa isa);

// Whether CPU and operating system can run `isa` (and this build contains it).
bool ck_isa_available(ck_isa isa);

// The instruction set in use: the best available, or the one named by the environment variable
// CK_FORCE when that is available; any other value of CK_FORCE is ignored. Chosen once, on the
// first call.
ck_isa ck_isa_active(void);
