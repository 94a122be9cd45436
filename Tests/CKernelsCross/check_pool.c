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
  float *q;
  uint16_t *k, *v;
} layer;

static void attend(const ck_context *c, const layer *l, size_t begin, size_t end, float *out) {
  const size_t row = HEADS * l->head_dim, tokens = end - begin;
  const size_t floats =
    ck_layer_attention_scratch(c->pool, HEADS, l->kv_heads, l->head_dim, tokens);
  float *scratch = reserve(floats, sizeof *scratch);
  ck_par_attention(c, &(ck_layer_attention){
    .q = l->q + begin * row, .q_stride = row, .k = l->k, .v = l->v, .capacity = CAPACITY,
    .heads = HEADS, .kv_heads = l->kv_heads, .head_dim = l->head_dim, .tokens = tokens,
    .position = l->position + begin, .window = l->window, .scale = 0.125f,
    .out = out + begin * row, .out_stride = row, .scratch = scratch,
  });
  free(scratch);
}

// Whole on one thread against every other way to put tokens into calls and parts on threads.
static void check_layer(const ck_float_table *floats, size_t kv_heads, size_t head_dim,
                        size_t position, size_t window) {
  generator g = {kv_heads * 7 + position + 1};
  const size_t cached = kv_heads * CAPACITY * head_dim, n = TOKENS * HEADS * head_dim;
  layer l = {kv_heads, head_dim, position, window, random_floats(&g, n, 2),
             reserve(cached, sizeof(uint16_t)), reserve(cached, sizeof(uint16_t))};
  for (size_t i = 0; i < cached; i++) {
    const float key = next_float(&g, 1), value = next_float(&g, 1);
    floats->to_f16(&key, 1, l.k + i);
    floats->to_f16(&value, 1, l.v + i);
  }
  float *expected = reserve(n, sizeof(float)), *actual = reserve(n, sizeof(float));
  for (size_t threads = 1; threads <= 3; threads++) {
    const ck_context c = {ck_pool_create(threads), NULL, floats};
    if (threads == 1) attend(&c, &l, 0, TOKENS, expected);
    for (size_t step = 1; step <= TOKENS; step = step * 3 + 1) {
      memset(actual, 0, n * sizeof(float));
      for (size_t t = 0; t < TOKENS; t += step)
        attend(&c, &l, t, t + step < TOKENS ? t + step : TOKENS, actual);
      CHECK(memcmp(expected, actual, n * sizeof(float)) == 0,
            "%s attention %zu kv heads at %zu window %zu: %zu threads, %zu tokens a call",
            ck_isa_name(floats->isa), kv_heads, position, window, threads, step);
    }
    ck_pool_destroy(c.pool);
  }
  free(l.q), free(l.k), free(l.v), free(expected), free(actual);
}

static void check_steps(const ck_context *c, size_t tokens, size_t n) {
  generator g = {tokens * 31 + n};
  float *x = random_floats(&g, tokens * n, 3), *weight = random_floats(&g, n, 2);
  float *a = reserve(tokens * n, sizeof *a), *b = reserve(tokens * n, sizeof *b);
  const size_t bytes = tokens * n * sizeof *a;
  const char *name = ck_isa_name(c->floats->isa);
  const size_t threads = ck_pool_threads(c->pool);
  for (size_t t = 0; t < tokens; t++)
    c->floats->rms_norm(x + t * n, weight, n, 1e-6f, a + t * n);
  ck_par_rms_norm(c, x, n, weight, n, 1e-6f, tokens, b, n);
  CHECK(memcmp(a, b, bytes) == 0, "%s rms_norm %zu x %zu, %zu threads", name, tokens, n, threads);
  for (int gelu = 0; gelu < 2; gelu++) {
    memcpy(a, x, bytes), memcpy(b, x, bytes);
    (gelu ? c->floats->gelu_mul : c->floats->silu_mul)(a, x, tokens * n, a);
    ck_par_gated_activation(c, gelu, b, x, tokens * n);
    CHECK(memcmp(a, b, bytes) == 0, "%s activation %zu x %zu, %zu threads", name, tokens, n,
          threads);
  }
  free(x), free(weight), free(a), free(b);
}

static void check_product(const ck_context *c, size_t tokens, size_t rows, size_t cols) {
  generator g = {tokens * 31 + rows};
  const size_t row_bytes = cols / 32 * 34;  // Q8_0: a float16 scale, 32 bytes
  uint8_t *w = reserve(rows, row_bytes);
  for (size_t i = 0; i < rows * row_bytes; i++)
    w[i] = i % 34 == 1 ? 0x2c : (uint8_t)(next_bits(&g) >> 56);
  float *x = random_floats(&g, tokens * cols, 1);
  ck_q8 q = {reserve(tokens * cols, 1), reserve(tokens * cols / 32, sizeof(float)),
             reserve(tokens * cols / 16, sizeof(int16_t)), tokens, cols};
  float *a = reserve(tokens * rows, sizeof *a), *b = reserve(tokens * rows, sizeof *b);
  ck_par_quantize(c, x, cols, &q);
  c->matmul->matmul[CK_Q8_0](w, row_bytes, rows, &q, a, rows);
  ck_par_matmul(c, CK_Q8_0, w, row_bytes, rows, &q, b, rows);
  CHECK(memcmp(a, b, tokens * rows * sizeof *a) == 0, "matmul %zu x %zu x %zu, %zu threads",
        tokens, rows, cols, ck_pool_threads(c->pool));

  float *dense = reserve(rows * cols, sizeof *dense);
  ck_par_dequantize(c, CK_Q8_0, w, row_bytes, rows, cols, dense);
  float *plain = reserve(rows * cols, sizeof *plain);
  c->matmul->dequantize[CK_Q8_0](w, rows * cols, plain);
  CHECK(memcmp(dense, plain, rows * cols * sizeof *dense) == 0, "dequantize %zu rows", rows);

  const size_t float_bytes = cols * sizeof(float);
  c->matmul->matmul_float[CK_F32](dense, float_bytes, rows, cols, x, cols, tokens, a, rows);
  ck_par_matmul_float(c, CK_F32, dense, float_bytes, rows, cols, x, cols, tokens, b, rows);
  CHECK(memcmp(a, b, tokens * rows * sizeof *a) == 0, "float matmul %zu x %zu x %zu, %zu threads",
        tokens, rows, cols, ck_pool_threads(c->pool));
  free(w), free(x), free(q.q), free(q.scale), free(q.sum), free(a), free(b), free(dense);
  free(plain);
}

void check_parallel(ck_isa isa) {
  const ck_float_table *floats = ck_float_table_for(isa);
  const ck_matmul_table *matmul = ck_matmul_table_for(isa);
  if (!floats || !matmul) return;
  check_layer(floats, 1, 32, 0, 0);
  check_layer(floats, 2, 64, 800, 0);
  check_layer(floats, 3, 20, 500, 300);
  check_layer(floats, 6, 16, 60, 64);
  for (size_t threads = 1; threads <= 3; threads++) {
    const ck_context c = {ck_pool_create(threads), matmul, floats};
    check_steps(&c, 1, 576);
    check_steps(&c, 37, 1000);
    check_product(&c, 1, 5, 64);
    check_product(&c, 1, 700, 128);
    check_product(&c, 70, 130, 64);
    ck_pool_destroy(c.pool);
  }
}
