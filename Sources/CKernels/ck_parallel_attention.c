// Attention of one layer, split over kv heads, tiles of rows and, where those are few, chunks of
// keys. The split by chunks performs the same sums in the same order as one whole call.
//
// The rows of a kv head are (token, query head of its group), numbered token * group + member.
#include <string.h>

#include "ck_cut.h"
#include "ck_parallel.h"

// Rows of one tile: enough to pay for converting a block of keys to float32, few enough for the
// tile's queries, scores and sums to stay in the second level cache.
enum { TILE_ROWS = 48 };

// With matrix units, which pay for a conversion of keys and values of their own.
enum { MATRIX_ROWS = 96, TILE_ROWS_MAX = MATRIX_ROWS };

// Partial sums kept at once when keys are split, over all kv heads.
enum { SUM_SLOTS = 64 };

// One tile of rows of one kv head, its queries gathered, ready for an attention call.
typedef struct tile {
  uint32_t first[TILE_ROWS_MAX], last[TILE_ROWS_MAX];
  ck_attention call;
} tile;

typedef struct attention_job {
  const ck_context *c;
  const ck_layer_attention *layer;
  size_t group;  // query heads that share a kv head
  size_t rows;   // of one kv head
  size_t tile_rows;
  size_t tiles;  // of one kv head
  float *workers;  // scratch, [threads, worker_floats]
  size_t worker_floats;
  // Of a job split by keys, one tile a kv head:
  float *totals;       // [kv_heads, sum_floats]
  float *sums;         // [kv_heads, slots, sum_floats]
  size_t sum_floats;   // of one tile
  size_t slots;        // chunks in one round; 0: keys are not split
  size_t first_chunk;  // of the round
  size_t chunks;       // of the round
} attention_job;

static size_t worker_floats(const ck_context *c, const ck_layer_attention *layer, size_t rows) {
  const size_t call = layer->tiles ? c->matmul->tiles->attention_scratch(rows, layer->head_dim)
                                   : ck_attention_scratch(rows, layer->head_dim);
  return ceiling(call + 2 * rows * layer->head_dim, 16) * 16;
}

// Where a row of a kv head lies in q; the same offsets with another stride hold for out.
static size_t row_offset(const attention_job *job, size_t kv_head, size_t row, size_t stride) {
  const size_t head = kv_head * job->group + row % job->group;
  return row / job->group * stride + head * job->layer->head_dim;
}

static void tile_begin(const attention_job *job, size_t kv_head, size_t index, size_t worker,
                       tile *t) {
  const ck_layer_attention *layer = job->layer;
  const size_t begin = index * job->tile_rows;
  const size_t rows = smaller(job->tile_rows, job->rows - begin);
  const size_t dim = layer->head_dim;
  float *q = job->workers + worker * job->worker_floats, *out = q + rows * dim;
  for (size_t r = 0; r < rows; r++) {
    const size_t position = layer->position + (begin + r) / job->group;
    const size_t window = layer->window ? layer->window : SIZE_MAX;
    t->first[r] = (uint32_t)(position + 1 > window ? position + 1 - window : 0);
    t->last[r] = (uint32_t)(position + 1);
    memcpy(q + r * dim, layer->q + row_offset(job, kv_head, begin + r, layer->q_stride),
           dim * sizeof *q);
  }
  const size_t cached = kv_head * layer->capacity * dim * ck_kv_bytes(layer->kv);
  t->call = (ck_attention){
    .q = q, .q_stride = dim,
    .kv = layer->kv,
    .k = (const char *)layer->k + cached,
    .v = (const char *)layer->v + cached,
    .first = t->first, .last = t->last, .rows = rows,
    .head_dim = dim, .scale = layer->scale, .softcap = layer->softcap,
    .out = out, .out_stride = dim, .scratch = out + rows * dim,
  };
}

static void tile_store(const attention_job *job, size_t kv_head, size_t index, const tile *t) {
  const ck_layer_attention *layer = job->layer;
  for (size_t r = 0; r < t->call.rows; r++)
    memcpy(layer->out + row_offset(job, kv_head, index * job->tile_rows + r, layer->out_stride),
           t->call.out + r * layer->head_dim, layer->head_dim * sizeof(float));
}

// --- split by tiles ---

// Later tokens see more keys: their tiles go first, so that the last part to end is a short one.
static void tile_part(void *context, size_t index, size_t worker) {
  const attention_job *job = context;
  const size_t kv_head = index % job->layer->kv_heads;
  const size_t number = job->tiles - 1 - index / job->layer->kv_heads;
  tile t;
  tile_begin(job, kv_head, number, worker, &t);
  (job->layer->tiles ? job->c->matmul->tiles->attention : job->c->floats->attention)(&t.call);
  tile_store(job, kv_head, number, &t);
}

// --- split by keys ---

static float *total_of(const attention_job *job, size_t kv_head) {
  return job->totals + kv_head * job->sum_floats;
}

static float *sums_of(const attention_job *job, size_t kv_head, size_t slot) {
  return job->sums + (kv_head * job->slots + slot) * job->sum_floats;
}

static void chunk_part(void *context, size_t index, size_t worker) {
  const attention_job *job = context;
  const size_t kv_head = index / job->chunks, slot = index % job->chunks;
  tile t;
  tile_begin(job, kv_head, 0, worker, &t);
  job->c->floats->attention_chunk(&t.call, job->first_chunk + slot, sums_of(job, kv_head, slot));
}

static void split_by_keys(attention_job *job) {
  const ck_layer_attention *layer = job->layer;
  const ck_float_table *floats = job->c->floats;
  const size_t end = ceiling(layer->position + layer->tokens, CK_ATTENTION_CHUNK);
  const bool windowed = layer->window > 0 && layer->position + 1 > layer->window;
  size_t begin = windowed ? (layer->position + 1 - layer->window) / CK_ATTENTION_CHUNK : 0;
  for (size_t h = 0; h < layer->kv_heads; h++)
    ck_attention_clear(job->rows, layer->head_dim, total_of(job, h));
  for (; begin < end; begin += job->slots) {
    job->first_chunk = begin;
    job->chunks = smaller(job->slots, end - begin);
    ck_pool_run(job->c->pool, layer->kv_heads * job->chunks, chunk_part, job);
    for (size_t h = 0; h < layer->kv_heads; h++)
      for (size_t slot = 0; slot < job->chunks; slot++)
        floats->attention_merge(sums_of(job, h, slot), job->rows, layer->head_dim,
                                total_of(job, h));
  }
  for (size_t h = 0; h < layer->kv_heads; h++) {
    tile t;
    tile_begin(job, h, 0, 0, &t);
    floats->attention_finish(total_of(job, h), &t.call);
    tile_store(job, h, 0, &t);
  }
}

// --- the interface ---

static attention_job plan(const ck_context *c, const ck_layer_attention *layer) {
  const size_t group = layer->heads / layer->kv_heads, rows = layer->tokens * group;
  const size_t threads = ck_pool_threads(c->pool), kv_heads = layer->kv_heads;
  // With few rows smaller tiles, so that every thread gets one.
  const size_t most = layer->tiles && kv_heads * rows >= threads * MATRIX_ROWS * 2 ? MATRIX_ROWS
                                                                                  : TILE_ROWS;
  const size_t tile_rows = smaller(rows, most), tiles = ceiling(rows, most);
  // Keys are split where one tile a kv head is too little to balance over the threads.
  const bool split_keys =
      tiles == 1 && !layer->tiles && threads > 1 && kv_heads < 4 * threads;
  return (attention_job){
    .c = c,
    .layer = layer,
    .group = group,
    .rows = rows,
    .tile_rows = most,
    .tiles = tiles,
    .worker_floats = worker_floats(c, layer, tile_rows),
    .sum_floats = tile_rows * ck_attention_sum_stride(layer->head_dim),
    .slots = split_keys ? larger(SUM_SLOTS / kv_heads, 1) : 0,
  };
}

size_t ck_layer_attention_scratch(const ck_context *c, const ck_layer_attention *args) {
  const attention_job job = plan(c, args);
  const size_t floats = ck_pool_threads(c->pool) * job.worker_floats;
  return job.slots > 0 ? floats + args->kv_heads * (job.slots + 1) * job.sum_floats : floats;
}

void ck_par_attention(const ck_context *c, const ck_layer_attention *args) {
  attention_job job = plan(c, args);
  job.workers = args->scratch;
  job.totals = args->scratch + ck_pool_threads(c->pool) * job.worker_floats;
  job.sums = job.totals + args->kv_heads * job.sum_floats;
  if (job.slots > 0)
    split_by_keys(&job);
  else
    ck_pool_run(c->pool, args->kv_heads * job.tiles, tile_part, &job);
}
