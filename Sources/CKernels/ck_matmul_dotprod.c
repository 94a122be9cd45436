// NEON with the dot product extension.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "ck_matmul_tables.h"
#include "ck_simd.h"
#include "ck_vector.h"

#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)

#define CK_MATMUL_ISA CK_ISA_DOTPROD
#define CK_MATMUL_TABLE ck_matmul_table_dotprod

#include "ck_matmul_dotprod_body.h"
#include "ck_matmul_neon_body.h"

#pragma clang attribute pop

#endif
