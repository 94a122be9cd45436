#include <math.h>
#include <stdatomic.h>

#include "ck_pack_types.h"

static const ck_pack_fn packers[CK_TYPE_COUNT] = {
    [CK_F32] = ck_pack_f32,   [CK_F16] = ck_pack_f16,   [CK_BF16] = ck_pack_bf16,
    [CK_Q4_0] = ck_pack_q4_0, [CK_Q4_1] = ck_pack_q4_1, [CK_Q5_0] = ck_pack_q5_0,
    [CK_Q5_1] = ck_pack_q5_1, [CK_Q8_0] = ck_pack_q8_0, [CK_Q4_K] = ck_pack_q4_k,
    [CK_Q5_K] = ck_pack_q5_k, [CK_Q6_K] = ck_pack_q6_k,
};

ck_pack_fn ck_pack_for(int type) {
  return type < 0 || type >= CK_TYPE_COUNT ? NULL : packers[type];
}

// --- random numbers ---

// Word `k` of SplitMix64 (Steele, Lea and Flood, 2014).
static uint64_t word(uint64_t seed, uint64_t k) {
  uint64_t mixed = seed + (k + 1) * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
  return mixed ^ mixed >> 31;
}

void ck_noise_fill(const ck_noise *noise, uint64_t first, size_t n, float *out) {
  // Four uniform numbers of 0 ... 65535 have a variance of (2^32 - 1) / 12 each.
  const float unit = noise->deviation * 0x1.bb67aep-16f;  // sqrt(12 / 4) / 2^16
  for (size_t k = 0; k < n; k++) {
    const uint64_t w = word(noise->seed, first + k);
    const uint64_t pairs = (w & 0x0000ffff0000ffffu) + (w >> 16 & 0x0000ffff0000ffffu);
    const int32_t sum = (int32_t)((pairs & 0x3ffff) + (pairs >> 32));
    out[k] = unit * (float)(sum - 131070);
  }
}

// --- many values over a pool ---

typedef struct parts {
  const ck_repack *job;
  const ck_matmul_table *table;
  _Atomic size_t first_refused;  // the lowest number of a part; the number of parts where none was
} parts;

static size_t part_values(const ck_repack *job, size_t part) {
  const size_t left = job->count - part * CK_REPACK_VALUES;
  return left < CK_REPACK_VALUES ? left : CK_REPACK_VALUES;
}

// The bytes of `count` values.
static size_t stored_bytes(ck_type type, size_t count) {
  const ck_type_info *info = ck_type_info_for(type);
  return count / info->block_values * info->block_bytes;
}

static void load_part(const parts *p, size_t part, float *values) {
  const ck_repack *job = p->job;
  const size_t begin = part * CK_REPACK_VALUES, count = part_values(job, part);
  if (job->source) {
    const uint8_t *blocks = (const uint8_t *)job->source + stored_bytes(job->from, begin);
    ck_dequantize(p->table, job->from, blocks, count, values);
  } else {
    ck_noise_fill(&job->noise, job->first + begin, count, values);
  }
}

static void repack_part(void *context, size_t part, size_t worker) {
  parts *p = context;
  const ck_repack *job = p->job;
  float *values = job->scratch + worker * CK_REPACK_VALUES;
  load_part(p, part, values);
  uint8_t *out = (uint8_t *)job->out + stored_bytes(job->to, part * CK_REPACK_VALUES);
  if (packers[job->to](values, part_values(job, part), out)) return;
  size_t known = atomic_load(&p->first_refused);
  while (part < known && !atomic_compare_exchange_weak(&p->first_refused, &known, part)) {}
}

// The first value of a part that is not finite, else the largest.
static ck_refusal refusal_in(const parts *p, size_t part) {
  float *values = p->job->scratch;
  load_part(p, part, values);
  size_t found = 0;
  for (size_t k = 0; k < part_values(p->job, part); k++) {
    if (fabsf(values[k]) <= fabsf(values[found])) continue;  // neither larger nor NaN
    found = k;
    if (!ck_is_finite(values[k])) break;
  }
  return (ck_refusal){part * CK_REPACK_VALUES + found, values[found]};
}

ck_refusal ck_par_repack(ck_pool *pool, const ck_matmul_table *table, const ck_repack *job) {
  const size_t count = (job->count + CK_REPACK_VALUES - 1) / CK_REPACK_VALUES;
  parts p = {.job = job, .table = table};
  atomic_init(&p.first_refused, count);
  if (count > 0) ck_pool_run(pool, count, repack_part, &p);
  const size_t part = atomic_load(&p.first_refused);
  return part < count ? refusal_in(&p, part) : (ck_refusal){job->count, 0};
}
