// The steps between products, cut along tokens: each leaves its rows in the form that the next
// product takes them in.
#include <string.h>

#include "ck_cut.h"
#include "ck_parallel.h"

size_t ck_rows_scratch(const ck_pool *pool, size_t cols) {
  return ck_pool_threads(pool) * cols;
}

// --- the form of activations ---

// A block makes do with one byte where the square of its scale is at most this many times the mean of
// those of its row. A few blocks hold nearly all of a row's rounding errors: those of the channels
// with very large activations that every transformer has.
#define ONE_BYTE_SCALE_SQUARED 2.0f

// Scales up to the square root of this make do with one byte.
static float one_byte_limit(const ck_q8 *high) {
#pragma STDC FP_CONTRACT OFF
  const size_t blocks = high->cols / CK_Q8_BLOCK;
  float squares = 0;
  for (size_t b = 0; b < blocks; b++) squares += high->scale[b] * high->scale[b];
  return squares / (float)blocks * ONE_BYTE_SCALE_SQUARED;
}

// Quantises what block b of x is more than its first bytes say, each operation rounded on its own: the
// same bits on every CPU.
static void store_rest(const ck_context *c, const float *x, const ck_q8 *high, const ck_q8 *low,
                       size_t b) {
#pragma STDC FP_CONTRACT OFF
  const size_t at = b * CK_Q8_BLOCK;
  float rest[CK_Q8_BLOCK];
  for (size_t i = 0; i < CK_Q8_BLOCK; i++) {
    const float rounded = high->scale[b] * (float)high->q[at + i];
    rest[i] = x[at + i] - rounded;
  }
  c->matmul->quantize_q8(rest, CK_Q8_BLOCK, low->q + at, low->scale + b, low->sum + 2 * b);
}

// Two bytes a value in the blocks that need them.
static void store_wide(const ck_context *c, const float *x, const ck_q8 *high, const ck_q8 *low) {
#pragma STDC FP_CONTRACT OFF
  const size_t blocks = high->cols / CK_Q8_BLOCK;
  c->matmul->quantize_q8(x, high->cols, high->q, high->scale, high->sum);
  memset(low->q, 0, low->cols);
  memset(low->scale, 0, blocks * sizeof *low->scale);
  memset(low->sum, 0, 2 * blocks * sizeof *low->sum);
  const float limit = one_byte_limit(high);
  for (size_t b = 0; b < blocks; b++) {
    // Of scales that are not numbers too.
    if (!(high->scale[b] * high->scale[b] <= limit)) store_rest(c, x, high, low, b);
  }
}

static void store_row(const ck_context *c, const ck_activations *out, size_t t, const float *x) {
  const size_t cols = out->cols;
  switch (out->form) {
    case CK_FORM_FLOAT:
      memcpy(out->floats + t * cols, x, cols * sizeof *x);
      break;
    case CK_FORM_Q8: {
      const ck_q8 row = ck_q8_rows(&out->q8, t, 1);
      c->matmul->quantize_q8(x, cols, row.q, row.scale, row.sum);
      break;
    }
    case CK_FORM_WIDE: {
      const ck_q8 high = ck_q8_rows(&out->q8, t, 1);
      const ck_q8 low = ck_q8_rows(&out->q8, t + out->q8.rest, 1);
      store_wide(c, x, &high, &low);
      break;
    }
    case CK_FORM_TILES:
      c->matmul->tiles->pack(x, cols, t % CK_TILE_TOKENS,
                             out->tiles.values + t / CK_TILE_TOKENS * CK_TILE_TOKENS * cols);
      break;
  }
}

// Calls `row` for every token, several tokens a part.
typedef struct rows_job {
  const ck_context *c;
  const void *step;
  float *scratch;  // [threads, cols]
  size_t cols, tokens;
  void (*row)(const struct rows_job *job, size_t t, float *scratch);
  cut cut;
} rows_job;

static void rows_part(void *context, size_t index, size_t worker) {
  const rows_job *job = context;
  const span tokens = part_of(job->cut, job->tokens, index);
  float *scratch = job->scratch ? job->scratch + worker * job->cols : NULL;
  for (size_t t = tokens.begin; t < tokens.end; t++) job->row(job, t, scratch);
}

static void run(rows_job job) {
  job.cut = cut_evenly(job.tokens, ELEMENTS_PER_PART / larger(job.cols, 1));
  ck_pool_run(job.c->pool, job.cut.parts, rows_part, &job);
}

// --- the steps ---

static void pack_row(const rows_job *job, size_t t, float *scratch) {
  (void)scratch;
  const ck_pack *step = job->step;
  store_row(job->c, step->out, t, step->x + t * step->x_stride);
}

void ck_par_pack(const ck_context *c, const ck_pack *step) {
  run((rows_job){c, step, NULL, step->out->cols, step->out->tokens, pack_row, {0}});
}

static void norm_row(const rows_job *job, size_t t, float *scratch) {
  const ck_norm *step = job->step;
  const ck_float_table *f = job->c->floats;
  const size_t n = step->cols;
  float *x = step->x + t * step->x_stride;
  if (step->delta) {
    float *delta = step->delta + t * step->delta_stride;
    if (step->delta_bias) f->add(step->delta_bias, n, delta);
    if (step->delta_weight) f->rms_norm(delta, step->delta_weight, n, step->eps, delta);
    f->add(delta, n, x);
  }
  if (!step->out) return;
  f->rms_norm(x, step->weight, n, step->eps, scratch);
  store_row(job->c, step->out, t, scratch);
}

void ck_par_norm(const ck_context *c, const ck_norm *step) {
  run((rows_job){c, step, step->scratch, step->cols, step->tokens, norm_row, {0}});
}

static void gate_row(const rows_job *job, size_t t, float *scratch) {
  const ck_gate *step = job->step;
  const ck_float_table *f = job->c->floats;
  const size_t n = step->out->cols;
  const float *gate = step->gate + t * step->stride, *up = step->up + t * step->stride;
  (step->gelu ? f->gelu_mul : f->silu_mul)(gate, up, n, scratch);
  store_row(job->c, step->out, t, scratch);
}

void ck_par_gate(const ck_context *c, const ck_gate *step) {
  run((rows_job){c, step, step->scratch, step->out->cols, step->out->tokens, gate_row, {0}});
}

// Bias, norm and rotation of the heads of one kind.
static void turn_heads(const ck_heads_step *step, const ck_float_table *f, size_t t, float *x,
                       size_t heads, const float *bias, const float *norm) {
  if (bias) f->add(bias, heads * step->head_dim, x);
  for (size_t h = 0; norm && h < heads; h++) {
    float *head = x + h * step->head_dim;
    f->rms_norm(head, norm, step->head_dim, step->eps, head);
  }
  const size_t angle = (step->position + t) * step->pairs;
  f->rope(x, heads, step->head_dim, step->pairs, step->cosine + angle, step->sine + angle,
          step->pairing);
}

static void store_heads(const ck_heads_step *step, const ck_float_table *f, size_t t,
                        const float *x, void *cache) {
  const size_t dim = step->head_dim;
  for (size_t h = 0; h < step->kv_heads; h++) {
    const size_t target = (h * step->capacity + step->position + t) * dim;
    if (step->kv == CK_KV_F32)
      memcpy((float *)cache + target, x + h * dim, dim * sizeof *x);
    else
      f->to_f16(x + h * dim, dim, (uint16_t *)cache + target);
  }
}

static void heads_row(const rows_job *job, size_t t, float *scratch) {
  (void)scratch;
  const ck_heads_step *step = job->step;
  const ck_float_table *f = job->c->floats;
  float *k = step->k + t * step->kv_stride, *v = step->v + t * step->kv_stride;
  turn_heads(step, f, t, step->q + t * step->q_stride, step->heads, step->q_bias, step->q_norm);
  turn_heads(step, f, t, k, step->kv_heads, step->k_bias, step->k_norm);
  if (step->v_bias) f->add(step->v_bias, step->kv_heads * step->head_dim, v);
  store_heads(step, f, t, k, step->k_cache);
  store_heads(step, f, t, v, step->v_cache);
}

void ck_par_heads(const ck_context *c, const ck_heads_step *step) {
  const size_t cols = (step->heads + 2 * step->kv_heads) * step->head_dim;
  run((rows_job){c, step, NULL, cols, step->tokens, heads_row, {0}});
}

// --- rows of weights ---

void ck_dequantize_row(const ck_matmul_table *t, const ck_weights *w, size_t row, size_t cols,
                       void *block_row, float *out) {
  const uint8_t *data = (const uint8_t *)w->data + row * w->row_bytes;
  if (w->interleaved && row < w->rows / CK_GROUP_ROWS * CK_GROUP_ROWS) {
    const size_t in_group = row % CK_GROUP_ROWS;
    ck_interleaved_row(w->type, data - in_group * w->row_bytes, w->row_bytes, in_group, block_row);
    data = block_row;
  }
  t->dequantize[w->type](data, cols, out);
}

static void embed_row(const rows_job *job, size_t t, float *scratch) {
  const ck_embed *step = job->step;
  float *out = step->out + t * step->out_stride;
  ck_dequantize_row(job->c->matmul, &step->table, (size_t)step->tokens[t], step->cols, scratch, out);
  if (step->scale != 1) job->c->floats->scale(step->scale, step->cols, out);
}

void ck_par_embed(const ck_context *c, const ck_embed *step) {
  run((rows_job){c, step, step->scratch, step->cols, step->count, embed_row, {0}});
}

// --- making interleaved weights ---

typedef struct interleave_job {
  ck_weights w;
  uint8_t *out;
  cut cut;
} interleave_job;

static void interleave_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const interleave_job *job = context;
  const span groups = part_of(job->cut, job->w.rows / CK_GROUP_ROWS, index);
  const size_t bytes = CK_GROUP_ROWS * job->w.row_bytes;
  for (size_t g = groups.begin; g < groups.end; g++)
    ck_interleave(job->w.type, (const uint8_t *)job->w.data + g * bytes, job->w.row_bytes,
                  job->out + g * bytes);
}

void ck_par_interleave(ck_pool *pool, const ck_weights *w, void *out) {
  const size_t groups = w->rows / CK_GROUP_ROWS, done = groups * CK_GROUP_ROWS * w->row_bytes;
  const size_t bytes = CK_GROUP_ROWS * w->row_bytes;
  interleave_job job = {*w, out, cut_evenly(groups, 256 * 1024 / larger(bytes, 1))};
  ck_pool_run(pool, job.cut.parts, interleave_part, &job);
  memcpy(job.out + done, (const uint8_t *)w->data + done, w->rows * w->row_bytes - done);
}
