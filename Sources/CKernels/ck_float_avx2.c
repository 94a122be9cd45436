// AVX2, FMA and F16C: x86-64-v3.
#if defined(__x86_64__)

#include "ck_float_tables.h"
#include "ck_simd.h"

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)

#define CK_FLOAT_ISA CK_ISA_AVX2
#define CK_FLOAT_TABLE ck_float_table_avx2
#define VF_LANES 8
// Rows of queries that share a load of keys or values: 3 x 4 sums in 16 registers.
#define VF_TILE_ROWS 3
#define VF_REGISTERS 16

typedef __m256 vf;

CK_INLINE vf vf_load(const float *p) { return _mm256_loadu_ps(p); }
CK_INLINE void vf_store(float *p, vf x) { _mm256_storeu_ps(p, x); }
CK_INLINE vf vf_load_f16(const uint16_t *p) {
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}
CK_INLINE void vf_store_f16(uint16_t *p, vf x) {
  _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
CK_INLINE vf vf_set(float x) { return _mm256_set1_ps(x); }
CK_INLINE vf vf_add(vf x, vf y) { return _mm256_add_ps(x, y); }
CK_INLINE vf vf_sub(vf x, vf y) { return _mm256_sub_ps(x, y); }
CK_INLINE vf vf_mul(vf x, vf y) { return _mm256_mul_ps(x, y); }
CK_INLINE vf vf_div(vf x, vf y) { return _mm256_div_ps(x, y); }
CK_INLINE vf vf_fma(vf x, vf y, vf z) { return _mm256_fmadd_ps(x, y, z); }
CK_INLINE vf vf_larger(vf x, vf y) { return _mm256_max_ps(x, y); }
CK_INLINE vf vf_smaller(vf x, vf y) { return _mm256_min_ps(x, y); }
CK_INLINE vf vf_power_of_2(vf rounded) {
  const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(rounded), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(127 << 23)));
}
CK_INLINE vf vf_abs(vf x) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x); }
CK_INLINE vf vf_with_sign(vf magnitude, vf sign) {
  return _mm256_or_ps(magnitude, _mm256_and_ps(_mm256_set1_ps(-0.0f), sign));
}

// a and b in turn, each lane the sum of two neighbours; twice gives the sums of four.
CK_INLINE __m256 add_neighbours(__m256 a, __m256 b) {
  return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xdd));
}
CK_INLINE void vf_sum4(vf a, vf b, vf c, vf d, float *sums) {
  const __m256 halves = add_neighbours(add_neighbours(a, b), add_neighbours(c, d));
  _mm_storeu_ps(sums, _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1)));
}

CK_INLINE float vf_largest(vf x) {
  __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_max_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}

CK_INLINE void vf_load_pairs(const float *p, vf *even, vf *odd) {
  const __m256 a = vf_load(p), b = vf_load(p + VF_LANES);
  const __m256d x = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88));
  const __m256d y = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xdd));
  *even = _mm256_castpd_ps(_mm256_permute4x64_pd(x, 0xd8));
  *odd = _mm256_castpd_ps(_mm256_permute4x64_pd(y, 0xd8));
}
CK_INLINE void vf_store_pairs(float *p, vf even, vf odd) {
  const __m256 low = _mm256_unpacklo_ps(even, odd), high = _mm256_unpackhi_ps(even, odd);
  vf_store(p, _mm256_permute2f128_ps(low, high, 0x20));
  vf_store(p + VF_LANES, _mm256_permute2f128_ps(low, high, 0x31));
}

#include "ck_float_body.h"
#include "ck_attention_body.h"
#include "ck_float_table_body.h"

#pragma clang attribute pop

#endif
