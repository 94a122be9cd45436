// Element-wise steps and attention in float32; keys and values are kept in float16 or float32.
#pragma once

#include "ck_cpu.h"
#include "ck_types.h"

// Which coordinates of a head rotate together.
typedef enum ck_rope_pairing {
  CK_ROPE_ADJACENT,  // (2i, 2i+1): GGUF's "NORM", llama
  CK_ROPE_HALVES,    // (i, i+n/2): "NEOX", qwen, gemma, phi
} ck_rope_pairing;

// What keys and values are kept in.
typedef enum ck_kv_type { CK_KV_F16, CK_KV_F32 } ck_kv_type;

// Bytes of one element.
static inline size_t ck_kv_bytes(ck_kv_type type) { return type == CK_KV_F32 ? 4 : 2; }

// Causal attention of query rows over one key/value head.
// A row is one query head of one token; row r attends to positions first[r] ..< last[r].
// Online softmax over key blocks that start at absolute multiples of CK_ATTENTION_BLOCK; chunks of
// CK_ATTENTION_CHUNK keys, also at absolute multiples, are summed on their own and merged in order.
// So a row's result depends neither on the rows computed beside it nor on who sums which chunk.
enum { CK_ATTENTION_BLOCK = 64, CK_ATTENTION_CHUNK = 256 };
typedef struct ck_attention {
  const float *q;         // [rows, head_dim], rows q_stride floats apart
  size_t q_stride;
  ck_kv_type kv;
  const void *k;          // kv [positions, head_dim]
  const void *v;          // kv [positions, head_dim]
  const uint32_t *first;  // [rows]
  const uint32_t *last;   // [rows], > first
  size_t rows;
  size_t head_dim;
  float scale;            // multiplies q.k
  float softcap;          // 0, or c: score = c * tanh(score / c)
  float *out;             // [rows, head_dim], rows out_stride floats apart
  size_t out_stride;
  float *scratch;         // ck_attention_scratch(rows, head_dim) floats
} ck_attention;

// Floats of scratch that one attention call needs.
size_t ck_attention_scratch(size_t rows, size_t head_dim);

// Floats of one row of an attention sum: the weighted sum of values, not yet divided; at
// ck_attention_sum_stride - 2 the largest score (-infinity: no key yet), at - 1 the sum of weights.
size_t ck_attention_sum_stride(size_t head_dim);

typedef struct ck_float_table {
  ck_isa isa;
  // y[i] = x[i] / sqrt(mean(x^2) + eps) * weight[i]; y may be x. weight may be NULL (all ones).
  void (*rms_norm)(const float *x, const float *weight, size_t n, float eps, float *y);
  // Rotates `heads` heads of head_dim floats in place; the first 2*pairs coordinates of each head
  // rotate, the rest stay. cosine, sine: [pairs] for this position.
  void (*rope)(float *x, size_t heads, size_t head_dim, size_t pairs, const float *cosine,
               const float *sine, ck_rope_pairing pairing);
  // out[i] = silu(gate[i]) * up[i]; out may be gate.
  void (*silu_mul)(const float *gate, const float *up, size_t n, float *out);
  // out[i] = gelu_tanh(gate[i]) * up[i]; out may be gate.
  void (*gelu_mul)(const float *gate, const float *up, size_t n, float *out);
  // y[i] += x[i]
  void (*add)(const float *x, size_t n, float *y);
  // y[i] *= a
  void (*scale)(float a, size_t n, float *y);
  // y[i] = cap * tanh(y[i] / cap)
  void (*softcap)(float cap, size_t n, float *y);
  void (*to_f16)(const float *x, size_t n, uint16_t *out);    // round to nearest even
  void (*from_f16)(const uint16_t *x, size_t n, float *out);  // exact
  // Index of the largest value, the lowest index among equals; NaN never wins. n >= 1.
  size_t (*argmax)(const float *x, size_t n);
  void (*attention)(const ck_attention *args);
  // The three steps that `attention` consists of, for callers that split keys over threads.
  // Writes the sums over the keys of one chunk, [rows, ck_attention_sum_stride].
  void (*attention_chunk)(const ck_attention *args, size_t chunk, float *sums);
  // total += sums. Chunks are merged in ascending order; the first call has `total` from
  // ck_attention_clear.
  void (*attention_merge)(const float *sums, size_t rows, size_t head_dim, float *total);
  // args->out = total / sum of weights.
  void (*attention_finish)(const float *total, const ck_attention *args);
} ck_float_table;

// Makes `total` the sum over no keys, [rows, ck_attention_sum_stride].
void ck_attention_clear(size_t rows, size_t head_dim, float *total);

// The table of `isa`; NULL when that is not available here.
const ck_float_table *ck_float_table_for(ck_isa isa);
