// AVX2 with FMA and F16C.
#if defined(__x86_64__)

#include "ck_matmul_tables.h"
#include "ck_simd.h"

#if !defined(CK_EMULATE)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#endif

#include "ck_matmul_x86_body.h"

#define CK_MATMUL_ISA CK_ISA_AVX2
#define CK_MATMUL_TABLE ck_matmul_table_avx2
#define CK_WEIGHTS WEIGHTS_U7
#define CK_ROWS 8
// Float tile: 2 x 3 sums of two registers each, of sixteen.
#define CK_FLOAT_ROWS 2
#define CK_FLOAT_TOKENS 3

typedef i32x8 ixr;
typedef f32x8 fxr;
typedef u8x32 bxr;

enum { NO_SIGN = 127 };

// Products in sums of two 16-bit lanes' width: codes are at most 127 or their magnitude 128, so
// the sum of two is at most 2 * 128 * 127 = 32512.
CK_INLINE __m256i byte_products(__m256i w, __m256i x, int largest) {
  if (largest <= NO_SIGN) return _mm256_maddubs_epi16(w, x);
  return _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
}

CK_INLINE i32x8 row_dot(u8x32 w, const int8_t *x, int largest) {
  const __m256i products = byte_products(m256_of(&w), m256_of(x), largest);
  return i32x8_of(_mm256_madd_epi16(products, _mm256_set1_epi16(1)));
}

// The products of n times four values with each row's codes, in two sums a row.
CK_INLINE __m256i dots_of_four(const u8x32 *w, size_t n, const int8_t *x, int largest) {
  __m256i sum = _mm256_setzero_si256();
  CK_UNROLL
  for (size_t i = 0; i < n; i++) {
    const __m256i four = _mm256_set1_epi32((int)load_u32(x + 4 * i));
    sum = _mm256_add_epi16(sum, byte_products(m256_of(&w[i]), four, largest));
  }
  return sum;
}

CK_INLINE i32x8 panel_dot(const u8x32 *w, size_t n, const int8_t *x, int largest, i32x8 start) {
  // As many 16-bit sums as cannot overflow: step * 2 * largest * 127 < 2^15.
  const size_t step = largest <= 15 && n == 8 ? 8 : largest <= 31 ? 4 : largest <= 63 ? 2 : 1;
  __m256i total = m256_of(&start);
  CK_UNROLL
  for (size_t j = 0; j < n; j += step) {
    const __m256i sum = dots_of_four(w + j, step, x + 4 * j, largest);
    total = _mm256_add_epi32(total, _mm256_madd_epi16(sum, _mm256_set1_epi16(1)));
  }
  return i32x8_of(total);
}

// Sums of 16 bits meet their scale where they would meet a one; so do the activations' sums.
#define CK_SCALED_DOTS 1

CK_INLINE i32x8 scaled_dots(const u8x32 *w, const i32x8 s[2], const int8_t *x, const int16_t *sums,
                            int largest, int excess) {
  // Scales are at most 127 or their magnitude 128, and an excess at most 32.
  const i32x8 minus = (s[0] * -excess & 0xffff) | s[1] * -excess << 16;
  const __m256i both = _mm256_set1_epi32((int)load_u32(sums));
  __m256i total = excess != 0 ? _mm256_madd_epi16(m256_of(&minus), both) : _mm256_setzero_si256();
  // As many 16-bit sums as cannot overflow.
  const size_t step = largest <= 31 ? 4 : 2;
  CK_UNROLL
  for (size_t j = 0; j < 8; j += step) {
    const i32x8 scale = (s[j / 4] & 0xffff) | s[j / 4] << 16;
    total = _mm256_add_epi32(
        total, _mm256_madd_epi16(dots_of_four(w + j, step, x + 4 * j, largest), m256_of(&scale)));
  }
  return i32x8_of(total);
}

// Several vectors of rows meet one activation, which an instruction takes only as unsigned bytes.
#define CK_STRIPS 1
#define CK_BIASED 1

CK_INLINE i16x16 unsigned_products(u8x32 x, u8x32 w) {
  const __m256i products = _mm256_maddubs_epi16(m256_of(&x), m256_of(&w));
  i16x16 out;
  memcpy(&out, &products, sizeof out);
  return out;
}

CK_INLINE u8x32 lane_lookup16(i8x16 table, u8x32 indices) { return lookup16(table, indices); }

#include "ck_matmul_body.h"
#include "ck_matmul_float_body.h"
#include "ck_quantize_body.h"
#include "ck_matmul_table_body.h"

#if !defined(CK_EMULATE)
#pragma clang attribute pop
#endif

#endif
