// The packers by type, for the table.
#pragma once

#include <math.h>

#include "ck_blocks.h"
#include "ck_pack_half.h"
#include "include/ck_pack.h"

bool ck_pack_f32(const float *x, size_t n, void *blocks);
bool ck_pack_f16(const float *x, size_t n, void *blocks);
bool ck_pack_bf16(const float *x, size_t n, void *blocks);
bool ck_pack_q4_0(const float *x, size_t n, void *blocks);
bool ck_pack_q4_1(const float *x, size_t n, void *blocks);
bool ck_pack_q5_0(const float *x, size_t n, void *blocks);
bool ck_pack_q5_1(const float *x, size_t n, void *blocks);
bool ck_pack_q8_0(const float *x, size_t n, void *blocks);
bool ck_pack_q4_k(const float *x, size_t n, void *blocks);
bool ck_pack_q5_k(const float *x, size_t n, void *blocks);
bool ck_pack_q6_k(const float *x, size_t n, void *blocks);

// Whether all values are of a magnitude up to `limit`; none is NaN then.
static inline bool ck_all_within(const float *x, size_t n, float limit) {
  bool within = true;
  for (size_t k = 0; k < n; k++) within &= fabsf(x[k]) <= limit;
  return within;
}

// More than any block can hold (Q6_K holds the most, 65504 * 128 * 32), and so little that no sum of
// the search overflows. A scale that is too large for a float16 is found later.
#define CK_PACK_LIMIT 0x1p30f

// The packer of a type from the one of its blocks.
#define CK_PACK_BLOCKS(name, values)                            \
  bool ck_pack_##name(const float *x, size_t n, void *blocks) { \
    ck_##name *b = blocks;                                      \
    bool fits = ck_all_within(x, n, CK_PACK_LIMIT);             \
    for (size_t i = 0; fits && i < n / (values); i++) {         \
      fits = pack_block_##name(x + i * (values), b + i);        \
    }                                                           \
    return fits;                                                \
  }
