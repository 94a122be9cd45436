// Tiles on AMX with bfloat16, beside AVX-512.
#if defined(__x86_64__)

#include "ck_matmul_tables.h"
#include "ck_simd.h"
#include "ck_tiles.h"
#include "ck_tiles_amx.h"

const uint16_t ck_pair_order[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                    8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};

#if !defined(CK_EMULATE)
#pragma clang attribute push(                                                                  \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma," \
                          "f16c,amx-tile,amx-bf16"))),                                         \
    apply_to = function)
#endif

#include "ck_matmul_x86_body.h"

#define CK_WEIGHTS WEIGHTS_U8
#define CK_ROWS 16

typedef i32x16 ixr;
typedef f32x16 fxr;
typedef u8x64 bxr;

CK_INLINE bxr lane_lookup16(i8x16 table, bxr indices) {
  return (bxr)_mm512_shuffle_epi8(_mm512_broadcast_i32x4((__m128i)table), (__m512i)indices);
}

#include "ck_weights_body.h"
#include "ck_lanes_body.h"

// --- activations ---

static void pack(const float *x, size_t cols, size_t row, uint16_t *tiles) {
  uint16_t *out = tiles + row * CK_TILE_STEP;
  for (size_t k = 0; k < cols; k += CK_TILE_STEP, out += CK_TILE_VALUES) {
    const __m512bh values =
        _mm512_cvtne2ps_pbh(_mm512_loadu_ps(x + k + 16), _mm512_loadu_ps(x + k));
    memcpy(out, &values, sizeof values);
  }
}

// --- weights ---

// Sixteen rows' values k and k + 1, rounded, side by side.
CK_INLINE void store_pairs(fxr even, fxr odd, uint16_t *out) {
  const __m512i both = (__m512i)_mm512_cvtne2ps_pbh((__m512)odd, (__m512)even);
  _mm512_storeu_si512(out, _mm512_permutexvar_epi16(_mm512_loadu_si512(ck_pair_order), both));
}

// One block of 32 values: a * (code - offset) + m, rounded once.
CK_INLINE void expand_block(const lane_format *lf, const uint8_t *w, size_t i, uint16_t *tile) {
  const vector_format *f = lf->f;
  lane_block block;
  lane_block_at(lf, w, i, 0, &block);
  CK_UNROLL
  for (size_t j = 0; j < 8; j++) {
    fxr a = block.a;
    if (is_grouped(f)) a *= __builtin_convertvector(block.s[j / 4], fxr);
    // Adding zero turns -0 into +0.
    const fxr base = has_minimum(f) ? block.m + 0.0f : a * -(float)excess(f);
    const uxr codes = (uxr)block.codes[j];
    fxr value[4];
    CK_UNROLL
    for (size_t k = 0; k < 4; k++) {
      value[k] = FMA(a, lane_floats(codes >> (uint32_t)(8 * k) & 255), base);
    }
    store_pairs(value[0], value[1], tile + 64 * j);
    store_pairs(value[2], value[3], tile + 64 * j + 32);
  }
}

CK_INLINE void expand(const lane_format *lf, const void *group, size_t chunk, size_t steps,
                      uint16_t *tiles) {
  const size_t bytes = CK_GROUP_ROWS * chunk_bytes(lf->f);
  const uint8_t *w = (const uint8_t *)group + chunk * bytes;
  for (size_t s = 0; s < steps; s += 8, w += bytes) {
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) {
      if (s + i < steps) expand_block(lf, w, i, tiles + (s + i) * CK_TILE_VALUES);
    }
  }
}

#define EXPAND(name, type)                                                                  \
  static void expand_##name(const void *group, size_t chunk, size_t steps, uint16_t *tiles) { \
    expand(&name##_lane_format, group, chunk, steps, tiles);                                \
  }
#define EXPAND_ENTRY(name, type) [type] = expand_##name,
CK_INTERLEAVED_TYPES(EXPAND)

// --- products ---

enum { TILE_ROWS = 16 };

// What LDTILECFG reads (Intel's Architectures Software Developer's Manual, volume 1, chapter 18).
typedef struct tile_configuration {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_configuration;

void ck_tiles_begin(void) {
  tile_configuration c = {.palette = 1};
  for (size_t i = 0; i < 8; i++) {
    c.row_bytes[i] = CK_TILE_BYTES;
    c.rows[i] = TILE_ROWS;
  }
  _tile_loadconfig(&c);
}

// Sums of one tile, 16 tokens by 16 rows, on their way from or to y; fewer tokens are copied.
#define LOAD_SUMS(tile, y, stride) \
  if (add) _tile_loadd(tile, y, (stride) * sizeof(float)); else _tile_zero(tile)

// Up to 32 tokens by two groups.
CK_INLINE void multiply_square(const char *w0, const char *w1, const char *x0, const char *x1,
                               size_t steps, bool add, float *y, size_t stride) {
  float *y1 = y + CK_TILE_TOKENS * stride;
  LOAD_SUMS(0, y, stride);
  LOAD_SUMS(1, y + CK_GROUP_ROWS, stride);
  LOAD_SUMS(2, y1, stride);
  LOAD_SUMS(3, y1 + CK_GROUP_ROWS, stride);
  for (size_t s = 0; s < steps; s++) {
    const size_t at = s * CK_TILE_VALUES * sizeof(uint16_t);
    _tile_loadd(4, x0 + at, CK_TILE_BYTES);
    _tile_loadd(6, w0 + at, CK_TILE_BYTES);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, w1 + at, CK_TILE_BYTES);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, x1 + at, CK_TILE_BYTES);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, y, stride * sizeof(float));
  _tile_stored(1, y + CK_GROUP_ROWS, stride * sizeof(float));
  _tile_stored(2, y1, stride * sizeof(float));
  _tile_stored(3, y1 + CK_GROUP_ROWS, stride * sizeof(float));
}

// 16 tokens by one group.
CK_INLINE void multiply_tile(const char *w, const char *x, size_t steps, bool add, float *y,
                             size_t stride) {
  LOAD_SUMS(0, y, stride);
  for (size_t s = 0; s < steps; s++) {
    const size_t at = s * CK_TILE_VALUES * sizeof(uint16_t);
    _tile_loadd(4, x + at, CK_TILE_BYTES);
    _tile_loadd(6, w + at, CK_TILE_BYTES);
    _tile_dpbf16ps(0, 4, 6);
  }
  _tile_stored(0, y, stride * sizeof(float));
}

CK_INLINE const char *w_tiles(const ck_tile_product *p, size_t group) {
  return (const char *)(p->w + group * p->w_stride * CK_TILE_VALUES);
}

CK_INLINE const char *x_tiles(const ck_tile_product *p, size_t token) {
  return (const char *)(p->x + token / CK_TILE_TOKENS * p->x_stride * CK_TILE_VALUES);
}

static void copy_rows(const float *from, size_t from_stride, size_t rows, size_t columns, float *to,
                      size_t to_stride) {
  for (size_t r = 0; r < rows; r++)
    memcpy(to + r * to_stride, from + r * from_stride, columns * sizeof *to);
}

// The last tokens, fewer than a whole tile or pair of tiles, by way of a buffer.
static void multiply_rest(const ck_tile_product *p, size_t group, size_t token) {
  const size_t columns = CK_GROUP_ROWS, tokens = p->tokens - token;
  _Alignas(64) float sums[CK_TILE_TOKENS * CK_GROUP_ROWS];
  float *y = p->y + token * p->y_stride + group * CK_GROUP_ROWS;
  if (p->add) copy_rows(y, p->y_stride, tokens, columns, sums, columns);
  multiply_tile(w_tiles(p, group), x_tiles(p, token), p->steps, p->add, sums, columns);
  copy_rows(sums, columns, tokens, columns, y, p->y_stride);
}

static void multiply(const ck_tile_product *p) {
  for (size_t t = 0; t < p->tokens; t += 2 * CK_TILE_TOKENS) {
    for (size_t g = 0; g < p->groups; g += 2) {
      float *y = p->y + t * p->y_stride + g * CK_GROUP_ROWS;
      if (t + 2 * CK_TILE_TOKENS <= p->tokens && g + 2 <= p->groups) {
        multiply_square(w_tiles(p, g), w_tiles(p, g + 1), x_tiles(p, t),
                        x_tiles(p, t + CK_TILE_TOKENS), p->steps, p->add, y, p->y_stride);
        continue;
      }
      for (size_t i = g; i < p->groups && i < g + 2; i++) {
        for (size_t u = t; u < p->tokens && u < t + 2 * CK_TILE_TOKENS; u += CK_TILE_TOKENS) {
          if (u + CK_TILE_TOKENS > p->tokens) {
            multiply_rest(p, i, u);
            continue;
          }
          multiply_tile(w_tiles(p, i), x_tiles(p, u), p->steps, p->add,
                        p->y + u * p->y_stride + i * CK_GROUP_ROWS, p->y_stride);
        }
      }
    }
  }
}

void ck_tiles_end(void) { _tile_release(); }

const ck_tile_table ck_tile_table_amx = {
    .pack = pack,
    .expand = {CK_INTERLEAVED_TYPES(EXPAND_ENTRY)},
    .multiply = multiply,
    .begin = ck_tiles_begin,
    .end = ck_tiles_end,
    .attention_scratch = ck_attention_tiles_scratch,
    .attention = ck_attention_tiles,
};

#if !defined(CK_EMULATE)
#pragma clang attribute pop
#endif

#endif
