// NEON, which every aarch64 has.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "ck_matmul_tables.h"
#include "ck_simd.h"
#include "ck_vector.h"

#define CK_MATMUL_ISA CK_ISA_NEON
#define CK_MATMUL_TABLE ck_matmul_table_neon

// Two products of bytes fit 16 bits: 2 * 128 * 127 = 32512.
CK_INLINE int32x4_t dot16(const uint8_t *w, const int8_t *x) {
  const int8x16_t codes = vld1q_s8((const int8_t *)w), values = vld1q_s8(x);
  const int16x8_t low = vmull_s8(vget_low_s8(codes), vget_low_s8(values));
  return vpaddlq_s16(vmlal_high_s8(low, codes, values));
}

// Products of sixteen codes with four values everywhere, added unless they are the first.
CK_INLINE void add_products(int16x8_t sums[2], const int8_t *w, int8x16_t four, bool first) {
  const int8x16_t codes = vld1q_s8(w);
  const int8x8_t low = vget_low_s8(codes), values = vget_low_s8(four);
  sums[0] = first ? vmull_s8(low, values) : vmlal_s8(sums[0], low, values);
  sums[1] = first ? vmull_high_s8(codes, four) : vmlal_high_s8(sums[1], codes, four);
}

CK_INLINE i32x8 panel_dot(const u8x32 *w, size_t n, const int8_t *x, int largest, i32x8 start) {
  // As many products as 16 bits hold: step * largest * 127 < 2^15, with codes of 128 too.
  const size_t step = largest <= 31 ? n : largest <= 63 ? 4 : 2;
  int16x8_t sums[4];   // each of two rows
  int32x4_t totals[4];
  CK_UNROLL
  for (size_t j = 0; j < n; j++) {
    const i32x4 values = (i32x4)vld1q_s8(x + j / 4 * 16);
    const int8x16_t four = vreinterpretq_s8_s32(vdupq_n_s32(values[j % 4]));
    const int8_t *codes = (const int8_t *)&w[j];
    add_products(sums, codes, four, j % step == 0);
    add_products(sums + 2, codes + 16, four, j % step == 0);
    if (j % step != step - 1) continue;
    CK_UNROLL
    for (size_t p = 0; p < 4; p++) {
      totals[p] = j < step ? vpaddlq_s16(sums[p]) : vpadalq_s16(totals[p], sums[p]);
    }
  }
  const int32x4_t low = vpaddq_s32(totals[0], totals[1]), high = vpaddq_s32(totals[2], totals[3]);
  return CK_JOIN4((i32x4)low, (i32x4)high) + start;
}

#include "ck_matmul_neon_body.h"

#endif
