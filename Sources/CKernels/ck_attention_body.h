// Attention over the vector layer of an instruction set file; see ck_float_body.h.
//
// For every block of keys: scores, weights, then the weighted sum of values, each for all rows. The
// order of the additions of one row is fixed (a score: lanes of head_dim, then the lanes; a value:
// keys in ascending order), whatever tile the row is computed in.

// Up to this many rows keys and values are used where they are cached, float16 converted on the way;
// with more rows a block is converted once.
enum { DIRECT_ROWS = 2 * VF_TILE_ROWS };

// Floats of keys that stay in the first level cache while all rows pass over them.
enum { CACHED_FLOATS = 4096 };

// Keys or values of one block, in the cache or, always float32, in scratch.
typedef struct block {
  const void *data;
  size_t stride;  // elements between two positions
  bool half;      // float16
  bool direct;    // in the cache
} block;

CK_INLINE vf block_load(const void *data, size_t index, bool half) {
  return half ? vf_load_f16((const uint16_t *)data + index)
              : vf_load((const float *)data + index);
}

// Positions of one block, relative to its start.
typedef struct key_span {
  size_t first, last;
} key_span;

CK_INLINE key_span row_keys(const ck_attention *a, size_t row, size_t start) {
  const size_t end = start + CK_ATTENTION_BLOCK;
  const size_t first = a->first[row] > start ? a->first[row] : start;
  const size_t last = a->last[row] < end ? a->last[row] : end;
  return first < last ? (key_span){first - start, last - start} : (key_span){0, 0};
}

// The smallest span that holds those of rows begin ..< end.
static key_span all_keys(const ck_attention *a, size_t begin, size_t end, size_t start) {
  key_span all = {CK_ATTENTION_BLOCK, 0};
  for (size_t r = begin; r < end; r++) {
    const key_span keys = row_keys(a, r, start);
    if (keys.first == keys.last) continue;
    if (keys.first < all.first) all.first = keys.first;
    if (keys.last > all.last) all.last = keys.last;
  }
  return all.first < all.last ? all : (key_span){0, 0};
}

// Where the parts of an attention call's scratch lie.
typedef struct attention_space {
  size_t width;    // head_dim in whole vectors
  size_t stride;   // floats between rows
  float *block;    // [CK_ATTENTION_BLOCK, stride]
  float *q;        // [rows, stride]
  float *scores;   // [rows, CK_ATTENTION_BLOCK], weights later
  float *weights;  // [rows, VF_LANES] sums of weights by lane
  float *sums;     // [rows, ck_attention_sum_stride] of the current chunk
  float *total;    // [rows, ck_attention_sum_stride]
} attention_space;

static attention_space divide_scratch(const ck_attention *a) {
  attention_space s = {.stride = ck_attention_block_stride(a->head_dim)};
  s.width = (a->head_dim + VF_LANES - 1) / VF_LANES * VF_LANES;
  s.block = a->scratch;
  s.q = s.block + CK_ATTENTION_BLOCK * s.stride;
  s.scores = s.q + a->rows * s.stride;
  s.weights = s.scores + a->rows * CK_ATTENTION_BLOCK;
  s.sums = s.weights + a->rows * CK_FLOAT_LANES_MAX;
  s.total = s.sums + a->rows * ck_attention_sum_stride(a->head_dim);
  return s;
}

// The keys or values of position `start` and those after it.
CK_INLINE const void *cached(const ck_attention *a, const void *cache, size_t start) {
  return (const char *)cache + start * a->head_dim * ck_kv_bytes(a->kv);
}

// A row of the cache as floats, in whole vectors.
CK_INLINE void copy_row(const ck_attention *a, const attention_space *s, const void *cache,
                        float *row) {
  if (a->kv == CK_KV_F32) {
    for (size_t d = a->head_dim; d < s->width; d++) row[d] = 0;
    memcpy(row, cache, a->head_dim * sizeof *row);
    return;
  }
  const uint16_t *half = cache;
  size_t d = 0;
  for (; d + VF_LANES <= a->head_dim; d += VF_LANES) vf_store(row + d, vf_load_f16(half + d));
  if (d < a->head_dim) vf_store(row + d, vf_load_some_f16(half + d, a->head_dim - d));
}

// The block that starts at position `start`, copied where that pays or head_dim asks for it.
static block open_block(const ck_attention *a, const attention_space *s, const void *cache,
                        size_t start, key_span keys) {
  if (a->rows <= DIRECT_ROWS && s->width == a->head_dim)
    return (block){cached(a, cache, start), a->head_dim, a->kv == CK_KV_F16, true};
  for (size_t j = keys.first; j < keys.last; j++)
    copy_row(a, s, cached(a, cache, start + j), s->block + j * s->stride);
  return (block){s->block, s->stride, false, false};
}

// Asks for bytes that are needed soon.
CK_INLINE void fetch(const char *p, size_t bytes) {
  enum { LINE = 64 };
  for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch(p + i, 0, 2);
}

// --- scores ---

// scores[r, j] = q[r] . k[j] for constant numbers of rows and keys, 4 at most.
CK_INLINE void score_tile(const size_t rows, const size_t keys, const float *q, size_t q_stride,
                          const void *k, size_t k_stride, const bool half, size_t width,
                          float *scores) {
  vf sums[VF_TILE_ROWS][4];
  CK_UNROLL for (size_t r = 0; r < rows; r++)
    CK_UNROLL for (size_t j = 0; j < keys; j++) sums[r][j] = vf_set(0);
  for (size_t d = 0; d < width; d += VF_LANES) {
    vf query[VF_TILE_ROWS];
    CK_UNROLL for (size_t r = 0; r < rows; r++) query[r] = vf_load(q + r * q_stride + d);
    CK_UNROLL for (size_t j = 0; j < keys; j++) {
      const vf key = block_load(k, j * k_stride + d, half);
      CK_UNROLL for (size_t r = 0; r < rows; r++) sums[r][j] = vf_fma(query[r], key, sums[r][j]);
    }
  }
  CK_UNROLL for (size_t r = 0; r < rows; r++) {
    float four[4];
    vf_sum4(sums[r][0], sums[r][keys > 1 ? 1 : 0], sums[r][keys > 2 ? 2 : 0],
            sums[r][keys > 3 ? 3 : 0], four);
    memcpy(scores + r * CK_ATTENTION_BLOCK, four, keys * sizeof *scores);
  }
}

// The keys of a span for one tile of rows. `ahead`, if any, are the values of a block in the cache:
// they are needed next, and the hardware's prefetching does not foresee the turn.
CK_INLINE void score_span(const size_t rows, const float *q, size_t q_stride, const void *k,
                          size_t k_stride, const bool half, size_t width, key_span keys,
                          const char *ahead, float *scores) {
  const size_t row = k_stride * (half ? sizeof(uint16_t) : sizeof(float));
  // With 4 keys all registers of the smaller sets are taken, and a converted key finds none.
  const size_t step = half && VF_REGISTERS == 16 && rows == 3 ? 3 : 4;
  size_t j = keys.first;
  for (; j + step <= keys.last; j += step) {
    score_tile(rows, step, q, q_stride, (const char *)k + j * row, k_stride, half, width,
               scores + j);
    if (ahead) {
      fetch(ahead + j * row, step * row);
      fetch((const char *)k + (j + CK_ATTENTION_BLOCK) * row, step * row);
    }
  }
  for (; j < keys.last; j++)
    score_tile(rows, 1, q, q_stride, (const char *)k + j * row, k_stride, half, width, scores + j);
}

static void score_rows(size_t rows, const float *q, size_t q_stride, block k, size_t width,
                       key_span keys, const char *ahead, float *scores) {
#define SCORE(n)                                                                             \
  if (rows == (n) && k.half)                                                                 \
    score_span(n, q, q_stride, k.data, k.stride, true, width, keys, ahead, scores);               \
  if (rows == (n) && !k.half)                                                                \
    score_span(n, q, q_stride, k.data, k.stride, false, width, keys, ahead, scores);
  SCORE(1)
  SCORE(2)
  SCORE(3)
#if VF_TILE_ROWS == 4
  SCORE(4)
#endif
#undef SCORE
}

// --- weights ---

// Scales and caps the raw scores of one row, and puts -infinity where it sees no key.
static void finish_scores(const ck_attention *a, key_span keys, float *scores) {
  for (size_t j = 0; j < CK_ATTENTION_BLOCK; j += VF_LANES) {
    const vf x = vf_mul(vf_load(scores + j), vf_set(a->scale));
    vf_store(scores + j, a->softcap > 0 ? vf_softcap(a->softcap, x) : x);
  }
  for (size_t j = 0; j < keys.first; j++) scores[j] = -INFINITY;
  for (size_t j = keys.last; j < CK_ATTENTION_BLOCK; j++) scores[j] = -INFINITY;
}

// Turns the scores of one row into weights exp(score - largest), and brings the row's sums to the
// new largest score.
static void weigh_row(const ck_attention *a, const attention_space *s, size_t row, key_span keys,
                      float *sums) {
  const size_t sum_stride = ck_attention_sum_stride(a->head_dim);
  float *scores = s->scores + row * CK_ATTENTION_BLOCK;
  float *sum = sums + row * sum_stride, *largest = sum + sum_stride - 2;
  finish_scores(a, keys, scores);

  const float before = *largest, here = largest_of(scores, CK_ATTENTION_BLOCK);
  vf weights = vf_load(s->weights + row * VF_LANES);
  if (here > before) {
    *largest = here;
    if (before != -INFINITY) {
      const vf factor = vf_exp_negative(vf_set(before - here));
      weights = vf_mul(weights, factor);
      for (size_t d = 0; d < s->width; d += VF_LANES)
        vf_store(sum + d, vf_mul(vf_load(sum + d), factor));
    }
  }
  // All scores -infinity: weights of 0 rather than of infinity - infinity.
  const vf base = vf_set(*largest == -INFINITY ? 0 : *largest);
  for (size_t j = 0; j < CK_ATTENTION_BLOCK; j += VF_LANES) {
    const vf weight = vf_exp_negative(vf_sub(vf_load(scores + j), base));
    weights = vf_add(weights, weight);
    vf_store(scores + j, weight);
  }
  vf_store(s->weights + row * VF_LANES, weights);
}

// --- values ---

// sums[r, 0 ..< vectors * VF_LANES] += weights[r, j] * v[j] over a span of keys, for constant
// numbers of rows and vectors.
CK_INLINE void value_tile(const size_t rows, const size_t vectors, const float *weights,
                          const void *v, size_t v_stride, const bool half, size_t column,
                          key_span keys, float *sums, size_t sum_stride) {
  vf acc[VF_TILE_ROWS][8];
  CK_UNROLL for (size_t r = 0; r < rows; r++)
    CK_UNROLL for (size_t c = 0; c < vectors; c++)
      acc[r][c] = vf_load(sums + r * sum_stride + c * VF_LANES);
  for (size_t j = keys.first; j < keys.last; j++) {
    vf weight[VF_TILE_ROWS];
    CK_UNROLL for (size_t r = 0; r < rows; r++)
      weight[r] = vf_set(weights[r * CK_ATTENTION_BLOCK + j]);
    CK_UNROLL for (size_t c = 0; c < vectors; c++) {
      const vf value = block_load(v, j * v_stride + column + c * VF_LANES, half);
      CK_UNROLL for (size_t r = 0; r < rows; r++) acc[r][c] = vf_fma(weight[r], value, acc[r][c]);
    }
  }
  CK_UNROLL for (size_t r = 0; r < rows; r++)
    CK_UNROLL for (size_t c = 0; c < vectors; c++)
      vf_store(sums + r * sum_stride + c * VF_LANES, acc[r][c]);
}

static void add_values(size_t rows, size_t vectors, const float *weights, block v, size_t column,
                       key_span keys, float *sums, size_t sum_stride) {
  if (keys.first >= keys.last) return;
#define ADD(n, c)                                                                            \
  if (rows == (n) && vectors == (c) && v.half)                                               \
    value_tile(n, c, weights, v.data, v.stride, true, column, keys, sums, sum_stride);       \
  if (rows == (n) && vectors == (c) && !v.half)                                              \
    value_tile(n, c, weights, v.data, v.stride, false, column, keys, sums, sum_stride);
#define ADD_ROWS(n) ADD(n, 1) ADD(n, 2) ADD(n, 3) ADD(n, 4)
  ADD_ROWS(1)
  ADD(1, 8)
  ADD_ROWS(2)
  ADD_ROWS(3)
#if VF_TILE_ROWS == 4
  ADD_ROWS(4)
#endif
#undef ADD_ROWS
#undef ADD
}

// One tile of rows and one panel of columns. The keys that all rows see are summed together; those
// before and after, at the edge of the causal triangle or of a window, row by row.
static void add_panel(const ck_attention *a, const attention_space *s, size_t row, size_t rows,
                      size_t vectors, block v, size_t column, size_t start, float *sums) {
  const size_t sum_stride = ck_attention_sum_stride(a->head_dim);
  const float *weights = s->scores + row * CK_ATTENTION_BLOCK;
  float *sum = sums + row * sum_stride + column;
  key_span common = {0, CK_ATTENTION_BLOCK};
  for (size_t r = 0; r < rows; r++) {
    const key_span keys = row_keys(a, row + r, start);
    if (keys.first > common.first) common.first = keys.first;
    if (keys.last < common.last) common.last = keys.last;
  }
  if (common.last < common.first) common.last = common.first;
  for (size_t r = 0; r < rows; r++) {
    const key_span keys = row_keys(a, row + r, start);
    const size_t last = keys.last < common.first ? keys.last : common.first;
    add_values(1, vectors, weights + r * CK_ATTENTION_BLOCK, v, column,
               (key_span){keys.first, last}, sum + r * sum_stride, sum_stride);
  }
  add_values(rows, vectors, weights, v, column, common, sum, sum_stride);
  for (size_t r = 0; r < rows; r++) {
    const key_span keys = row_keys(a, row + r, start);
    const size_t first = keys.first > common.last ? keys.first : common.last;
    add_values(1, vectors, weights + r * CK_ATTENTION_BLOCK, v, column,
               (key_span){first, keys.last}, sum + r * sum_stride, sum_stride);
  }
}

// --- blocks, chunks, calls ---

// Rows of the next tile when `left` rows are left: 4 are two pairs where a tile has 3.
CK_INLINE size_t tile_rows(size_t left) {
  if (left > VF_TILE_ROWS + 1 || left == VF_TILE_ROWS) return VF_TILE_ROWS;
  if (left < VF_TILE_ROWS) return left;
  return VF_TILE_ROWS == 3 ? 2 : VF_TILE_ROWS;
}

// Vectors of columns that a tile sums at once when `left` are left. As many sums as hide the
// latency of adding, as few as leave registers for weights and, after conversion, two values.
CK_INLINE size_t panel_vectors(size_t left, size_t rows, bool half) {
  const size_t most = rows == 1 ? 8 : half && VF_REGISTERS == 16 && rows == 3 ? 3 : 4;
  if (left >= most) return most;
  return left < 4 ? left : 4;
}

static void add_block(const ck_attention *a, const attention_space *s, const float *q,
                      size_t q_stride, size_t start, float *sums) {
  const key_span keys = all_keys(a, 0, a->rows, start);
  if (keys.first == keys.last) return;

  const block k = open_block(a, s, a->k, start, keys);
  const size_t fit = CACHED_FLOATS / s->width / 4 * 4, step = fit > 4 ? fit : 4;
  for (size_t j = keys.first; j < keys.last; j += step) {
    for (size_t r = 0, rows; r < a->rows; r += rows) {
      rows = tile_rows(a->rows - r);
      key_span span = all_keys(a, r, r + rows, start);
      if (span.first < j) span.first = j;
      if (span.last > j + step) span.last = j + step;
      if (span.first < span.last)
        score_rows(rows, q + r * q_stride, q_stride, k, s->width, span,
                   r == 0 && k.direct ? cached(a, a->v, start) : NULL,
                   s->scores + r * CK_ATTENTION_BLOCK);
    }
  }
  for (size_t r = 0; r < a->rows; r++) {
    const key_span span = row_keys(a, r, start);
    if (span.first < span.last) weigh_row(a, s, r, span, sums);
  }
  const block v = open_block(a, s, a->v, start, keys);
  for (size_t column = 0, vectors; column < s->width; column += vectors * VF_LANES) {
    vectors = panel_vectors((s->width - column) / VF_LANES, tile_rows(a->rows), v.half);
    for (size_t r = 0, rows; r < a->rows; r += rows) {
      rows = tile_rows(a->rows - r);
      add_panel(a, s, r, rows, vectors, v, column, start, sums);
    }
  }
}

static void attention_chunk(const ck_attention *a, size_t chunk, float *sums) {
  const attention_space s = divide_scratch(a);
  const size_t sum_stride = ck_attention_sum_stride(a->head_dim);
  const float *q = a->q;
  size_t q_stride = a->q_stride;
  if (s.width != a->head_dim) {
    q = s.q;
    q_stride = s.stride;
    for (size_t r = 0; r < a->rows; r++) {
      memset(s.q + r * s.stride, 0, s.stride * sizeof *q);
      memcpy(s.q + r * s.stride, a->q + r * a->q_stride, a->head_dim * sizeof *q);
    }
  }
  ck_attention_clear(a->rows, a->head_dim, sums);
  memset(s.weights, 0, a->rows * VF_LANES * sizeof *s.weights);
  for (size_t start = chunk * CK_ATTENTION_CHUNK; start < (chunk + 1) * CK_ATTENTION_CHUNK;
       start += CK_ATTENTION_BLOCK)
    add_block(a, &s, q, q_stride, start, sums);
  for (size_t r = 0; r < a->rows; r++)
    sums[(r + 1) * sum_stride - 1] = vf_sum(vf_load(s.weights + r * VF_LANES));
}

static void attention_merge(const float *sums, size_t rows, size_t head_dim, float *total) {
  const size_t stride = ck_attention_sum_stride(head_dim), width = ck_padded_head(head_dim);
  for (size_t r = 0; r < rows; r++) {
    const float *part = sums + r * stride;
    float *sum = total + r * stride;
    const float new_largest = part[stride - 2], new_weights = part[stride - 1];
    const float old_largest = sum[stride - 2], old_weights = sum[stride - 1];
    if (new_largest == -INFINITY && new_weights == 0) continue;  // no keys
    if (old_largest == -INFINITY && old_weights == 0) {
      memcpy(sum, part, stride * sizeof *sum);
      continue;
    }
    const float largest = new_largest > old_largest ? new_largest : old_largest;
    const float base = largest == -INFINITY ? 0 : largest;
    const vf old = vf_exp_negative(vf_set(old_largest - base));
    const vf new = vf_exp_negative(vf_set(new_largest - base));
    for (size_t d = 0; d < width; d += VF_LANES) {
      const vf scaled = vf_mul(vf_load(sum + d), old);
      vf_store(sum + d, vf_fma(vf_load(part + d), new, scaled));
    }
    float factors[2][VF_LANES];
    vf_store(factors[0], old);
    vf_store(factors[1], new);
    sum[stride - 2] = largest;
    sum[stride - 1] = old_weights * factors[0][0] + new_weights * factors[1][0];
  }
}

static void attention_finish(const float *total, const ck_attention *a) {
  const size_t stride = ck_attention_sum_stride(a->head_dim);
  for (size_t r = 0; r < a->rows; r++) {
    const float *sum = total + r * stride;
    float *out = a->out + r * a->out_stride;
    const vf weights = vf_set(sum[stride - 1]);
    size_t d = 0;
    for (; d + VF_LANES <= a->head_dim; d += VF_LANES)
      vf_store(out + d, vf_div(vf_load(sum + d), weights));
    for (; d < a->head_dim; d++) out[d] = sum[d] / sum[stride - 1];
  }
}

static void attention(const ck_attention *a) {
  const attention_space s = divide_scratch(a);
  const ck_key_range keys = ck_attention_keys(a);
  const size_t first = keys.first / CK_ATTENTION_CHUNK;
  attention_chunk(a, first, s.total);
  for (size_t chunk = first + 1; chunk * CK_ATTENTION_CHUNK < keys.last; chunk++) {
    attention_chunk(a, chunk, s.sums);
    attention_merge(s.sums, a->rows, a->head_dim, s.total);
  }
  attention_finish(s.total, a);
}
