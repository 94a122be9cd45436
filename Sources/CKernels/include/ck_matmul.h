// Products of a quantised weight matrix with activations.
//
// Activations are quantised once per matrix product to signed bytes in blocks of 32 with a float
// scale each; every weight type multiplies that one format. A result depends only on the weight
// row and the activation row, never on how many rows or tokens are computed together, so prefill
// in any chunk size gives the same bits as decode; and every instruction set gives the same bits.
#pragma once

#include "ck_cpu.h"
#include "ck_tiles.h"
#include "ck_types.h"

enum { CK_Q8_BLOCK = 32 };

// Quantised activations, one row a token. x[t,k] ~ scale[t, k/32] * q[t,k], q in -127...127; with a
// rest, plus the same of row t + rest. A block of scale 0 adds nothing to a product with finite weights.
typedef struct ck_q8 {
  int8_t *q;      // [rows, stride]
  float *scale;   // [rows, stride / 32], 0 or at least 2^-127
  int16_t *sum;   // [rows, stride / 16] sum of q over each 16 values
  size_t tokens;
  size_t cols;    // a multiple of 32
  size_t stride;  // values from one row to the next, a multiple of 32, cols or more
  size_t rest;    // rows from a token's to what that leaves over, mostly blocks of scale 0; 0: no such
} ck_q8;

// Rows first ..< first + tokens of x.
static inline ck_q8 ck_q8_rows(const ck_q8 *x, size_t first, size_t tokens) {
  ck_q8 rows = *x;
  rows.q += first * x->stride;
  rows.scale += first * (x->stride / CK_Q8_BLOCK);
  rows.sum += first * (x->stride / (CK_Q8_BLOCK / 2));
  rows.tokens = tokens;
  return rows;
}

// y[t * y_stride + r] = sum over k of W[r,k] * x[t,k] for `rows` weight rows.
//   w:         first of `rows` weight rows, row_bytes apart
//   x:         tokens x cols activations
//   y_stride:  floats between the results of one token and of the next
typedef void (*ck_matmul_fn)(const void *w, size_t row_bytes, size_t rows, const ck_q8 *x,
                             float *y, size_t y_stride);

// The same for float weight types with float activations x[t * x_stride + k].
typedef void (*ck_matmul_float_fn)(const void *w, size_t row_bytes, size_t rows, size_t cols,
                                   const float *x, size_t x_stride, size_t tokens, float *y,
                                   size_t y_stride);

// Quantises one row of n values (a multiple of 32) into q[n], scale[n/32], sum[n/16].
// Round to nearest even; a block whose magnitudes all lie below 2^-120 has scale 0 and zeros.
// Not finite input gives undefined q (never -128) but no trap.
typedef void (*ck_quantize_q8_fn)(const float *x, size_t n, int8_t *q, float *scale, int16_t *sum);

// n values (a multiple of the block) of one type to float32, exact.
typedef void (*ck_dequantize_fn)(const void *blocks, size_t n, float *out);

// The functions of one instruction set, by type. Every entry of a type that
// ck_type_info_for knows is set; an instruction set that has no version of its own has the
// scalar one.
typedef struct ck_matmul_table {
  ck_isa isa;
  ck_quantize_q8_fn quantize_q8;
  ck_dequantize_fn dequantize[CK_TYPE_COUNT];
  ck_matmul_fn matmul[CK_TYPE_COUNT];              // block types
  // The same for whole groups of interleaved rows (ck_interleave.h); NULL for other types.
  ck_matmul_fn matmul_groups[CK_TYPE_COUNT];
  ck_matmul_float_fn matmul_float[CK_TYPE_COUNT];  // F32, F16, BF16
  // Products of many tokens with matrix units; NULL where the CPU has none.
  const ck_tile_table *tiles;
} ck_matmul_table;

// The table of `isa`; NULL when that is not available here.
const ck_matmul_table *ck_matmul_table_for(ck_isa isa);

// n values of `type` to float32 with one table's function.
static inline void ck_dequantize(const ck_matmul_table *table, ck_type type, const void *blocks,
                                 size_t n, float *out) {
  table->dequantize[type](blocks, n, out);
}

// The product with float weights with one table's function.
static inline void ck_multiply_floats(const ck_matmul_table *table, ck_type type, const void *w,
                                      size_t row_bytes, size_t rows, size_t cols, const float *x,
                                      size_t x_stride, size_t tokens, float *y, size_t y_stride) {
  table->matmul_float[type](w, row_bytes, rows, cols, x, x_stride, tokens, y, y_stride);
}
