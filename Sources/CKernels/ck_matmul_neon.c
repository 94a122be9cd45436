// NEON, which every aarch64 has.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "ck_matmul_tables.h"
#include "ck_simd.h"

#define CK_MATMUL_ISA CK_ISA_NEON
#define CK_MATMUL_TABLE ck_matmul_table_neon

// Two products of bytes fit 16 bits: 2 * 128 * 127 = 32512.
CK_INLINE int32x4_t dot16(int32x4_t sums, int8x16_t w, int8x16_t x) {
  const int16x8_t low = vmull_s8(vget_low_s8(w), vget_low_s8(x));
  const int16x8_t high = vmull_high_s8(w, x);
  return vpadalq_s16(sums, vpaddq_s16(low, high));
}

#define dot16_lane(sums, w, x, lane) \
  dot16(sums, w, vreinterpretq_s8_s32(vdupq_laneq_s32(vreinterpretq_s32_s8(x), lane)))

#include "ck_matmul_neon_body.h"

#endif
