// Matrix products over the pool, several of one input in one go.
#include <string.h>

#include "ck_cut.h"
#include "ck_parallel.h"

// Bytes of weights in one part: enough to outlast the hand-over, few enough to stay in the second
// level cache while a prefill chunk's tokens pass over them.
enum { WEIGHT_BYTES_PER_PART = 64 * 1024 };

// The same where one token passes over them once: memory delivers long streams faster.
enum { WEIGHT_BYTES_PER_STREAM = 1024 * 1024 };

// Tokens that pass over a part's weights together; their activations share the cache with them.
enum { TOKEN_TILE = 32 };

// Parts of a product for each thread: a late thread delays the join by one part at most.
enum { PARTS_PER_THREAD = 4 };

// Several products, their rows cut into parts one product after the other, and tokens cut where
// the rows are too few.
typedef struct products_job {
  const ck_context *c;
  const ck_product *products;
  size_t count;
  cut rows[CK_PRODUCTS_MAX];
  cut tokens;
  size_t row_parts;  // of all products
  const ck_q8 *x;
  const float *floats;  // [tokens, cols], rows floats_stride apart, for float weights
  size_t floats_stride, cols, token_count;
  const ck_tiles *tiles;
  uint16_t *panels;  // [threads, panel_values]
  size_t panel_values;
} products_job;

// A part's product and rows; `index` counts row parts.
static const ck_product *find_rows(const products_job *job, size_t index, span *rows) {
  size_t i = 0;
  while (index >= job->rows[i].parts) index -= job->rows[i++].parts;
  *rows = part_of(job->rows[i], job->products[i].w.rows, index);
  return &job->products[i];
}

// Cuts all rows into about `rows` a part and tokens into as many tiles as keep all threads busy.
static void cut_job(products_job *job, size_t tokens, size_t rows) {
  const size_t wanted = PARTS_PER_THREAD * ck_pool_threads(job->c->pool);
  job->token_count = tokens;
  job->row_parts = 0;
  for (size_t i = 0; i < job->count; i++) {
    job->rows[i] = cut_evenly(job->products[i].w.rows, rows);
    job->row_parts += job->rows[i].parts;
  }
  const size_t tiles = ceiling(tokens, TOKEN_TILE);
  const size_t cuts = smaller(ceiling(wanted, larger(job->row_parts, 1)), tiles);
  job->tokens = cut_evenly(tokens, ceiling(tiles, larger(cuts, 1)) * TOKEN_TILE);
}

static size_t all_rows(const products_job *job) {
  size_t rows = 0;
  for (size_t i = 0; i < job->count; i++) rows += job->products[i].w.rows;
  return rows;
}

// About as many bytes of weights in a part as is best, but several parts a thread where there is
// enough to do; whole groups of rows, and pairs of them where kernels take two.
static size_t rows_per_part(const products_job *job, size_t tokens) {
  const size_t wanted = PARTS_PER_THREAD * ck_pool_threads(job->c->pool);
  const size_t bytes = tokens == 1 ? WEIGHT_BYTES_PER_STREAM : WEIGHT_BYTES_PER_PART;
  const size_t cached = bytes / larger(job->products[0].w.row_bytes, 1);
  const size_t rows = smaller(cached, all_rows(job) / wanted);
  const size_t together = tokens > 2 ? 2 * CK_GROUP_ROWS : CK_GROUP_ROWS;
  return larger(rows / together, 1) * together;
}

static void run(products_job *job, ck_pool_fn part) {
  ck_pool_run(job->c->pool, job->row_parts * job->tokens.parts, part, job);
}

// --- quantised weights ---

// Writes rows.begin ..< rows.end of the product from y on.
static void multiply_rows(const ck_matmul_table *t, const ck_weights *w, span rows, const ck_q8 *x,
                          float *y, size_t y_stride) {
  const uint8_t *data = w->data;
  // Rows after the last whole group are not interleaved.
  const size_t grouped = w->interleaved ? w->rows / CK_GROUP_ROWS * CK_GROUP_ROWS : 0;
  const size_t middle = smaller(larger(grouped, rows.begin), rows.end);
  if (middle > rows.begin)
    t->matmul_groups[w->type](data + rows.begin * w->row_bytes, w->row_bytes, middle - rows.begin,
                              x, y, y_stride);
  if (rows.end > middle)
    t->matmul[w->type](data + middle * w->row_bytes, w->row_bytes, rows.end - middle, x,
                       y + (middle - rows.begin), y_stride);
}

static void q8_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const products_job *job = context;
  span rows;
  const ck_product *p = find_rows(job, index % job->row_parts, &rows);
  const span tokens = part_of(job->tokens, job->token_count, index / job->row_parts);
  for (size_t t = tokens.begin; t < tokens.end; t += TOKEN_TILE) {
    const ck_q8 tile = ck_q8_rows(job->x, t, smaller(TOKEN_TILE, tokens.end - t));
    multiply_rows(job->c->matmul, &p->w, rows, &tile, p->y + t * p->y_stride + rows.begin,
                  p->y_stride);
  }
}

void ck_par_products(const ck_context *c, const ck_product *products, size_t count,
                     const ck_q8 *x) {
  products_job job = {.c = c, .products = products, .count = count, .x = x};
  cut_job(&job, x->tokens, rows_per_part(&job, x->tokens));
  run(&job, q8_part);
}

// --- float weights ---

static void float_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const products_job *job = context;
  span rows;
  const ck_product *p = find_rows(job, index % job->row_parts, &rows);
  const span tokens = part_of(job->tokens, job->token_count, index / job->row_parts);
  const uint8_t *w = (const uint8_t *)p->w.data + rows.begin * p->w.row_bytes;
  for (size_t t = tokens.begin; t < tokens.end; t += TOKEN_TILE)
    job->c->matmul->matmul_float[p->w.type](
        w, p->w.row_bytes, rows.end - rows.begin, job->cols, job->floats + t * job->floats_stride,
        job->floats_stride, smaller(TOKEN_TILE, tokens.end - t),
        p->y + t * p->y_stride + rows.begin, p->y_stride);
}

void ck_par_float_products(const ck_context *c, const ck_product *products, size_t count,
                           size_t cols, const float *x, size_t x_stride, size_t tokens) {
  products_job job = {.c = c, .products = products, .count = count, .floats = x,
                      .floats_stride = x_stride, .cols = cols};
  cut_job(&job, tokens, rows_per_part(&job, tokens));
  run(&job, float_part);
}

// --- tiles ---

// A worker's panel: expanded weights that stay in its second level cache while all tokens pass
// over them, and one group of rows on its way there when the weights are not interleaved.
enum {
  PANEL_ROWS_MAX = 128,
  PANEL_STEPS = 32,   // of 32 values: longer rows are summed in several passes
  STEPS_PER_CHUNK = 8,
  PANEL_VALUES = PANEL_ROWS_MAX / CK_GROUP_ROWS * PANEL_STEPS * CK_TILE_VALUES,
  GATED_ROWS = 64,    // of each of two matrices
};

static size_t group_values(size_t row_bytes) {
  return ceiling(CK_GROUP_ROWS * row_bytes, 64) * 64 / sizeof(uint16_t);
}

// Two matrices' panels of whole rows are the larger ones.
static size_t worker_values(size_t cols, size_t row_bytes) {
  return larger(PANEL_VALUES, 2 * GATED_ROWS * cols) + group_values(row_bytes);
}

size_t ck_tile_scratch(const ck_pool *pool, size_t cols, size_t row_bytes) {
  return ck_pool_threads(pool) * worker_values(cols, row_bytes);
}

static size_t longest_row(const ck_product *products, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes = larger(bytes, products[i].w.row_bytes);
  return bytes;
}

// Expands rows, steps first ..< first + steps of each, into [groups, stride] tiles of a panel.
static void expand_rows(const products_job *job, const ck_weights *w, span rows, size_t first,
                        size_t steps, size_t stride, uint16_t *panel, void *turned) {
  for (size_t r = rows.begin; r < rows.end; r += CK_GROUP_ROWS, panel += stride * CK_TILE_VALUES) {
    const void *group = (const uint8_t *)w->data + r * w->row_bytes;
    if (!w->interleaved) {
      ck_interleave(w->type, group, w->row_bytes, turned);
      group = turned;
    }
    job->c->matmul->tiles->expand[w->type](group, first / STEPS_PER_CHUNK, steps, panel);
  }
}

static const uint16_t *token_tiles(const ck_tiles *x, size_t token) {
  return x->values + token / CK_TILE_TOKENS * CK_TILE_TOKENS * x->cols;
}

static void tile_part(void *context, size_t index, size_t worker) {
  const products_job *job = context;
  const ck_tile_table *t = job->c->matmul->tiles;
  span rows;
  const ck_product *p = find_rows(job, index % job->row_parts, &rows);
  const span tokens = part_of(job->tokens, job->token_count, index / job->row_parts);
  uint16_t *panel = job->panels + worker * job->panel_values;
  const size_t all = job->tiles->cols / CK_TILE_STEP;
  t->begin();
  for (size_t first = 0; first < all; first += PANEL_STEPS) {
    const size_t steps = smaller(PANEL_STEPS, all - first);
    expand_rows(job, &p->w, rows, first, steps, PANEL_STEPS, panel,
                panel + job->panel_values - group_values(p->w.row_bytes));
    t->multiply(&(ck_tile_product){
      .w = panel, .groups = (rows.end - rows.begin) / CK_GROUP_ROWS, .w_stride = PANEL_STEPS,
      .x = token_tiles(job->tiles, tokens.begin) + first * CK_TILE_VALUES,
      .tokens = tokens.end - tokens.begin, .x_stride = all, .steps = steps, .add = first > 0,
      .y = p->y + tokens.begin * p->y_stride + rows.begin, .y_stride = p->y_stride});
  }
  t->end();
}

void ck_par_tile_products(const ck_context *c, const ck_product *products, size_t count,
                          const ck_tiles *x, uint16_t *scratch) {
  products_job job = {.c = c, .products = products, .count = count, .tiles = x, .panels = scratch,
                      .panel_values = worker_values(x->cols, longest_row(products, count))};
  const size_t wanted = PARTS_PER_THREAD * ck_pool_threads(c->pool);
  const size_t pair = 2 * CK_GROUP_ROWS;
  const size_t share = larger(all_rows(&job) / wanted / pair, 1) * pair;
  cut_job(&job, x->tokens, smaller(share, PANEL_ROWS_MAX));
  run(&job, tile_part);
}

typedef struct gated_job {
  products_job job;  // gate, then up
  const ck_gated_product *step;
} gated_job;

// One pair of token tiles: both products in the first level cache, then out = act(gate) * up.
static void gate_tokens(const gated_job *gated, span rows, span tokens, const uint16_t *panel,
                        size_t panel_values) {
  const products_job *job = &gated->job;
  const size_t n = rows.end - rows.begin, steps = job->tiles->cols / CK_TILE_STEP;
  const ck_tiles *out = gated->step->out;
  const ck_float_table *f = job->c->floats;
  float sums[2][TOKEN_TILE * GATED_ROWS];
  for (size_t i = 0; i < 2; i++)
    job->c->matmul->tiles->multiply(&(ck_tile_product){
      .w = panel + i * panel_values, .groups = n / CK_GROUP_ROWS, .w_stride = steps,
      .x = token_tiles(job->tiles, tokens.begin), .tokens = tokens.end - tokens.begin,
      .x_stride = steps, .steps = steps, .y = sums[i], .y_stride = n});
  for (size_t t = tokens.begin; t < tokens.end; t++) {
    float *gate = sums[0] + (t - tokens.begin) * n, *up = sums[1] + (t - tokens.begin) * n;
    (gated->step->gelu ? f->gelu_mul : f->silu_mul)(gate, up, n, gate);
    uint16_t *tiles = (uint16_t *)token_tiles(out, t) + rows.begin * CK_TILE_TOKENS;
    job->c->matmul->tiles->pack(gate, n, t % CK_TILE_TOKENS, tiles);
  }
}

static void gated_part(void *context, size_t index, size_t worker) {
  const gated_job *gated = context;
  const products_job *job = &gated->job;
  const span rows = part_of(job->rows[0], job->products[0].w.rows, index % job->row_parts);
  const span tokens = part_of(job->tokens, job->token_count, index / job->row_parts);
  const size_t steps = job->tiles->cols / CK_TILE_STEP;
  const size_t values = GATED_ROWS * job->tiles->cols;
  uint16_t *panel = job->panels + worker * job->panel_values;
  job->c->matmul->tiles->begin();
  for (size_t i = 0; i < 2; i++)
    expand_rows(job, &job->products[i].w, rows, 0, steps, steps, panel + i * values,
                panel + 2 * values);
  for (size_t t = tokens.begin; t < tokens.end; t += TOKEN_TILE)
    gate_tokens(gated, rows, (span){t, smaller(t + TOKEN_TILE, tokens.end)}, panel, values);
  job->c->matmul->tiles->end();
}

void ck_par_tile_gated(const ck_context *c, const ck_gated_product *step, uint16_t *scratch) {
  const ck_product products[2] = {{.w = step->gate}, {.w = step->up}};
  gated_job gated = {
    .job = {.c = c, .products = products, .count = 1, .tiles = step->x, .panels = scratch,
            .panel_values = worker_values(step->x->cols, longest_row(products, 2))},
    .step = step};
  const size_t wanted = PARTS_PER_THREAD * ck_pool_threads(c->pool);
  const size_t share = larger(step->gate.rows / wanted / CK_TILE_STEP, 1) * CK_TILE_STEP;
  cut_job(&gated.job, step->x->tokens, smaller(share, GATED_ROWS));
  ck_pool_run(c->pool, gated.job.row_parts * gated.job.tokens.parts, gated_part, &gated);
}
