// NEON with the dot product extension.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "ck_matmul_tables.h"
#include "ck_simd.h"

#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)

#define CK_MATMUL_ISA CK_ISA_DOTPROD
#define CK_MATMUL_TABLE ck_matmul_table_dotprod

CK_INLINE int32x4_t dot16(int32x4_t sums, int8x16_t w, int8x16_t x) {
  return vdotq_s32(sums, w, x);
}

#define dot16_lane(sums, w, x, lane) vdotq_laneq_s32(sums, w, x, lane)

#include "ck_matmul_neon_body.h"

#pragma clang attribute pop

#endif
