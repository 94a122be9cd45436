// What plain NEON and NEON with dot products have in common. Vectors of eight are pairs of
// registers. The file that includes this defines, for vectors of 16 bytes:
//   dot16(sums, w, x)             each of 4 sums plus the products of four neighbours
//   dot16_lane(sums, w, x, lane)  the same with the four bytes of one lane of x everywhere
#include <arm_neon.h>

#include "ck_vector.h"

CK_INLINE u8x32 lookup16(i8x16 table, u8x32 indices) {
  const uint8x16_t values = vreinterpretq_u8_s8((int8x16_t)table);
  const uint8x16_t low = vqtbl1q_u8(values, vld1q_u8((const uint8_t *)&indices));
  const uint8x16_t high = vqtbl1q_u8(values, vld1q_u8((const uint8_t *)&indices + 16));
  return CK_JOIN16((u8x16)low, (u8x16)high);
}

CK_INLINE i32x8 pair_dot(i16x16 a, i16x16 b) {
  int32x4_t sums[2];
  CK_UNROLL
  for (size_t i = 0; i < 2; i++) {
    const int16x8_t x = vld1q_s16((const int16_t *)&a + 8 * i);
    const int16x8_t y = vld1q_s16((const int16_t *)&b + 8 * i);
    sums[i] = vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y));
  }
  return CK_JOIN4((i32x4)sums[0], (i32x4)sums[1]);
}

CK_INLINE i32x4 totals4(i32x4 a, i32x4 b, i32x4 c, i32x4 d) {
  return (i32x4)vpaddq_s32(vpaddq_s32((int32x4_t)a, (int32x4_t)b),
                           vpaddq_s32((int32x4_t)c, (int32x4_t)d));
}

CK_INLINE i32x8 half_totals(const i32x8 p[4]) {
  return CK_JOIN4(totals4(CK_LOW4(p[0]), CK_LOW4(p[1]), CK_LOW4(p[2]), CK_LOW4(p[3])),
                  totals4(CK_HIGH4(p[0]), CK_HIGH4(p[1]), CK_HIGH4(p[2]), CK_HIGH4(p[3])));
}

CK_INLINE i32x8 row_dot(u8x32 w, const int8_t *x, int largest) {
  (void)largest;
  const int8_t *bytes = (const int8_t *)&w;
  const int32x4_t none = vdupq_n_s32(0);
  const int32x4_t low = dot16(none, vld1q_s8(bytes), vld1q_s8(x));
  const int32x4_t high = dot16(none, vld1q_s8(bytes + 16), vld1q_s8(x + 16));
  return CK_JOIN4((i32x4)low, (i32x4)high);
}

// Four codes of each row with lane `k` of the activations: dot16_lane needs a literal.
#define PANEL_STEP(k)                                                                 \
  do {                                                                                \
    const int8_t *bytes = (const int8_t *)&w[j + (k)];                                \
    low = dot16_lane(low, vld1q_s8(bytes), four, k);                                  \
    high = dot16_lane(high, vld1q_s8(bytes + 16), four, k);                           \
  } while (0)

CK_INLINE i32x8 panel_dot(const u8x32 *w, size_t n, const int8_t *x, int largest) {
  (void)largest;
  int32x4_t low = vdupq_n_s32(0), high = vdupq_n_s32(0);
  CK_UNROLL
  for (size_t j = 0; j < n; j += 4) {
    const int8x16_t four = vld1q_s8(x + 4 * j);
    PANEL_STEP(0);
    PANEL_STEP(1);
    PANEL_STEP(2);
    PANEL_STEP(3);
  }
  return CK_JOIN4((i32x4)low, (i32x4)high);
}

#define CK_WEIGHTS WEIGHTS_S8
#define CK_ROWS 8
// Float tile: 2 x 3 sums of four registers each, of thirty-two.
#define CK_FLOAT_ROWS 2
#define CK_FLOAT_TOKENS 3

typedef i32x8 ixr;
typedef f32x8 fxr;
typedef u8x32 bxr;

CK_INLINE u8x32 lane_lookup16(i8x16 table, u8x32 indices) { return lookup16(table, indices); }

#include "ck_matmul_body.h"
#include "ck_matmul_float_body.h"
#include "ck_quantize_body.h"
#include "ck_matmul_table_body.h"
