// Products of quantised weights with many tokens at once, for CPUs with matrix units.
//
// Weights and activations become bfloat16 (8 bits of precision, the range of a float), sums are
// floats. A weight is expanded once for all tokens; its block scale is multiplied in before it is
// rounded, so no block needs a scale of its own and a product is one plain matrix product. Like
// everywhere a result depends on its weight row and its activation row only.
//
// A tile holds 16 rows of 32 values (1 KiB): of activations 16 tokens, [token, k]; of weights 16
// rows in pairs of values, [k / 2, row, k % 2].
#pragma once

#include "ck_float.h"
#include "ck_types.h"

enum { CK_TILE_TOKENS = 16, CK_TILE_STEP = 32, CK_TILE_VALUES = 512 };

// Activations in tiles, bfloat16 [ceil(tokens / 16), cols / 32, 16 tokens, 32]. Rows after the
// last token may hold anything, their results are not stored.
typedef struct ck_tiles {
  uint16_t *values;
  size_t tokens;
  size_t cols;  // a multiple of 32
} ck_tiles;

// One token's row of floats into its tiles; `tiles` is the first of its sixteen tokens' tiles.
typedef void (*ck_tile_pack_fn)(const float *x, size_t cols, size_t row, uint16_t *tiles);

// `steps` blocks of 32 values, from the 256 values on that begin at chunk `chunk`, of one group of
// interleaved rows into `steps` tiles of weights.
typedef void (*ck_tile_expand_fn)(const void *group, size_t chunk, size_t steps, uint16_t *tiles);

// Tiles of weights times tiles of activations.
typedef struct ck_tile_product {
  const uint16_t *w;  // [groups, w_stride tiles], `steps` of them used
  size_t groups, w_stride;
  const uint16_t *x;  // [ceil(tokens / 16), x_stride tiles], `steps` of them used
  size_t tokens, x_stride;
  size_t steps;
  bool add;           // to what y holds, instead of replacing it
  float *y;           // [tokens, 16 * groups], rows y_stride floats apart
  size_t y_stride;
} ck_tile_product;

typedef struct ck_tile_table {
  ck_tile_pack_fn pack;
  ck_tile_expand_fn expand[CK_TYPE_COUNT];  // set for the types that can be interleaved
  // Sums in the order of the instruction: for each step the even and the odd values apart. Between
  // `begin` and `end` on the same thread, which make the matrix unit ready and let go of it.
  void (*multiply)(const ck_tile_product *p);
  void (*begin)(void);
  void (*end)(void);
  // Attention of many rows (ck_float.h) over float16 with products of bfloat16; NULL where there is
  // none. The scratch of its arguments has attention_scratch(rows, head_dim) floats.
  void (*attention)(const ck_attention *args);
  size_t (*attention_scratch)(size_t rows, size_t head_dim);
} ck_tile_table;

// The definition, in portable C.
extern const ck_tile_table ck_tile_table_scalar;
