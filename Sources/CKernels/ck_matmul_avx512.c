// AVX-512 F, BW, VL and DQ with VNNI.
#if defined(__x86_64__)

#include "ck_matmul_tables.h"
#include "ck_simd.h"

#if !defined(CK_EMULATE)
#pragma clang attribute push(                                                                   \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c"))),     \
    apply_to = function)
#endif

#include "ck_matmul_x86_body.h"

#define CK_MATMUL_ISA CK_ISA_AVX512
#define CK_MATMUL_TABLE ck_matmul_table_avx512
#define CK_WEIGHTS WEIGHTS_U8
#define CK_ROWS 16
// Float tile: 2 x 6 sums of one register each, of thirty-two.
#define CK_FLOAT_ROWS 2
#define CK_FLOAT_TOKENS 6

typedef i32x16 ixr;
typedef f32x16 fxr;
typedef u8x64 bxr;

CK_INLINE i32x8 row_dot(u8x32 w, const int8_t *x, int largest) {
  (void)largest;
  return i32x8_of(_mm256_dpbusd_epi32(_mm256_setzero_si256(), m256_of(&w), m256_of(x)));
}

CK_INLINE ixr panel_dot(const bxr *w, size_t n, const int8_t *x, int largest, ixr start) {
  (void)largest;
  __m512i total = _mm512_loadu_si512(&start);
  CK_UNROLL
  for (size_t j = 0; j < n; j++) {
    const __m512i four = _mm512_set1_epi32((int)load_u32(x + 4 * j));
    total = _mm512_dpbusd_epi32(total, _mm512_loadu_si512(&w[j]), four);
  }
  ixr out;
  memcpy(&out, &total, sizeof out);
  return out;
}

// An activation is loaded once for two groups of rows.
#define CK_STRIPS 1

CK_INLINE void panel_dot_rows(const bxr *a, const bxr *b, size_t n, const int8_t *x,
                              ixr dots[2]) {
  __m512i s = _mm512_loadu_si512(&dots[0]), t = _mm512_loadu_si512(&dots[1]);
  CK_UNROLL
  for (size_t j = 0; j < n; j++) {
    const __m512i four = _mm512_set1_epi32((int)load_u32(x + 4 * j));
    s = _mm512_dpbusd_epi32(s, _mm512_loadu_si512(&a[j]), four);
    t = _mm512_dpbusd_epi32(t, _mm512_loadu_si512(&b[j]), four);
  }
  memcpy(&dots[0], &s, sizeof s);
  memcpy(&dots[1], &t, sizeof t);
}

CK_INLINE bxr lane_lookup16(i8x16 table, bxr indices) {
  __m128i four;
  memcpy(&four, &table, sizeof four);
  const __m512i values =
      _mm512_shuffle_epi8(_mm512_broadcast_i32x4(four), _mm512_loadu_si512(&indices));
  bxr out;
  memcpy(&out, &values, sizeof out);
  return out;
}

#include "ck_matmul_body.h"
#include "ck_matmul_float_body.h"
#include "ck_quantize_body.h"
#include "ck_matmul_table_body.h"

const ck_matmul_table ck_matmul_table_amx = {
    .isa = CK_ISA_AMX, MATMUL_ENTRIES .tiles = &ck_tile_table_amx};

#if !defined(CK_EMULATE)
#pragma clang attribute pop
#endif

#endif
