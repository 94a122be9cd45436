// The pool runs every part exactly once, and parallel steps do not depend on it.
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "check.h"

enum { MAX_PARTS = 1000 };

typedef struct tally {
  atomic_uint runs[MAX_PARTS];
  atomic_uint busy[8];  // by worker
  atomic_uint clashes;
  size_t threads;
  unsigned plain[MAX_PARTS];  // not atomic: the pool must order it for the caller
} tally;

static void count_part(void *context, size_t index, size_t worker) {
  tally *t = context;
  if (worker >= t->threads || atomic_fetch_add(&t->busy[worker], 1) != 0)
    atomic_fetch_add(&t->clashes, 1);
  atomic_fetch_add(&t->runs[index], 1);
  t->plain[index]++;
  atomic_fetch_sub(&t->busy[worker], 1);
}

static void check_jobs(ck_pool *pool, size_t jobs, size_t parts) {
  tally *t = reserve(1, sizeof *t);
  t->threads = ck_pool_threads(pool);
  for (size_t i = 0; i < jobs; i++) ck_pool_run(pool, parts, count_part, t);
  size_t wrong = 0;
  for (size_t i = 0; i < MAX_PARTS; i++) {
    const unsigned expected = i < parts ? (unsigned)jobs : 0;
    wrong += t->runs[i] != expected || t->plain[i] != expected;
  }
  CHECK(wrong == 0, "%zu of %zu parts ran a wrong number of times", wrong, parts);
  CHECK(t->clashes == 0, "two parts ran as one worker");
  free(t);
}

void check_pool(void) {
  CHECK(ck_pool_create(0) == NULL, "no threads");
  CHECK(ck_pool_create(CK_POOL_MAX_THREADS + 1) == NULL, "too many threads");
  ck_pool_destroy(NULL);
  for (size_t threads = 1; threads <= 5; threads++) {
    ck_pool *pool = ck_pool_create(threads);
    CHECK(pool && ck_pool_threads(pool) == threads, "%zu threads", threads);
    if (!pool) continue;
    check_jobs(pool, 1, 0);
    check_jobs(pool, 300, 1);
    check_jobs(pool, 300, 2);
    check_jobs(pool, 100, threads + 1);
    check_jobs(pool, 3, MAX_PARTS);
    // Long enough for the workers to sleep between jobs.
    for (int i = 0; i < 10; i++) {
      nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
      check_jobs(pool, 1, 7);
    }
    ck_pool_destroy(pool);
  }
  for (int i = 0; i < 50; i++) ck_pool_destroy(ck_pool_create(3));
}

// --- parallel steps ---

enum { HEADS = 6, TOKENS = 20, CAPACITY = 900 };

typedef struct layer {
  size_t kv_heads, head_dim, position, window;
  bool tiles;
  ck_kv_type kv;
  float *q;
  void *k, *v;
} layer;

static void attend(const ck_context *c, const layer *l, size_t begin, size_t end, float *out) {
  const size_t row = HEADS * l->head_dim, tokens = end - begin;
  ck_layer_attention args = {
    .q = l->q + begin * row, .q_stride = row, .kv = l->kv, .k = l->k, .v = l->v,
    .capacity = CAPACITY, .heads = HEADS, .kv_heads = l->kv_heads, .head_dim = l->head_dim, .tokens = tokens,
    .position = l->position + begin, .window = l->window, .scale = 0.125f,
    .tiles = l->tiles, .out = out + begin * row, .out_stride = row,
  };
  args.scratch = reserve(ck_layer_attention_scratch(c, &args), sizeof(float));
  ck_par_attention(c, &args);
  free(args.scratch);
}

// Whole on one thread against every other way to put tokens into calls and parts on threads.
static void check_layer(const ck_float_table *floats, const ck_matmul_table *matmul, bool tiles,
                        ck_kv_type kv, size_t kv_heads, size_t head_dim, size_t position,
                        size_t window) {
  generator g = {kv_heads * 7 + position + 1};
  const size_t cached = kv_heads * CAPACITY * head_dim, n = TOKENS * HEADS * head_dim;
  layer l = {kv_heads, head_dim, position, window, tiles, kv, random_floats(&g, n, 2), NULL, NULL};
  l.k = random_cached(&g, kv, cached, 1);
  l.v = random_cached(&g, kv, cached, 1);
  float *expected = reserve(n, sizeof(float)), *actual = reserve(n, sizeof(float));
  for (size_t threads = 1; threads <= 3; threads++) {
    const ck_context c = {ck_pool_create(threads), matmul, floats};
    if (threads == 1) attend(&c, &l, 0, TOKENS, expected);
    for (size_t step = 1; step <= TOKENS; step = step * 3 + 1) {
      memset(actual, 0, n * sizeof(float));
      for (size_t t = 0; t < TOKENS; t += step)
        attend(&c, &l, t, t + step < TOKENS ? t + step : TOKENS, actual);
      CHECK(memcmp(expected, actual, n * sizeof(float)) == 0,
            "%s attention, tiles %d, kv %d, %zu kv heads at %zu window %zu: %zu threads, %zu tokens",
            ck_isa_name(floats->isa), tiles, kv, kv_heads, position, window, threads, step);
    }
    ck_pool_destroy(c.pool);
  }
  free(l.q), free(l.k), free(l.v), free(expected), free(actual);
}

// Keys and values lie where their head and position say, float32 as they came; the rest of the cache
// stays as it was.
static void check_heads(const ck_context *c, ck_kv_type kv) {
  enum { KV_HEADS = 3, DIM = 20, STEPS = 5, ROOM = 9, AT = 2, N = KV_HEADS * DIM };
  generator g = {77};
  const size_t element = ck_kv_bytes(kv), bytes = KV_HEADS * ROOM * DIM * element;
  float *q = random_floats(&g, STEPS * N, 1);
  float *rows[2] = {random_floats(&g, STEPS * N, 3), random_floats(&g, STEPS * N, 3)};
  char *cache[2] = {reserve(1, bytes), reserve(1, bytes)}, *expected = reserve(1, bytes);
  const float angle[STEPS + AT] = {0};
  ck_par_heads(c, &(ck_heads_step){
    .q = q, .q_stride = N, .k = rows[0], .v = rows[1], .kv_stride = N, .heads = KV_HEADS,
    .kv_heads = KV_HEADS, .head_dim = DIM, .tokens = STEPS, .position = AT, .cosine = angle,
    .sine = angle, .pairs = 0, .kv = kv, .k_cache = cache[0], .v_cache = cache[1],
    .capacity = ROOM});
  for (size_t i = 0; i < 2; i++) {
    memset(expected, 0, bytes);
    for (size_t t = 0; t < STEPS; t++)
      for (size_t h = 0; h < KV_HEADS; h++) {
        const float *row = rows[i] + t * N + h * DIM;
        char *at = expected + (h * ROOM + AT + t) * DIM * element;
        if (kv == CK_KV_F32)
          memcpy(at, row, DIM * element);
        else
          ck_float_table_for(CK_ISA_SCALAR)->to_f16(row, DIM, (uint16_t *)at);
      }
    CHECK(memcmp(cache[i], expected, bytes) == 0, "kv %d stored, %s", kv, i ? "values" : "keys");
  }
  free(q), free(rows[0]), free(rows[1]), free(cache[0]), free(cache[1]), free(expected);
}

// Activations of one form, all of them in memory of their own.
static ck_activations activations(ck_form form, size_t tokens, size_t cols) {
  const size_t rows = form == CK_FORM_WIDE ? 2 * tokens : tokens;
  const size_t tiles = (tokens + CK_TILE_TOKENS - 1) / CK_TILE_TOKENS * CK_TILE_TOKENS;
  return (ck_activations){
    .form = form, .tokens = tokens, .cols = cols,
    .floats = reserve(tokens * cols, sizeof(float)),
    .q8 = {reserve(rows * cols, 1), reserve(rows * cols / 32, sizeof(float)),
           reserve(rows * cols / 16, sizeof(int16_t)), tokens, cols, cols, rows - tokens},
    .tiles = {reserve(tiles * cols, sizeof(uint16_t)), tokens, cols},
  };
}

static void release(ck_activations *a) {
  free(a->floats), free(a->q8.q), free(a->q8.scale), free(a->q8.sum), free(a->tiles.values);
}

// Of eight blocks, one of magnitude `large` and the others of 1, which get a second byte: squares of 4
// are above 2 * (4 + 7) / 8 = 2.75, those of 1.4 (1.96) are below 2 * (1.96 + 7) / 8 = 2.24.
static void check_second_bytes(const ck_context *c, float large, bool expected) {
  enum { BLOCKS = 8, COLS = BLOCKS * 32, LARGE = 3 };
  float x[COLS];
  for (size_t k = 0; k < COLS; k++)
    x[k] = (k / 32 == LARGE ? large : 1) * (1 - 0.013f * (float)(k % 32));
  ck_activations out = activations(CK_FORM_WIDE, 1, COLS);
  ck_par_pack(c, &(ck_pack){.x = x, .x_stride = COLS, .out = &out});
  const ck_q8 low = ck_q8_rows(&out.q8, 1, 1);
  for (size_t b = 0; b < BLOCKS; b++)
    CHECK((low.scale[b] != 0) == (b == LARGE && expected), "block %zu of %g", b, (double)large);
  release(&out);
}

// x += norm(delta + bias), then norm, then the gate: against the kernels one by one.
static void check_steps(const ck_context *c, size_t tokens, size_t n) {
  generator g = {tokens * 31 + n};
  const size_t bytes = tokens * n * sizeof(float), threads = ck_pool_threads(c->pool);
  float *x = random_floats(&g, tokens * n, 3), *delta = random_floats(&g, tokens * n, 3);
  float *weight = random_floats(&g, n, 2), *bias = random_floats(&g, n, 1);
  float *a = reserve(tokens * n, sizeof *a), *sum = reserve(tokens * n, sizeof *a);
  float *scratch = reserve(ck_rows_scratch(c->pool, n), sizeof *scratch);
  for (size_t t = 0; t < tokens; t++) {
    float *row = sum + t * n;
    memcpy(row, delta + t * n, n * sizeof *row);
    c->floats->add(bias, n, row);
    c->floats->rms_norm(row, weight, n, 1e-6f, row);
    float *total = reserve(n, sizeof *total);
    memcpy(total, x + t * n, n * sizeof *total);
    c->floats->add(row, n, total);
    memcpy(row, total, n * sizeof *row);
    c->floats->rms_norm(row, weight, n, 1e-6f, a + t * n);
    free(total);
  }
  ck_activations out = activations(CK_FORM_FLOAT, tokens, n);
  ck_par_norm(c, &(ck_norm){.x = x, .x_stride = n, .delta = delta, .delta_stride = n,
                            .delta_bias = bias, .delta_weight = weight, .weight = weight,
                            .eps = 1e-6f, .tokens = tokens, .cols = n, .out = &out,
                            .scratch = scratch});
  CHECK(memcmp(sum, x, bytes) == 0, "sum %zu x %zu, %zu threads", tokens, n, threads);
  CHECK(memcmp(a, out.floats, bytes) == 0, "norm %zu x %zu, %zu threads", tokens, n, threads);
  for (int gelu = 0; gelu < 2; gelu++) {
    (gelu ? c->floats->gelu_mul : c->floats->silu_mul)(x, delta, tokens * n, a);
    ck_par_gate(c, &(ck_gate){gelu, x, delta, n, &out, scratch});
    CHECK(memcmp(a, out.floats, bytes) == 0, "gate %zu x %zu, %zu threads", tokens, n, threads);
  }
  release(&out);
  free(x), free(delta), free(weight), free(bias), free(a), free(sum), free(scratch);
}

// Q8_0 rows with ordinary scales, as they are and interleaved.
static uint8_t *q8_0_rows(generator *g, size_t rows, size_t cols, uint8_t **interleaved) {
  const size_t row_bytes = cols / 32 * 34;  // a float16 scale, 32 bytes
  uint8_t *w = reserve(rows, row_bytes);
  for (size_t i = 0; i < rows * row_bytes; i++)
    w[i] = i % 34 == 1 ? 0x2c : (uint8_t)(next_bits(g) >> 56);
  *interleaved = reserve(rows, row_bytes);
  return w;
}

static void check_product(const ck_context *c, size_t tokens, size_t rows, size_t cols) {
  generator g = {tokens * 31 + rows};
  const size_t row_bytes = cols / 32 * 34, threads = ck_pool_threads(c->pool);
  uint8_t *turned, *w = q8_0_rows(&g, rows, cols, &turned);
  const ck_weights plain = {CK_Q8_0, w, row_bytes, rows, false};
  const ck_weights groups = {CK_Q8_0, turned, row_bytes, rows, true};
  ck_par_interleave(c->pool, &plain, turned);
  float *x = random_floats(&g, tokens * cols, 1);
  float *scratch = reserve(ck_rows_scratch(c->pool, cols), sizeof *scratch);
  float *a = reserve(tokens * rows, sizeof *a), *b = reserve(2 * tokens * rows, sizeof *b);
  const size_t bytes = tokens * rows * sizeof *a;
  for (int wide = 0; wide < 2; wide++) {
    ck_activations q = activations(wide ? CK_FORM_WIDE : CK_FORM_Q8, tokens, cols);
    ck_par_pack(c, &(ck_pack){x, cols, &q});
    ck_matmul_table_for(CK_ISA_SCALAR)->matmul[CK_Q8_0](w, row_bytes, rows, &q.q8, a, rows);
    const ck_product products[3] = {
        {plain, b, rows}, {groups, b + tokens * rows, rows}, {groups, b, rows}};
    ck_par_products(c, products, 2, &q.q8);
    CHECK(memcmp(a, b, bytes) == 0, "product %zu x %zu x %zu, wide %d, %zu threads", tokens, rows,
          cols, wide, threads);
    CHECK(memcmp(a, b + tokens * rows, bytes) == 0, "interleaved %zu x %zu x %zu, wide %d",
          tokens, rows, cols, wide);
    release(&q);
  }

  float *dense = reserve(rows * cols, sizeof *dense), *row = reserve(cols, sizeof *row);
  c->matmul->dequantize[CK_Q8_0](w, rows * cols, dense);
  for (size_t r = 0; r < rows; r++) {
    ck_dequantize_row(c->matmul, &groups, r, cols, scratch, row);
    CHECK(memcmp(row, dense + r * cols, cols * sizeof *row) == 0, "row %zu of %zu", r, rows);
  }
  c->matmul->matmul_float[CK_F32](dense, cols * sizeof(float), rows, cols, x, cols, tokens, a, rows);
  const ck_product product = {{CK_F32, dense, cols * sizeof(float), rows, false}, b, rows};
  ck_par_float_products(c, &product, 1, cols, x, cols, tokens);
  CHECK(memcmp(a, b, bytes) == 0, "float product %zu x %zu x %zu, %zu threads", tokens, rows, cols,
        threads);
  free(w), free(turned), free(x), free(scratch), free(a), free(b), free(dense), free(row);
}

// Tiles: plain and interleaved rows, rows longer than a panel, the gated pair.
static void check_tiled(const ck_context *c, size_t tokens, size_t rows, size_t cols) {
  generator g = {tokens + rows * 31};
  const size_t row_bytes = cols / 32 * 34, steps = cols / CK_TILE_STEP;
  const size_t threads = ck_pool_threads(c->pool), bytes = tokens * rows * sizeof(float);
  uint8_t *turned, *w = q8_0_rows(&g, rows, cols, &turned);
  const ck_weights plain = {CK_Q8_0, w, row_bytes, rows, false};
  const ck_weights groups = {CK_Q8_0, turned, row_bytes, rows, true};
  ck_par_interleave(c->pool, &plain, turned);
  float *x = random_floats(&g, tokens * cols, 1);
  uint16_t *panels = reserve(ck_tile_scratch(c->pool, cols, row_bytes), sizeof *panels);
  ck_activations in = activations(CK_FORM_TILES, tokens, cols);
  ck_par_pack(c, &(ck_pack){x, cols, &in});

  uint16_t *wide = reserve(rows * cols, sizeof *wide);
  for (size_t r = 0; r < rows; r += CK_GROUP_ROWS)
    ck_tile_table_scalar.expand[CK_Q8_0](turned + r * row_bytes, 0, steps, wide + r * cols);
  float *a = reserve(tokens * rows, sizeof *a), *b = reserve(2 * tokens * rows, sizeof *b);
  ck_tile_table_scalar.multiply(&(ck_tile_product){
    wide, rows / CK_GROUP_ROWS, steps, in.tiles.values, tokens, steps, steps, false, a, rows});
  const ck_product products[2] = {{plain, b, rows}, {groups, b + tokens * rows, rows}};
  ck_par_tile_products(c, products, 2, &in.tiles, panels);
  CHECK(memcmp(a, b, bytes) == 0, "tiles %zu x %zu x %zu, %zu threads", tokens, rows, cols, threads);
  CHECK(memcmp(a, b + tokens * rows, bytes) == 0, "interleaved tiles %zu x %zu x %zu", tokens, rows,
        cols);

  if (rows % CK_TILE_STEP == 0) {
    ck_activations out = activations(CK_FORM_TILES, tokens, rows);
    ck_activations expected = activations(CK_FORM_TILES, tokens, rows);
    ck_par_tile_gated(c, &(ck_gated_product){groups, plain, true, &in.tiles, &out.tiles}, panels);
    c->floats->gelu_mul(a, a, tokens * rows, b);
    for (size_t t = 0; t < tokens; t++)
      c->matmul->tiles->pack(b + t * rows, rows, t % CK_TILE_TOKENS,
                             expected.tiles.values + t / CK_TILE_TOKENS * CK_TILE_TOKENS * rows);
    const size_t whole = (tokens + 15) / 16 * 16 * rows * sizeof(uint16_t);
    CHECK(memcmp(out.tiles.values, expected.tiles.values, whole) == 0,
          "gated tiles %zu x %zu x %zu, %zu threads", tokens, rows, cols, threads);
    release(&out), release(&expected);
  }
  release(&in);
  free(w), free(turned), free(x), free(panels), free(wide), free(a), free(b);
}

void check_parallel(ck_isa isa) {
  const ck_float_table *floats = ck_float_table_for(isa);
  const ck_matmul_table *matmul = ck_matmul_table_for(isa);
  if (!floats || !matmul) return;
  for (int way = 0; way < (matmul->tiles ? 3 : 2); way++) {
    const bool tiles = way == 2;
    const ck_kv_type kv = way == 1 ? CK_KV_F32 : CK_KV_F16;
    check_layer(floats, matmul, tiles, kv, 1, 32, 0, 0);
    check_layer(floats, matmul, tiles, kv, 2, 64, 800, 0);
    check_layer(floats, matmul, tiles, kv, 3, 20, 500, 300);
    check_layer(floats, matmul, tiles, kv, 6, 16, 60, 64);
  }
  for (size_t threads = 1; threads <= 3; threads++) {
    const ck_context c = {ck_pool_create(threads), matmul, floats};
    check_heads(&c, CK_KV_F16);
    check_heads(&c, CK_KV_F32);
    check_steps(&c, 1, 576);
    check_steps(&c, 37, 1000);
    check_second_bytes(&c, 100, true);
    check_second_bytes(&c, 2, true);
    check_second_bytes(&c, 1.4f, false);
    check_product(&c, 1, 5, 64);
    check_product(&c, 1, 700, 128);
    check_product(&c, 70, 130, 64);
    if (matmul->tiles) {
      check_tiled(&c, 5, 48, 64);
      check_tiled(&c, 70, 192, 2080);
      check_tiled(&c, 33, 96, 1056);
    }
    ck_pool_destroy(c.pool);
  }
}
