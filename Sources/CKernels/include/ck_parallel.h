// The steps of a forward pass, each split over a pool. Results do not depend on the number of
// threads.
#pragma once

#include "ck_float.h"
#include "ck_interleave.h"
#include "ck_matmul.h"
#include "ck_pool.h"

// What a parallel step runs with.
typedef struct ck_context {
  ck_pool *pool;
  const ck_matmul_table *matmul;
  const ck_float_table *floats;
} ck_context;

// Weights of one product: `rows` rows of row_bytes. Interleaved ones lie in groups of sixteen
// (ck_interleave.h), those after the last whole group as in a file.
typedef struct ck_weights {
  ck_type type;
  const void *data;
  size_t row_bytes, rows;
  bool interleaved;
} ck_weights;

// y[t * y_stride + r] = W[r,:] . x[t,:] over all rows and tokens.
typedef struct ck_product {
  ck_weights w;
  float *y;
  size_t y_stride;
} ck_product;

// Products of one input that run as one job.
enum { CK_PRODUCTS_MAX = 3 };

// Products with block types.
void ck_par_products(const ck_context *c, const ck_product *products, size_t count,
                     const ck_q8 *x);

// Products with F32, F16, BF16 weights of `cols` columns and float activations.
void ck_par_float_products(const ck_context *c, const ck_product *products, size_t count,
                           size_t cols, const float *x, size_t x_stride, size_t tokens);

// Products by matrix units, which the context's table must have: types that can be interleaved,
// whole groups of rows. `scratch`: ck_tile_scratch(columns, bytes of the longest row) values.
void ck_par_tile_products(const ck_context *c, const ck_product *products, size_t count,
                          const ck_tiles *x, uint16_t *scratch);
size_t ck_tile_scratch(const ck_pool *pool, size_t cols, size_t row_bytes);

// out = activation(gate . x) * (up . x): both products, of a multiple of 32 rows, meet in the cache
// and are packed at once.
typedef struct ck_gated_product {
  ck_weights gate, up;  // of the same number of rows
  bool gelu;            // tanh form; else silu
  const ck_tiles *x;
  const ck_tiles *out;  // as many columns as the weights have rows
} ck_gated_product;
void ck_par_tile_gated(const ck_context *c, const ck_gated_product *step, uint16_t *scratch);

// One row of weights to float32, exact. `block_row` is room for the row's bytes.
void ck_dequantize_row(const ck_matmul_table *t, const ck_weights *w, size_t row, size_t cols,
                       void *block_row, float *out);

// Interleaves all rows of `w`, which is not, into `out` of the same size.
void ck_par_interleave(ck_pool *pool, const ck_weights *w, void *out);

// How a product takes its activations.
typedef enum ck_form {
  CK_FORM_FLOAT,
  CK_FORM_Q8,
  // About 15 bits: bytes with a rest, in the blocks whose rounding counts.
  CK_FORM_WIDE,
  CK_FORM_TILES,
} ck_form;

// Room for activations in one form.
typedef struct ck_activations {
  ck_form form;
  size_t tokens, cols;
  float *floats;   // [tokens, cols]
  ck_q8 q8;        // with a rest when wide
  ck_tiles tiles;
} ck_activations;

// The steps below write rows in the form of `out`; scratch are ck_rows_scratch(cols) floats.
size_t ck_rows_scratch(const ck_pool *pool, size_t cols);

// out = x
typedef struct ck_pack {
  const float *x;  // [tokens, cols]
  size_t x_stride;
  const ck_activations *out;
} ck_pack;
void ck_par_pack(const ck_context *c, const ck_pack *step);

// x += norm(delta + bias), out = norm(x); parts that are NULL are left out.
typedef struct ck_norm {
  float *x;                   // [tokens, cols], the residual stream
  size_t x_stride;
  float *delta;               // [tokens, cols] or NULL; overwritten
  size_t delta_stride;
  const float *delta_bias;    // [cols] or NULL
  const float *delta_weight;  // [cols] or NULL: not normalised
  const float *weight;        // [cols]
  float eps;
  size_t tokens, cols;
  const ck_activations *out;  // or NULL: only x changes
  float *scratch;
} ck_norm;
void ck_par_norm(const ck_context *c, const ck_norm *step);

// out = activation(gate) * up
typedef struct ck_gate {
  bool gelu;  // tanh form; else silu
  const float *gate, *up;  // [tokens, cols]
  size_t stride;
  const ck_activations *out;
  float *scratch;
} ck_gate;
void ck_par_gate(const ck_context *c, const ck_gate *step);

// Makes queries and keys ready and stores keys and values in the cache: bias, norm of every head,
// rotation by position; what is NULL is left out.
typedef struct ck_heads_step {
  float *q;                    // [tokens, heads, head_dim]
  size_t q_stride;
  float *k, *v;                // [tokens, kv_heads, head_dim]
  size_t kv_stride;
  size_t heads, kv_heads, head_dim, tokens;
  size_t position;             // of the first token
  const float *q_bias, *k_bias, *v_bias;
  const float *q_norm, *k_norm;  // [head_dim]
  float eps;
  const float *cosine, *sine;  // [positions, pairs]
  size_t pairs;
  ck_rope_pairing pairing;
  ck_kv_type kv;
  void *k_cache, *v_cache;     // kv [kv_heads, capacity, head_dim]
  size_t capacity;
} ck_heads_step;
void ck_par_heads(const ck_context *c, const ck_heads_step *step);

// out[t] = scale * the row of `table` that tokens[t] names.
typedef struct ck_embed {
  ck_weights table;
  size_t cols;
  const int32_t *tokens;  // [count], all within the table
  size_t count;
  float scale;
  float *out;  // [count, cols]
  size_t out_stride;
  float *scratch;
} ck_embed;
void ck_par_embed(const ck_context *c, const ck_embed *step);

// Attention of `tokens` consecutive tokens over the whole cache of one layer.
typedef struct ck_layer_attention {
  const float *q;      // [tokens, heads, head_dim], tokens q_stride floats apart
  size_t q_stride;
  ck_kv_type kv;
  const void *k;       // kv [kv_heads, capacity, head_dim]
  const void *v;       // kv [kv_heads, capacity, head_dim]
  size_t capacity;     // positions between two kv heads
  size_t heads, kv_heads, head_dim;
  size_t tokens;
  size_t position;     // of the first token; keys 0 ..< position + tokens are in the cache
  size_t window;       // 0, or W: token at p sees p-W+1 ... p
  float scale, softcap;
  bool tiles;          // by matrix units, which the context's table must have; float16 only
  float *out;          // [tokens, heads, head_dim], tokens out_stride floats apart
  size_t out_stride;
  float *scratch;      // ck_layer_attention_scratch(...) floats
} ck_layer_attention;

// Floats of scratch for these arguments; pointers in them are not looked at.
size_t ck_layer_attention_scratch(const ck_context *c, const ck_layer_attention *args);

void ck_par_attention(const ck_context *c, const ck_layer_attention *args);
