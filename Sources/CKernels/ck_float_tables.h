// What the instruction set files of the float kernels define, and sizes they share.
#pragma once

#include "ck_float.h"

extern const ck_float_table ck_float_table_scalar;
#if defined(__x86_64__)
extern const ck_float_table ck_float_table_avx2;
extern const ck_float_table ck_float_table_avx512;
#elif defined(__aarch64__)
extern const ck_float_table ck_float_table_neon;
extern const ck_float_table ck_float_table_dotprod;
#endif

// The widest vector of any instruction set, in floats: padded rows are multiples of it everywhere.
enum { CK_FLOAT_LANES_MAX = 16 };

// head_dim rounded up to whole vectors.
static inline size_t ck_padded_head(size_t head_dim) {
  return (head_dim + CK_FLOAT_LANES_MAX - 1) / CK_FLOAT_LANES_MAX * CK_FLOAT_LANES_MAX;
}

// Floats between the rows of a converted block. One vector beyond whole vectors: with a power of 2
// a column of the block would meet in few sets of the first level cache.
static inline size_t ck_attention_block_stride(size_t head_dim) {
  return ck_padded_head(head_dim) + CK_FLOAT_LANES_MAX;
}

// The keys of 0 ..< positions that one attention call touches, over all its rows.
typedef struct ck_key_range {
  size_t first, last;
} ck_key_range;

static inline ck_key_range ck_attention_keys(const ck_attention *a) {
  ck_key_range keys = {SIZE_MAX, 0};
  for (size_t r = 0; r < a->rows; r++) {
    if (a->first[r] < keys.first) keys.first = a->first[r];
    if (a->last[r] > keys.last) keys.last = a->last[r];
  }
  return keys;
}
