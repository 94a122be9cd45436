// Products of quantised weights, shared by all instruction sets.
//
// An instruction set file defines, before it includes this:
//
//   CK_ROWS                      rows of a panel: 8 or 16; ixr, fxr, bxr: vectors of CK_ROWS
//                                int32, float, and 4 * CK_ROWS bytes
//   CK_WEIGHTS                   which bytes its dot products take as weights, see below
//   lookup16(table, indices)     table[index] for 32 indices
//   row_dot(w, x, largest)       32 products in 8 sums: 0-3 of the first 16, 4-7 of the others
//   half_totals(p)               sums 0-3 and 4-7 of p[0 ... 3]: 4 of first halves, 4 of second
//   pair_dot(a, b)               a[2i] * b[2i] + a[2i+1] * b[2i+1]
//   panel_dot(w, n, x, largest)  n * 4 products for each row; lane r of w[j] holds the four codes
//                                of row r that belong to x[4j ... 4j+3]
//
// All float arithmetic happens here and follows the order written in ck_matmul_scalar.c. There the
// unit is a block's whole integer sum, so the width of the vectors does not show in the result.
#include "ck_formats_body.h"
#include "ck_matmul_tables.h"

#define WEIGHTS_U7 0  // unsigned below 128; or SIGNED_CODES, told by `largest`
#define WEIGHTS_U8 1  // any unsigned byte
#define WEIGHTS_S8 2  // any signed byte

#define FMA __builtin_elementwise_fma

CK_INLINE bool is_grouped(const vector_format *f) {
  return f->layout == CK_LAYOUT_GROUPED || f->layout == CK_LAYOUT_GROUPED_MIN;
}

CK_INLINE bool has_minimum(const vector_format *f) {
  return f->layout == CK_LAYOUT_MIN || f->layout == CK_LAYOUT_GROUPED_MIN;
}

// Codes as the dot products take them.
CK_INLINE u8x32 weights(const vector_format *f, const uint8_t *w, size_t i) {
  const u8x32 codes = f->codes(w, i);
  if (CK_WEIGHTS == WEIGHTS_S8) return codes - (uint8_t)f->offset;
  if (CK_WEIGHTS == WEIGHTS_U8 && f->largest == SIGNED_CODES) return codes ^ 128;
  return codes;
}

// What `weights` are too large by: the dot product with it is subtracted afterwards.
CK_INLINE int excess(const vector_format *f) {
  if (CK_WEIGHTS == WEIGHTS_S8) return 0;
  if (CK_WEIGHTS == WEIGHTS_U8 && f->largest == SIGNED_CODES) return 128;
  return f->offset;
}

// 0+4 1+5 2+6 3+7, then 0+2 1+3, then 0+1; adding zero turns -0 into +0.
CK_INLINE float sum_of_lanes(f32x8 v) {
  const f32x4 four = CK_LOW4(v) + CK_HIGH4(v);
  return ((four[0] + four[2]) + (four[1] + four[3])) + 0.0f;
}

// Scales of blocks 4h ... 4h+3 in the order of half_totals.
CK_INLINE i32x8 group_scales(i16x16 s, size_t h) {
  const i16x8 half = h ? CK_HIGH8(s) : CK_LOW8(s);
  return __builtin_convertvector(__builtin_shufflevector(half, half, 0, 2, 4, 6, 1, 3, 5, 7),
                                 i32x8);
}

// Adds the chunk at w times the activation blocks from `at` on to the lanes.
CK_INLINE f32x8 row_chunk(const vector_format *f, const uint8_t *w, const ck_q8 *x, size_t at,
                          f32x8 lanes) {
  const i16x16 ones = (i16x16){0} + 1;
  const i16x16 sums = load_i16x16(x->sum + 2 * at);
  const int8_t *q = x->q + at * CK_BLOCK_VALUES;
  chunk_scales scales;
  f->scales(w, f->bytes, 8, &scales);

  i32x8 half[2];
  CK_UNROLL
  for (size_t h = 0; h < 2; h++) {
    i32x8 p[4];
    CK_UNROLL
    for (size_t j = 0; j < 4; j++) {
      const size_t i = 4 * h + j;
      p[j] = row_dot(weights(f, w, i), q + i * CK_BLOCK_VALUES, f->largest);
    }
    half[h] = half_totals(p);
    if (is_grouped(f)) half[h] *= group_scales(scales.s, h);
  }
  i32x8 dot = CK_JOIN4(CK_LOW4(half[0]) + CK_HIGH4(half[0]), CK_LOW4(half[1]) + CK_HIGH4(half[1]));
  if (excess(f) != 0) dot -= excess(f) * pair_dot(is_grouped(f) ? scales.s : ones, sums);

  const f32x8 product = __builtin_convertvector(dot, f32x8);
  f32x8 term;
  if (has_minimum(f)) {
    const i32x8 sum = pair_dot(is_grouped(f) ? scales.n : ones, sums);
    term = FMA(scales.a, product, scales.m * __builtin_convertvector(sum, f32x8));
  } else {
    term = scales.a * product;
  }
  return FMA(load_f32x8(x->scale + at), term, lanes);
}

// The same for one block, of a type that has single blocks (those are not grouped).
CK_INLINE void row_block(const vector_format *f, const uint8_t *w, const ck_q8 *x, size_t at,
                         float *lane) {
  chunk_scales scales;
  f->scales(w, f->bytes, 1, &scales);
  const i32x8 dots = row_dot(weights(f, w, 0), x->q + at * CK_BLOCK_VALUES, f->largest);
  const int sum = x->sum[2 * at] + x->sum[2 * at + 1];
  const float product = (float)(__builtin_reduce_add(dots) - excess(f) * sum);
  const float term = has_minimum(f) ? FMA(scales.a[0], product, scales.m[0] * (float)sum)
                                    : scales.a[0] * product;
  *lane = FMA(x->scale[at], term, *lane);
}

// All whole chunks of a row.
CK_INLINE f32x8 row_chunks(const vector_format *f, const uint8_t *row, const ck_q8 *x, size_t at) {
  const size_t chunk_bytes = f->bytes * (8 / f->blocks);
  f32x8 lanes = {0};
  for (size_t n = x->cols / CK_SUPER_VALUES; n > 0; n--, row += chunk_bytes, at += 8) {
    lanes = row_chunk(f, row, x, at, lanes);
  }
  return lanes;
}

// One row with one token.
CK_INLINE float row_product(const vector_format *f, const uint8_t *row, const ck_q8 *x,
                            size_t token) {
  const size_t blocks = x->cols / CK_BLOCK_VALUES;
  const size_t start = token * blocks;
  f32x8 lanes = row_chunks(f, row, x, start);
  if (f->blocks == 1) {
    float lane[8];
    memcpy(lane, &lanes, sizeof lane);
    for (size_t b = blocks / 8 * 8; b < blocks; b++) {
      row_block(f, row + b * f->bytes, x, start + b, &lane[b % 8]);
    }
    lanes = load_f32x8(lane);
  }
  return sum_of_lanes(lanes);
}

// Rows that decode finishes together: their last blocks and their sums fill a vector. Their chunks
// are read one row after the other, since memory delivers one stream faster than four.
enum { QUAD = 4 };

// The lanes of four rows, turned: lane i of every row becomes vector i.
CK_INLINE void turn_lanes(const f32x8 rows[QUAD], f32x4 lanes[8]) {
  f32x8 low[2], high[2];
  CK_UNROLL
  for (size_t i = 0; i < 2; i++) {
    low[i] = __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    high[i] = __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  const f32x8 turned[4] = {  // lanes i and i + 4 of all rows
      __builtin_shufflevector(low[0], low[1], 0, 1, 8, 9, 4, 5, 12, 13),
      __builtin_shufflevector(low[0], low[1], 2, 3, 10, 11, 6, 7, 14, 15),
      __builtin_shufflevector(high[0], high[1], 0, 1, 8, 9, 4, 5, 12, 13),
      __builtin_shufflevector(high[0], high[1], 2, 3, 10, 11, 6, 7, 14, 15),
  };
  CK_UNROLL
  for (size_t i = 0; i < 4; i++) {
    lanes[i] = CK_LOW4(turned[i]);
    lanes[i + 4] = CK_HIGH4(turned[i]);
  }
}

// Adds one block of four rows to their lane; as row_block.
CK_INLINE void quad_block(const vector_format *f, const uint8_t *w, size_t row_bytes,
                          const ck_q8 *x, size_t at, f32x4 *lane) {
  chunk_scales scales;
  f->scales(w, row_bytes, QUAD, &scales);
  i32x8 p[QUAD];
  CK_UNROLL
  for (size_t r = 0; r < QUAD; r++) {
    p[r] = row_dot(weights(f, w + r * row_bytes, 0), x->q + at * CK_BLOCK_VALUES, f->largest);
  }
  const i32x8 half = half_totals(p);
  const int sum = x->sum[2 * at] + x->sum[2 * at + 1];
  const i32x4 dot = CK_LOW4(half) + CK_HIGH4(half) - excess(f) * sum;
  const f32x4 product = __builtin_convertvector(dot, f32x4);
  const f32x4 a = CK_LOW4(scales.a);
  f32x4 term = a * product;
  if (has_minimum(f)) term = FMA(a, product, CK_LOW4(scales.m) * (float)sum);
  const float scale = x->scale[at];
  *lane = FMA(((f32x4){scale, scale, scale, scale}), term, *lane);
}

// Four rows with one token.
CK_INLINE void quad_product(const vector_format *f, const uint8_t *w, size_t row_bytes,
                            const ck_q8 *x, size_t token, float *y) {
  const size_t blocks = x->cols / CK_BLOCK_VALUES;
  const size_t start = token * blocks;
  f32x8 rows[QUAD];
  f32x4 lanes[8];
  for (size_t r = 0; r < QUAD; r++) rows[r] = row_chunks(f, w + r * row_bytes, x, start);
  turn_lanes(rows, lanes);
  for (size_t b = blocks / 8 * 8; f->blocks == 1 && b < blocks; b++) {
    quad_block(f, w + b * f->bytes, row_bytes, x, start + b, &lanes[b % 8]);
  }
  const f32x4 even = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6]);
  const f32x4 odd = (lanes[1] + lanes[5]) + (lanes[3] + lanes[7]);
  const f32x4 sum = (even + odd) + 0.0f;
  memcpy(y, &sum, sizeof sum);
}

// One chunk of CK_ROWS rows, turned so that a lane belongs to a row. Tokens share the work.
typedef struct panel {
  bxr codes[8][8];  // [block, k / 4]
  fxr a[8], m[8];
  ixr s[16], n[16];
} panel;

// Stores lane i of 8 rows' vectors in rows 8g ... of column i.
CK_INLINE void store_columns(u32x8 v[8], size_t g, void *columns) {
  transpose_u32x8(v);
  CK_UNROLL
  for (size_t i = 0; i < 8; i++) {
    memcpy((uint8_t *)columns + (i * CK_ROWS + 8 * g) * sizeof(uint32_t), &v[i], sizeof v[i]);
  }
}

// Turns 8 rows' vectors of 16 small integers.
CK_INLINE void store_group_columns(const i16x16 v[8], size_t g, ixr columns[16]) {
  u32x8 half[2][8];
  CK_UNROLL
  for (size_t r = 0; r < 8; r++) {
    half[0][r] = (u32x8)__builtin_convertvector(CK_LOW8(v[r]), i32x8);
    half[1][r] = (u32x8)__builtin_convertvector(CK_HIGH8(v[r]), i32x8);
  }
  store_columns(half[0], g, columns);
  store_columns(half[1], g, columns + 8);
}

CK_INLINE void fill_panel_scales(const vector_format *f, const uint8_t *w, size_t row_bytes,
                                 size_t n, size_t g, panel *p) {
  u32x8 a[8], m[8];
  i16x16 s[8], minima[8];
  CK_UNROLL
  for (size_t r = 0; r < 8; r++) {
    chunk_scales scales;
    memset(&scales, 0, sizeof scales);
    f->scales(w + r * row_bytes, f->bytes, n, &scales);
    a[r] = (u32x8)scales.a;
    m[r] = (u32x8)scales.m;
    s[r] = scales.s;
    minima[r] = scales.n;
  }
  store_columns(a, g, p->a);
  if (has_minimum(f)) store_columns(m, g, p->m);
  if (is_grouped(f)) store_group_columns(s, g, p->s);
  if (is_grouped(f) && has_minimum(f)) store_group_columns(minima, g, p->n);
}

CK_INLINE void fill_panel_codes(const vector_format *f, const uint8_t *w, size_t row_bytes,
                                size_t i, size_t g, bxr codes[8]) {
  u32x8 v[8];
  CK_UNROLL
  for (size_t r = 0; r < 8; r++) v[r] = (u32x8)weights(f, w + r * row_bytes, i);
  store_columns(v, g, codes);
}

// Takes apart the first n blocks of the chunks at w, w + row_bytes, ...
CK_INLINE void fill_panel(const vector_format *f, const uint8_t *w, size_t row_bytes, size_t n,
                          panel *p) {
  for (size_t g = 0; g < CK_ROWS / 8; g++, w += 8 * row_bytes) {
    fill_panel_scales(f, w, row_bytes, n, g, p);
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) {
      if (i < n) fill_panel_codes(f, w, row_bytes, i, g, p->codes[i]);
    }
  }
}

// Tokens that share one panel: their lanes and activations of a chunk stay in the first cache.
enum { TOKEN_TILE = 32 };

// What a tile of tokens needs of the activations' sums in one chunk.
typedef struct tile_sums {
  int32_t correction[TOKEN_TILE][16];  // for each block, or each group: -excess * sum
  int32_t group[TOKEN_TILE][16];       // for each group: sum
  float block[TOKEN_TILE][8];          // for each block: sum
} tile_sums;

CK_INLINE void fill_tile_sums(const vector_format *f, const ck_q8 *x, size_t at, size_t n,
                              size_t tokens, tile_sums *sums) {
  const i16x16 ones = (i16x16){0} + 1;
  for (size_t t = 0; t < tokens; t++, at += x->cols / CK_BLOCK_VALUES) {
    const int16_t *p = x->sum + 2 * at;
    const i16x16 groups = n == 8 ? load_i16x16(p) : load_part_i16x16(p, 4 * n);
    if (is_grouped(f)) {
      const i32x16 wide = __builtin_convertvector(groups, i32x16);
      const i32x16 correction = wide * -excess(f);
      if (excess(f) != 0) memcpy(sums->correction[t], &correction, sizeof correction);
      if (has_minimum(f)) memcpy(sums->group[t], &wide, sizeof wide);
    } else {
      const i32x8 wide = pair_dot(groups, ones);
      const i32x8 correction = wide * -excess(f);
      const f32x8 total = __builtin_convertvector(wide, f32x8);
      if (excess(f) != 0) memcpy(sums->correction[t], &correction, sizeof correction);
      if (has_minimum(f)) memcpy(sums->block[t], &total, sizeof total);
    }
  }
}

CK_INLINE ixr splat_int(int32_t value) { return (ixr){0} + value; }
CK_INLINE fxr splat_float(float value) {
  fxr v;
  CK_UNROLL
  for (size_t i = 0; i < CK_ROWS; i++) v[i] = value;
  return v;
}

// The integer products of block i with one token.
CK_INLINE ixr panel_block_dot(const vector_format *f, const panel *p, size_t i, const bxr *w,
                              const int8_t *q, const int32_t *correction) {
  if (!is_grouped(f)) {
    const ixr dot = panel_dot(w, 8, q, f->largest);
    return excess(f) != 0 ? dot + splat_int(correction[i]) : dot;
  }
  ixr first = panel_dot(w, 4, q, f->largest);
  ixr second = panel_dot(w + 4, 4, q + 16, f->largest);
  if (excess(f) != 0) {
    first += splat_int(correction[2 * i]);
    second += splat_int(correction[2 * i + 1]);
  }
  return p->s[2 * i] * first + p->s[2 * i + 1] * second;
}

// Block i of a panel with `tokens` activation rows; `at` is the first one's block.
CK_INLINE void panel_block(const vector_format *f, const panel *p, size_t i, const ck_q8 *x,
                           size_t at, size_t tokens, const tile_sums *sums, fxr *lanes) {
  const size_t blocks = x->cols / CK_BLOCK_VALUES;
  const int8_t *q = x->q + at * CK_BLOCK_VALUES;
  const float *scale = x->scale + at;
  const fxr a = p->a[i];
  bxr w[8];
  memcpy(w, p->codes[i], sizeof w);
  for (size_t t = 0; t < tokens; t++, q += x->cols, scale += blocks) {
    const ixr dot = panel_block_dot(f, p, i, w, q, sums->correction[t]);
    const fxr product = __builtin_convertvector(dot, fxr);
    fxr term = a * product;
    if (f->layout == CK_LAYOUT_MIN) {
      term = FMA(a, product, p->m[i] * splat_float(sums->block[t][i]));
    } else if (f->layout == CK_LAYOUT_GROUPED_MIN) {
      const ixr total = p->n[2 * i] * splat_int(sums->group[t][2 * i]) +
                        p->n[2 * i + 1] * splat_int(sums->group[t][2 * i + 1]);
      term = FMA(a, product, p->m[i] * __builtin_convertvector(total, fxr));
    }
    lanes[t] = FMA(splat_float(*scale), term, lanes[t]);
  }
}

// CK_ROWS rows with up to TOKEN_TILE tokens.
CK_INLINE void panel_product(const vector_format *f, const uint8_t *w, size_t row_bytes,
                             const ck_q8 *x, size_t token, size_t tokens, float *y,
                             size_t y_stride) {
  const size_t blocks = x->cols / CK_BLOCK_VALUES;
  const size_t chunk_bytes = f->bytes * (8 / f->blocks);
  fxr lanes[8][TOKEN_TILE];
  panel p;
  tile_sums sums;
  memset(lanes, 0, sizeof lanes);
  for (size_t first = 0; first < blocks; first += 8, w += chunk_bytes) {
    const size_t n = f->blocks == 8 || blocks - first >= 8 ? 8 : blocks - first;
    const size_t at = token * blocks + first;
    fill_panel(f, w, row_bytes, n, &p);
    fill_tile_sums(f, x, at, n, tokens, &sums);
    for (size_t i = 0; i < n; i++) panel_block(f, &p, i, x, at + i, tokens, &sums, lanes[i]);
  }
  for (size_t t = 0; t < tokens; t++) {
    const fxr even = (lanes[0][t] + lanes[4][t]) + (lanes[2][t] + lanes[6][t]);
    const fxr odd = (lanes[1][t] + lanes[5][t]) + (lanes[3][t] + lanes[7][t]);
    const fxr sum = (even + odd) + 0.0f;
    memcpy(y + t * y_stride, &sum, sizeof sum);
  }
}

CK_INLINE void matmul(const vector_format *f, const void *w, size_t row_bytes, size_t rows,
                      const ck_q8 *x, float *y, size_t y_stride) {
  const uint8_t *weights = w;
  size_t row = 0;
  if (x->tokens > 1) {
    for (; row + CK_ROWS <= rows; row += CK_ROWS) {
      for (size_t t = 0; t < x->tokens; t += TOKEN_TILE) {
        const size_t tokens = x->tokens - t < TOKEN_TILE ? x->tokens - t : TOKEN_TILE;
        panel_product(f, weights + row * row_bytes, row_bytes, x, t, tokens,
                      y + t * y_stride + row, y_stride);
      }
    }
  }
  for (; row + QUAD <= rows; row += QUAD) {
    for (size_t t = 0; t < x->tokens; t++) {
      quad_product(f, weights + row * row_bytes, row_bytes, x, t, y + t * y_stride + row);
    }
  }
  for (; row < rows; row++) {
    for (size_t t = 0; t < x->tokens; t++) {
      y[t * y_stride + row] = row_product(f, weights + row * row_bytes, x, t);
    }
  }
}

// Block i of a chunk: value = a [* s] * q [+ m [* n]], rounded as in ck_matmul_scalar.c.
CK_INLINE void dequantize_block(const vector_format *f, const uint8_t *w, size_t i,
                                const chunk_scales *c, float *out) {
  const u8x32 codes = f->codes(w, i) - (uint8_t)f->offset;
  CK_UNROLL
  for (size_t k = 0; k < CK_BLOCK_VALUES; k += 8) {
    i8x8 q;
    memcpy(&q, (const uint8_t *)&codes + k, sizeof q);
    const size_t group = 2 * i + k / 16;
    const float a = is_grouped(f) ? c->a[i] * (float)c->s[group] : c->a[i];
    f32x8 value = a * __builtin_convertvector(q, f32x8);
    if (has_minimum(f)) value += is_grouped(f) ? c->m[i] * (float)c->n[group] : c->m[i];
    memcpy(out + k, &value, sizeof value);
  }
}

CK_INLINE void dequantize_chunk(const vector_format *f, const uint8_t *w, size_t n, float *out) {
  chunk_scales c;
  f->scales(w, f->bytes, n, &c);
  CK_UNROLL
  for (size_t i = 0; i < 8; i++) {
    if (i < n) dequantize_block(f, w, i, &c, out + i * CK_BLOCK_VALUES);
  }
}

CK_INLINE void dequantize(const vector_format *f, const uint8_t *w, size_t count, float *out) {
  const size_t blocks = count / CK_BLOCK_VALUES;
  size_t first = 0;
  for (; first + 8 <= blocks; first += 8, out += CK_SUPER_VALUES) {
    dequantize_chunk(f, w + first / f->blocks * f->bytes, 8, out);
  }
  if (f->blocks == 1 && first < blocks) {
    dequantize_chunk(f, w + first * f->bytes, blocks - first, out);
  }
}

#define BLOCK_TYPE(name, type)                                                            \
  static void matmul_##name(const void *w, size_t row_bytes, size_t rows, const ck_q8 *x, \
                            float *y, size_t y_stride) {                                  \
    matmul(&name##_format, w, row_bytes, rows, x, y, y_stride);                           \
  }                                                                                       \
  static void dequantize_##name(const void *w, size_t count, float *out) {                \
    dequantize(&name##_format, w, count, out);                                            \
  }
CK_BLOCK_TYPES(BLOCK_TYPE)
