// What AVX2 and AVX-512 have in common.
#include "ck_vector.h"

CK_INLINE __m256i m256_of(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
CK_INLINE i32x8 i32x8_of(__m256i v) {
  i32x8 out;
  memcpy(&out, &v, sizeof out);
  return out;
}

CK_INLINE u8x32 lookup16(i8x16 table, u8x32 indices) {
  const i8x32 both = CK_JOIN16(table, table);
  const __m256i values = _mm256_shuffle_epi8(m256_of(&both), m256_of(&indices));
  u8x32 out;
  memcpy(&out, &values, sizeof out);
  return out;
}

CK_INLINE i32x8 pair_dot(i16x16 a, i16x16 b) {
  return i32x8_of(_mm256_madd_epi16(m256_of(&a), m256_of(&b)));
}

CK_INLINE i32x8 half_totals(const i32x8 p[4]) {
  i32x8 two[2];
  CK_UNROLL
  for (size_t i = 0; i < 2; i++) {  // sums of two lanes; lanes 0 1 are of the first, 2 3 mixed
    const i32x8 a = p[2 * i], b = p[2 * i + 1];
    two[i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13) +
             __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  }
  return __builtin_shufflevector(two[0], two[1], 0, 1, 8, 9, 4, 5, 12, 13) +
         __builtin_shufflevector(two[0], two[1], 2, 3, 10, 11, 6, 7, 14, 15);
}
