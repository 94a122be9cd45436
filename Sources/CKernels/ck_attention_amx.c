// Attention of many rows with AMX tiles: scores and sums are products of bfloat16, everything
// between them is float32. The formulas are those of ck_attention_body.h, block by block.
#if defined(__x86_64__)

#include <math.h>

#include "ck_float_tables.h"
#include "ck_simd.h"
#include "ck_tiles.h"
#include "ck_tiles_amx.h"

#if !defined(CK_EMULATE)
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx2,fma,f16c,amx-tile," \
                          "amx-bf16"))),                                                           \
    apply_to = function)
#endif

#include "ck_vf_avx512.h"
#include "ck_vf_math_body.h"

enum {
  STEP = CK_TILE_STEP,          // values that one product of tiles sums
  SIDE = 16,                    // rows and columns of a tile of sums
  KEYS = CK_ATTENTION_BLOCK,    // of one block
  KEY_TILES = KEYS / SIDE,
  KEY_STEPS = KEYS / STEP,
  SUM_TILES = 4,                // sums that are computed side by side to hide the latency
};

// Where the parts of a call's scratch lie; bfloat16 unless said otherwise.
typedef struct space {
  size_t width;      // head_dim in whole steps
  size_t row_tiles;  // rows in whole tiles
  uint16_t *q;       // [row_tiles, width / 32, 16 rows, 32]
  uint16_t *k;       // [KEY_TILES, width / 32, 16 pairs, 16 keys, 2]
  uint16_t *v;       // [KEY_STEPS, width / 16, 16 pairs of keys, 16, 2]
  uint16_t *p;       // [row_tiles, KEY_STEPS, 16 rows, 32] weights
  float *scores;     // [row_tiles, 16 rows, KEYS]
  float *sums;       // [row_tiles, 16 rows, width]
  float *largest;    // [rows]
  float *weights;    // [rows, 16] sums of weights by lane
} space;

static size_t padded(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

// In floats; a bfloat16 is half of one.
static size_t divide(const ck_attention *a, space *s) {
  const size_t width = padded(a->head_dim, STEP), rows = padded(a->rows, SIDE);
  size_t used = 0;
  float *at = a->scratch;
#define TAKE(member, type, floats) s->member = (type *)(at + used), used += (floats)
  s->width = width;
  s->row_tiles = rows / SIDE;
  TAKE(q, uint16_t, rows * width / 2);
  TAKE(k, uint16_t, KEYS * width / 2);
  TAKE(v, uint16_t, KEYS * width / 2);
  TAKE(p, uint16_t, rows * KEYS / 2);
  TAKE(scores, float, rows * KEYS);
  TAKE(sums, float, rows * width);
  TAKE(weights, float, rows * VF_LANES);
  TAKE(largest, float, rows);
#undef TAKE
  return used;
}

size_t ck_attention_tiles_scratch(size_t rows, size_t head_dim) {
  const ck_attention a = {.rows = rows, .head_dim = head_dim};
  space s;
  return divide(&a, &s);
}

CK_INLINE __m512i to_bf16(vf low, vf high) { return (__m512i)_mm512_cvtne2ps_pbh(high, low); }

// Sixteen halves, or fewer; the rest is zero.
CK_INLINE vf load_halves(const uint16_t *p, size_t n) {
  if (n >= VF_LANES) return vf_load_f16(p);
  uint16_t some[VF_LANES] = {0};
  memcpy(some, p, n * sizeof *p);
  return vf_load_f16(some);
}

CK_INLINE size_t left_of(size_t n, size_t at) { return n > at ? n - at : 0; }

// Queries times the scale, so that scores need none.
static void fill_queries(const ck_attention *a, const space *s) {
  memset(s->q, 0, s->row_tiles * SIDE * s->width * sizeof *s->q);
  for (size_t r = 0; r < a->rows; r++) {
    float row[STEP];
    uint16_t *out = s->q + r / SIDE * SIDE * s->width + r % SIDE * STEP;
    for (size_t d = 0; d < s->width; d += STEP, out += SIDE * STEP) {
      const size_t n = left_of(a->head_dim, d) < STEP ? left_of(a->head_dim, d) : STEP;
      memset(row, 0, sizeof row);
      memcpy(row, a->q + r * a->q_stride + d, n * sizeof *row);
      const vf scale = vf_set(a->scale);
      _mm512_storeu_si512(
          out, to_bf16(vf_mul(vf_load(row), scale), vf_mul(vf_load(row + VF_LANES), scale)));
    }
  }
}

// Rows of 16 words become columns.
CK_INLINE void transpose_words(__m512i v[SIDE]) {
  __m512i t[SIDE];
  CK_UNROLL
  for (size_t i = 0; i < SIDE; i += 2) {
    t[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
  }
  CK_UNROLL
  for (size_t i = 0; i < SIDE; i += 4) {
    v[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    v[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    v[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    v[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  CK_UNROLL
  for (size_t i = 0; i < SIDE; i += 8) {
    CK_UNROLL
    for (size_t j = 0; j < 4; j++) {
      t[i + j] = _mm512_shuffle_i32x4(v[i + j], v[i + j + 4], 0x88);
      t[i + j + 4] = _mm512_shuffle_i32x4(v[i + j], v[i + j + 4], 0xdd);
    }
  }
  CK_UNROLL
  for (size_t j = 0; j < 8; j++) {
    v[j] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0x88);
    v[j + 8] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0xdd);
  }
}

// Keys of one block as the second operand of a product. Those not in the cache are zeros.
static void fill_keys(const ck_attention *a, const space *s, size_t start, size_t count) {
  for (size_t tile = 0; tile < KEY_TILES; tile++) {
    for (size_t d = 0; d < s->width; d += STEP) {
      __m512i words[SIDE];
      for (size_t j = 0; j < SIDE; j++) {
        const size_t key = tile * SIDE + j, n = left_of(a->head_dim, d);
        const uint16_t *k = (const uint16_t *)a->k + (start + key) * a->head_dim + d;
        words[j] = key < count ? to_bf16(load_halves(k, n), load_halves(k + 16, left_of(n, 16)))
                               : _mm512_setzero_si512();
      }
      transpose_words(words);
      uint16_t *out = s->k + (tile * (s->width / STEP) + d / STEP) * CK_TILE_VALUES;
      for (size_t j = 0; j < SIDE; j++) _mm512_storeu_si512(out + 32 * j, words[j]);
    }
  }
}

static void fill_values(const ck_attention *a, const space *s, size_t start, size_t count) {
  const __m512i turn = _mm512_loadu_si512(ck_pair_order);
  for (size_t key = 0; key < KEYS; key += 2) {
    const uint16_t *even = (const uint16_t *)a->v + (start + key) * a->head_dim;
    const uint16_t *odd = even + a->head_dim;
    for (size_t d = 0; d < s->width; d += SIDE) {
      const size_t n = left_of(a->head_dim, d);
      const vf first = key < count ? load_halves(even + d, n) : vf_set(0);
      const vf second = key + 1 < count ? load_halves(odd + d, n) : vf_set(0);
      const size_t tile = key / STEP * (s->width / SIDE) + d / SIDE;
      _mm512_storeu_si512(s->v + tile * CK_TILE_VALUES + key % STEP * SIDE,
                          _mm512_permutexvar_epi16(turn, to_bf16(first, second)));
    }
  }
}

// sums[16, 64] (stride floats apart) = or += a[steps] . b[4, b_stride], tiles of both.
CK_INLINE void multiply_tiles(const uint16_t *a, size_t steps, const uint16_t *b, size_t b_stride,
                              size_t b_step, size_t tiles, bool add, float *sums, size_t stride) {
  const size_t row = stride * sizeof(float);
#define EACH(X) X(0) if (tiles > 1) { X(1) } if (tiles > 2) { X(2) } if (tiles > 3) { X(3) }
#define BEGIN(i) if (add) _tile_loadd(i, sums + (i) * SIDE, row); else _tile_zero(i);
#define MULTIPLY(i)                                                                     \
  _tile_loadd(5, b + ((i) * b_stride + step * b_step) * CK_TILE_VALUES, CK_TILE_BYTES); \
  _tile_dpbf16ps(i, 4, 5);
#define END(i) _tile_stored(i, sums + (i) * SIDE, row);
  EACH(BEGIN)
  for (size_t step = 0; step < steps; step++) {
    _tile_loadd(4, a + step * CK_TILE_VALUES, CK_TILE_BYTES);
    EACH(MULTIPLY)
  }
  EACH(END)
#undef EACH
#undef BEGIN
#undef MULTIPLY
#undef END
}

static void score(const space *s, size_t tile) {
  const size_t steps = s->width / STEP;
  multiply_tiles(s->q + tile * SIDE * s->width, steps, s->k, steps, 1, KEY_TILES, false,
                 s->scores + tile * SIDE * KEYS, KEYS);
}

static void add_values(const space *s, size_t tile) {
  const size_t columns = s->width / SIDE;
  for (size_t c = 0; c < columns; c += SUM_TILES) {
    const size_t tiles = columns - c < SUM_TILES ? columns - c : SUM_TILES;
    multiply_tiles(s->p + tile * SIDE * KEYS, KEY_STEPS, s->v + c * CK_TILE_VALUES, 1, columns,
                   tiles, true, s->sums + tile * SIDE * s->width + c * SIDE, s->width);
  }
}

// Scores of keys first ..< last of a block; the others are -infinity.
CK_INLINE void load_scores(const ck_attention *a, const float *scores, size_t first, size_t last,
                           vf x[KEY_TILES]) {
  const uint64_t upto = last >= KEYS ? ~0ull : (1ull << last) - 1;
  const uint64_t seen = first >= KEYS ? 0 : upto & ~0ull << first;
  CK_UNROLL
  for (size_t i = 0; i < KEY_TILES; i++) {
    x[i] = vf_load(scores + i * SIDE);
    if (a->softcap > 0) x[i] = vf_softcap(a->softcap, x[i]);
    x[i] = _mm512_mask_blend_ps((__mmask16)(seen >> i * SIDE), vf_set(-INFINITY), x[i]);
  }
}

// Turns the scores of one row into weights exp(score - largest), and brings what the row has
// summed so far to the new largest score.
static void weigh_row(const ck_attention *a, const space *s, size_t row, size_t first, size_t last) {
  vf x[KEY_TILES];
  load_scores(a, s->scores + row * KEYS, first, last, x);
  const float here = vf_largest(vf_larger(vf_larger(x[0], x[1]), vf_larger(x[2], x[3])));
  const float before = s->largest[row];
  float *sums = s->sums + row * s->width;
  vf weights = vf_load(s->weights + row * VF_LANES);
  if (here > before) {
    s->largest[row] = here;
    if (before != -INFINITY) {
      const vf factor = vf_exp_negative(vf_set(before - here));
      weights = vf_mul(weights, factor);
      for (size_t d = 0; d < s->width; d += VF_LANES)
        vf_store(sums + d, vf_mul(vf_load(sums + d), factor));
    }
  }
  // All scores -infinity: weights of 0 rather than of infinity - infinity.
  const vf base = vf_set(s->largest[row] == -INFINITY ? 0 : s->largest[row]);
  CK_UNROLL
  for (size_t i = 0; i < KEY_TILES; i++) {
    x[i] = vf_exp_negative(vf_sub(x[i], base));
    weights = vf_add(weights, x[i]);
  }
  vf_store(s->weights + row * VF_LANES, weights);
  uint16_t *p = s->p + row / SIDE * SIDE * KEYS + row % SIDE * STEP;
  _mm512_storeu_si512(p, to_bf16(x[0], x[1]));
  _mm512_storeu_si512(p + SIDE * STEP, to_bf16(x[2], x[3]));
}

static size_t within(size_t position, size_t start) {
  return position <= start ? 0 : position - start > KEYS ? KEYS : position - start;
}

static void add_block(const ck_attention *a, const space *s, size_t start, size_t end) {
  const size_t count = end - start < KEYS ? end - start : KEYS;
  fill_keys(a, s, start, count);
  fill_values(a, s, start, count);
  for (size_t tile = 0; tile < s->row_tiles; tile++) {
    const size_t rows = a->rows - tile * SIDE < SIDE ? a->rows - tile * SIDE : SIDE;
    size_t seen = 0;
    for (size_t r = tile * SIDE; r < tile * SIDE + rows; r++)
      if (within(a->last[r], start) > within(a->first[r], start)) seen++;
    if (seen == 0) continue;
    score(s, tile);
    for (size_t r = tile * SIDE; r < tile * SIDE + rows; r++)
      weigh_row(a, s, r, within(a->first[r], start), within(a->last[r], start));
    add_values(s, tile);
  }
}

void ck_attention_tiles(const ck_attention *a) {
  space s;
  divide(a, &s);
  const size_t rows = s.row_tiles * SIDE;
  memset(s.sums, 0, rows * s.width * sizeof *s.sums);
  memset(s.weights, 0, rows * VF_LANES * sizeof *s.weights);
  memset(s.p, 0, rows * KEYS * sizeof *s.p);
  for (size_t r = 0; r < rows; r++) s.largest[r] = -INFINITY;
  fill_queries(a, &s);

  const ck_key_range keys = ck_attention_keys(a);
  ck_tiles_begin();
  for (size_t start = keys.first / KEYS * KEYS; start < keys.last; start += KEYS)
    add_block(a, &s, start, keys.last);
  ck_tiles_end();

  for (size_t r = 0; r < a->rows; r++) {
    const vf weights = vf_set(vf_sum(vf_load(s.weights + r * VF_LANES)));
    float *out = a->out + r * a->out_stride, *sums = s.sums + r * s.width;
    for (size_t d = 0; d < s.width; d += VF_LANES)
      vf_store(sums + d, vf_div(vf_load(sums + d), weights));
    memcpy(out, sums, a->head_dim * sizeof *out);
  }
}

#if !defined(CK_EMULATE)
#pragma clang attribute pop
#endif

#endif
