// The steps of a forward pass, each split over a pool. Results do not depend on the number of
// threads.
#pragma once

#include "ck_float.h"
#include "ck_matmul.h"
#include "ck_pool.h"

// What a parallel step runs with.
typedef struct ck_context {
  ck_pool *pool;
  const ck_matmul_table *matmul;
  const ck_float_table *floats;
} ck_context;

// Quantises tokens x cols floats (rows x_stride floats apart) into `out` (tokens and cols set).
void ck_par_quantize(const ck_context *c, const float *x, size_t x_stride, const ck_q8 *out);

// Quantises to about 15 bits in twice the rows: with n = out->tokens / 2, row t of `out` is x[t] as
// above and row n + t what that leaves over, so x[t] ~ out[t] + out[n + t], and a product with x[t]
// is the sum of two. `rest` is scratch of n * cols floats.
void ck_par_quantize_wide(const ck_context *c, const float *x, size_t x_stride, const ck_q8 *out,
                          float *rest);

// y[t * y_stride + r] = W[r,:] . x[t,:] over all rows; block types.
void ck_par_matmul(const ck_context *c, ck_type type, const void *w, size_t row_bytes, size_t rows,
                   const ck_q8 *x, float *y, size_t y_stride);

// The same for F32, F16, BF16 weights and float activations.
void ck_par_matmul_float(const ck_context *c, ck_type type, const void *w, size_t row_bytes,
                         size_t rows, size_t cols, const float *x, size_t x_stride, size_t tokens,
                         float *y, size_t y_stride);

// Dequantises `rows` rows of `cols` values into out[r * cols + k].
void ck_par_dequantize(const ck_context *c, ck_type type, const void *w, size_t row_bytes,
                       size_t rows, size_t cols, float *out);

// Attention of `tokens` consecutive tokens over the whole cache of one layer.
typedef struct ck_layer_attention {
  const float *q;      // [tokens, heads, head_dim], tokens q_stride floats apart
  size_t q_stride;
  const uint16_t *k;   // float16 [kv_heads, capacity, head_dim]
  const uint16_t *v;   // float16 [kv_heads, capacity, head_dim]
  size_t capacity;     // positions between two kv heads
  size_t heads, kv_heads, head_dim;
  size_t tokens;
  size_t position;     // of the first token; keys 0 ..< position + tokens are in the cache
  size_t window;       // 0, or W: token at p sees p-W+1 ... p
  float scale, softcap;
  float *out;          // [tokens, heads, head_dim], tokens out_stride floats apart
  size_t out_stride;
  float *scratch;      // ck_layer_attention_scratch(...) floats
} ck_layer_attention;

// Floats of scratch for `tokens` tokens or fewer.
size_t ck_layer_attention_scratch(const ck_pool *pool, size_t heads, size_t kv_heads,
                                  size_t head_dim, size_t tokens);

void ck_par_attention(const ck_context *c, const ck_layer_attention *args);

// A job over rows: fn-per-row steps (norms, activations, RoPE) for prefill chunks.
// y[t,:] = rms_norm(x[t,:]) for tokens rows, x_stride / y_stride floats apart.
void ck_par_rms_norm(const ck_context *c, const float *x, size_t x_stride, const float *weight,
                     size_t n, float eps, size_t tokens, float *y, size_t y_stride);

// gate[i] = act(gate[i]) * up[i] over n values in all. gelu: tanh form, else silu.
void ck_par_gated_activation(const ck_context *c, bool gelu, float *gate, const float *up, size_t n);
