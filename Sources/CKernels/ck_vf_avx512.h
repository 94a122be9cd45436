// The vector layer of ck_float_body.h in AVX-512; include inside the target attribute of a file.
#pragma once

#define VF_LANES 16
// Rows of queries that share a load of keys or values: 4 x 4 sums in 32 registers.
#define VF_TILE_ROWS 4
#define VF_REGISTERS 32

typedef __m512 vf;

CK_INLINE vf vf_load(const float *p) { return _mm512_loadu_ps(p); }
CK_INLINE void vf_store(float *p, vf x) { _mm512_storeu_ps(p, x); }
CK_INLINE vf vf_load_f16(const uint16_t *p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
CK_INLINE void vf_store_f16(uint16_t *p, vf x) {
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
CK_INLINE vf vf_set(float x) { return _mm512_set1_ps(x); }
CK_INLINE vf vf_add(vf x, vf y) { return _mm512_add_ps(x, y); }
CK_INLINE vf vf_sub(vf x, vf y) { return _mm512_sub_ps(x, y); }
CK_INLINE vf vf_mul(vf x, vf y) { return _mm512_mul_ps(x, y); }
CK_INLINE vf vf_div(vf x, vf y) { return _mm512_div_ps(x, y); }
CK_INLINE vf vf_fma(vf x, vf y, vf z) { return _mm512_fmadd_ps(x, y, z); }
CK_INLINE vf vf_larger(vf x, vf y) { return _mm512_max_ps(x, y); }
CK_INLINE vf vf_smaller(vf x, vf y) { return _mm512_min_ps(x, y); }
CK_INLINE vf vf_power_of_2(vf rounded) {
  const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(rounded), 23);
  return _mm512_castsi512_ps(_mm512_add_epi32(exponent, _mm512_set1_epi32(127 << 23)));
}
CK_INLINE vf vf_abs(vf x) {
  const __m512i rest = _mm512_set1_epi32(0x7fffffff);
  return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(x), rest));
}
CK_INLINE vf vf_with_sign(vf magnitude, vf sign) {
  const __m512i bit = _mm512_set1_epi32((int)0x80000000);
  const __m512i only = _mm512_and_si512(_mm512_castps_si512(sign), bit);
  return _mm512_castsi512_ps(_mm512_or_si512(_mm512_castps_si512(magnitude), only));
}

CK_INLINE __m256 lower_half(__m512 x) { return _mm512_castps512_ps256(x); }
CK_INLINE __m256 upper_half(__m512 x) {
  return _mm256_castsi256_ps(_mm512_extracti64x4_epi64(_mm512_castps_si512(x), 1));
}

// a and b in turn, each lane the sum of two neighbours; twice gives the sums of four.
CK_INLINE __m512 add_neighbours(__m512 a, __m512 b) {
  return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd));
}
CK_INLINE void vf_sum4(vf a, vf b, vf c, vf d, float *sums) {
  const __m512 quarters = add_neighbours(add_neighbours(a, b), add_neighbours(c, d));
  const __m256 halves = _mm256_add_ps(lower_half(quarters), upper_half(quarters));
  _mm_storeu_ps(sums, _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1)));
}
CK_INLINE float vf_largest(vf x) {
  const __m256 half = _mm256_max_ps(lower_half(x), upper_half(x));
  __m128 y = _mm_max_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  y = _mm_max_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}

CK_INLINE void vf_load_pairs(const float *p, vf *even, vf *odd) {
  const __m512i evens =
      _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odds = _mm512_add_epi32(evens, _mm512_set1_epi32(1));
  const __m512 a = vf_load(p), b = vf_load(p + VF_LANES);
  *even = _mm512_permutex2var_ps(a, evens, b);
  *odd = _mm512_permutex2var_ps(a, odds, b);
}
CK_INLINE void vf_store_pairs(float *p, vf even, vf odd) {
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  vf_store(p, _mm512_permutex2var_ps(even, low, odd));
  vf_store(p + VF_LANES, _mm512_permutex2var_ps(even, high, odd));
}
