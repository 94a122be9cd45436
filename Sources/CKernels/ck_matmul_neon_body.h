// What all versions of NEON have in common. Vectors of eight are pairs of registers. The file that
// includes this defines panel_dot, see ck_matmul_body.h, and
//   dot16(w, x)   16 products in 4 sums
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
  const uint8_t *codes = (const uint8_t *)&w;
  return CK_JOIN4((i32x4)dot16(codes, x), (i32x4)dot16(codes + 16, x + 16));
}

// Signed products take codes below 128 as well as signed bytes.
#define CK_WEIGHTS WEIGHTS_U7
#define CK_SIGNED_CODES 1
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
