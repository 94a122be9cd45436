// Every split is along rows, tokens or whole blocks, so it cannot change a result.
#include "ck_parallel.h"

// Fewer elements than this in one part do not pay for handing it to another thread.
enum { ELEMENTS_PER_PART = 8192 };

// Bytes of weights in one part: enough to outlast the hand-over, few enough to stay in the second
// level cache while a prefill chunk's tokens pass over them.
enum { WEIGHT_BYTES_PER_PART = 64 * 1024 };

// Rows of one part are a multiple of this, so that kernels seldom see an incomplete row tile.
enum { ROW_TILE = 16 };

// Tokens that pass over a part's weights together; their activations share the cache with them.
enum { TOKEN_TILE = 32 };

// Parts of a product for each thread: a late thread delays the join by one part at most.
enum { PARTS_PER_THREAD = 4 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static size_t larger(size_t a, size_t b) { return a > b ? a : b; }
static size_t ceiling(size_t n, size_t step) { return (n + step - 1) / step; }

// How a loop over `count` items is cut into parts.
typedef struct cut {
  size_t items;  // in one part
  size_t parts;
} cut;

static cut cut_evenly(size_t count, size_t items) {
  items = larger(items, 1);
  return (cut){.items = items, .parts = ceiling(count, items)};
}

// Items [begin, end) of part `index`.
typedef struct span {
  size_t begin, end;
} span;

static span part_of(cut cut, size_t count, size_t index) {
  const size_t begin = index * cut.items;
  return (span){begin, smaller(begin + cut.items, count)};
}

// How a product is cut: into rows of weights, and tokens where the rows are too few.
typedef struct product_cut {
  cut rows, tokens;
} product_cut;

static size_t parts_of(product_cut cut) { return cut.rows.parts * cut.tokens.parts; }

// About WEIGHT_BYTES_PER_PART of weights in a part, but several parts a thread where there is
// enough to do.
static product_cut cut_product(const ck_pool *pool, size_t rows, size_t row_bytes, size_t tokens) {
  const size_t wanted = PARTS_PER_THREAD * ck_pool_threads(pool);
  const size_t cached = WEIGHT_BYTES_PER_PART / larger(row_bytes, 1);
  product_cut cut;
  cut.rows = cut_evenly(rows, larger(smaller(cached, rows / wanted) / ROW_TILE, 1) * ROW_TILE);
  const size_t tiles = ceiling(tokens, TOKEN_TILE);
  const size_t cuts = smaller(ceiling(wanted, larger(cut.rows.parts, 1)), tiles);
  cut.tokens = cut_evenly(tokens, ceiling(tiles, larger(cuts, 1)) * TOKEN_TILE);
  return cut;
}

// --- products ---

typedef struct matmul_job {
  ck_matmul_fn multiply;
  const uint8_t *w;
  size_t row_bytes, rows;
  const ck_q8 *x;
  float *y;
  size_t y_stride;
  product_cut cut;
} matmul_job;

// Tokens first ..< first + count of quantised activations.
static ck_q8 q8_tokens(const ck_q8 *x, size_t first, size_t count) {
  return (ck_q8){
    .q = x->q + first * x->cols,
    .scale = x->scale + first * (x->cols / CK_Q8_BLOCK),
    .sum = x->sum + first * (x->cols / (CK_Q8_BLOCK / 2)),
    .tokens = count,
    .cols = x->cols,
  };
}

static void matmul_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const matmul_job *job = context;
  const span rows = part_of(job->cut.rows, job->rows, index % job->cut.rows.parts);
  const span tokens = part_of(job->cut.tokens, job->x->tokens, index / job->cut.rows.parts);
  for (size_t t = tokens.begin; t < tokens.end; t += TOKEN_TILE) {
    const ck_q8 tile = q8_tokens(job->x, t, smaller(TOKEN_TILE, tokens.end - t));
    job->multiply(job->w + rows.begin * job->row_bytes, job->row_bytes, rows.end - rows.begin,
                  &tile, job->y + t * job->y_stride + rows.begin, job->y_stride);
  }
}

void ck_par_matmul(const ck_context *c, ck_type type, const void *w, size_t row_bytes, size_t rows,
                   const ck_q8 *x, float *y, size_t y_stride) {
  matmul_job job = {c->matmul->matmul[type], w, row_bytes, rows, x, y, y_stride,
                    cut_product(c->pool, rows, row_bytes, x->tokens)};
  ck_pool_run(c->pool, parts_of(job.cut), matmul_part, &job);
}

typedef struct matmul_float_job {
  ck_matmul_float_fn multiply;
  const uint8_t *w;
  size_t row_bytes, rows, cols;
  const float *x;
  size_t x_stride, tokens;
  float *y;
  size_t y_stride;
  product_cut cut;
} matmul_float_job;

static void matmul_float_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const matmul_float_job *job = context;
  const span rows = part_of(job->cut.rows, job->rows, index % job->cut.rows.parts);
  const span tokens = part_of(job->cut.tokens, job->tokens, index / job->cut.rows.parts);
  for (size_t t = tokens.begin; t < tokens.end; t += TOKEN_TILE)
    job->multiply(job->w + rows.begin * job->row_bytes, job->row_bytes, rows.end - rows.begin,
                  job->cols, job->x + t * job->x_stride, job->x_stride,
                  smaller(TOKEN_TILE, tokens.end - t), job->y + t * job->y_stride + rows.begin,
                  job->y_stride);
}

void ck_par_matmul_float(const ck_context *c, ck_type type, const void *w, size_t row_bytes,
                         size_t rows, size_t cols, const float *x, size_t x_stride, size_t tokens,
                         float *y, size_t y_stride) {
  matmul_float_job job = {c->matmul->matmul_float[type], w, row_bytes, rows, cols,
                          x, x_stride, tokens, y, y_stride,
                          cut_product(c->pool, rows, row_bytes, tokens)};
  ck_pool_run(c->pool, parts_of(job.cut), matmul_float_part, &job);
}

// --- formats ---

typedef struct quantize_job {
  ck_quantize_q8_fn quantize;
  const float *x;
  size_t x_stride;
  const ck_q8 *out;
  cut cut;
} quantize_job;

static void quantize_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const quantize_job *job = context;
  const span tokens = part_of(job->cut, job->out->tokens, index);
  for (size_t t = tokens.begin; t < tokens.end; t++) {
    const ck_q8 row = q8_tokens(job->out, t, 1);
    job->quantize(job->x + t * job->x_stride, row.cols, row.q, row.scale, row.sum);
  }
}

void ck_par_quantize(const ck_context *c, const float *x, size_t x_stride, const ck_q8 *out) {
  quantize_job job = {c->matmul->quantize_q8, x, x_stride, out,
                      cut_evenly(out->tokens, ELEMENTS_PER_PART / larger(out->cols, 1))};
  ck_pool_run(c->pool, job.cut.parts, quantize_part, &job);
}

typedef struct quantize_wide_job {
  ck_quantize_q8_fn quantize;
  const float *x;
  size_t x_stride;
  const ck_q8 *out;
  float *rest;
  cut cut;
} quantize_wide_job;

// rest = x - scale * q, each operation rounded on its own: the same bits on every CPU.
static void leave_over(const float *x, const ck_q8 *row, float *rest) {
#pragma STDC FP_CONTRACT OFF
  for (size_t block = 0; block < row->cols / CK_Q8_BLOCK; block++) {
    const float scale = row->scale[block];
    for (size_t i = block * CK_Q8_BLOCK; i < (block + 1) * CK_Q8_BLOCK; i++) {
      const float rounded = scale * (float)row->q[i];
      rest[i] = x[i] - rounded;
    }
  }
}

static void quantize_wide_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const quantize_wide_job *job = context;
  const size_t n = job->out->tokens / 2;
  const span tokens = part_of(job->cut, n, index);
  for (size_t t = tokens.begin; t < tokens.end; t++) {
    const float *x = job->x + t * job->x_stride;
    float *rest = job->rest + t * job->out->cols;
    const ck_q8 high = q8_tokens(job->out, t, 1);
    const ck_q8 low = q8_tokens(job->out, n + t, 1);
    job->quantize(x, high.cols, high.q, high.scale, high.sum);
    leave_over(x, &high, rest);
    job->quantize(rest, low.cols, low.q, low.scale, low.sum);
  }
}

void ck_par_quantize_wide(const ck_context *c, const float *x, size_t x_stride, const ck_q8 *out,
                          float *rest) {
  quantize_wide_job job = {
    c->matmul->quantize_q8, x, x_stride, out, rest,
    cut_evenly(out->tokens / 2, ELEMENTS_PER_PART / larger(2 * out->cols, 1))};
  ck_pool_run(c->pool, job.cut.parts, quantize_wide_part, &job);
}

typedef struct dequantize_job {
  ck_dequantize_fn dequantize;
  const uint8_t *w;
  size_t row_bytes, rows, cols;
  float *out;
  cut cut;
} dequantize_job;

static void dequantize_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const dequantize_job *job = context;
  const span rows = part_of(job->cut, job->rows, index);
  for (size_t r = rows.begin; r < rows.end; r++)
    job->dequantize(job->w + r * job->row_bytes, job->cols, job->out + r * job->cols);
}

void ck_par_dequantize(const ck_context *c, ck_type type, const void *w, size_t row_bytes,
                       size_t rows, size_t cols, float *out) {
  dequantize_job job = {c->matmul->dequantize[type], w, row_bytes, rows, cols, out,
                        cut_evenly(rows, ELEMENTS_PER_PART / larger(cols, 1))};
  ck_pool_run(c->pool, job.cut.parts, dequantize_part, &job);
}

// --- element-wise steps ---

typedef struct norm_job {
  const ck_float_table *floats;
  const float *x;
  size_t x_stride;
  const float *weight;
  size_t n;
  float eps;
  size_t tokens;
  float *y;
  size_t y_stride;
  cut cut;
} norm_job;

static void norm_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const norm_job *job = context;
  const span tokens = part_of(job->cut, job->tokens, index);
  for (size_t t = tokens.begin; t < tokens.end; t++)
    job->floats->rms_norm(job->x + t * job->x_stride, job->weight, job->n, job->eps,
                          job->y + t * job->y_stride);
}

void ck_par_rms_norm(const ck_context *c, const float *x, size_t x_stride, const float *weight,
                     size_t n, float eps, size_t tokens, float *y, size_t y_stride) {
  norm_job job = {c->floats, x, x_stride, weight, n, eps, tokens, y, y_stride,
                  cut_evenly(tokens, ELEMENTS_PER_PART / larger(n, 1))};
  ck_pool_run(c->pool, job.cut.parts, norm_part, &job);
}

typedef struct gated_job {
  void (*activate)(const float *gate, const float *up, size_t n, float *out);
  float *gate;
  const float *up;
  size_t n;
  cut cut;
} gated_job;

static void gated_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const gated_job *job = context;
  const span values = part_of(job->cut, job->n, index);
  job->activate(job->gate + values.begin, job->up + values.begin, values.end - values.begin,
                job->gate + values.begin);
}

void ck_par_gated_activation(const ck_context *c, bool gelu, float *gate, const float *up,
                             size_t n) {
  gated_job job = {gelu ? c->floats->gelu_mul : c->floats->silu_mul, gate, up, n,
                   cut_evenly(n, ELEMENTS_PER_PART)};
  ck_pool_run(c->pool, job.cut.parts, gated_part, &job);
}
