// Decode: rows with one token, straight from the stored blocks. Bound by the bytes of the weights.
// Part of ck_matmul_body.h.

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

// Blocks from a token's to those of its rest.
CK_INLINE size_t rest_of(const ck_q8 *x) { return x->rest * (x->stride / CK_BLOCK_VALUES); }

CK_INLINE bool has_rest(const ck_q8 *x, size_t at) {
  const f32x8 scale = load_f32x8(x->scale + at + rest_of(x));
  return __builtin_reduce_or((i32x8)(scale != 0)) != 0;
}

// All whole chunks of a row.
CK_INLINE f32x8 row_chunks(const vector_format *f, const uint8_t *row, const ck_q8 *x, size_t at) {
  f32x8 lanes = {0};
  for (size_t n = x->cols / CK_SUPER_VALUES; n > 0; n--, row += chunk_bytes(f), at += 8) {
    lanes = row_chunk(f, row, x, at, lanes);
    if (x->rest && has_rest(x, at)) lanes = row_chunk(f, row, x, at + rest_of(x), lanes);
  }
  return lanes;
}

// One row with one token.
CK_INLINE float row_product(const vector_format *f, const uint8_t *row, const ck_q8 *x,
                            size_t token) {
  const size_t blocks = x->cols / CK_BLOCK_VALUES;
  const size_t start = token * (x->stride / CK_BLOCK_VALUES);
  f32x8 lanes = row_chunks(f, row, x, start);
  if (f->blocks == 1) {
    float lane[8];
    memcpy(lane, &lanes, sizeof lane);
    for (size_t b = blocks / 8 * 8; b < blocks; b++) {
      row_block(f, row + b * f->bytes, x, start + b, &lane[b % 8]);
      if (x->rest) row_block(f, row + b * f->bytes, x, start + b + rest_of(x), &lane[b % 8]);
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
  const size_t start = token * (x->stride / CK_BLOCK_VALUES);
  f32x8 rows[QUAD];
  f32x4 lanes[8];
  for (size_t r = 0; r < QUAD; r++) rows[r] = row_chunks(f, w + r * row_bytes, x, start);
  turn_lanes(rows, lanes);
  for (size_t b = blocks / 8 * 8; f->blocks == 1 && b < blocks; b++) {
    quad_block(f, w + b * f->bytes, row_bytes, x, start + b, &lanes[b % 8]);
    if (x->rest)
      quad_block(f, w + b * f->bytes, row_bytes, x, start + b + rest_of(x), &lanes[b % 8]);
  }
  const f32x4 even = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6]);
  const f32x4 odd = (lanes[1] + lanes[5]) + (lanes[3] + lanes[7]);
  const f32x4 sum = (even + odd) + 0.0f;
  memcpy(y, &sum, sizeof sum);
}
