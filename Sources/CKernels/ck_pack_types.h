// The packers by type, for the table.
#pragma once

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

// Whether all values are finite.
static inline bool ck_all_finite(const float *x, size_t n) {
  uint32_t bad = 0;
  for (size_t k = 0; k < n; k++) bad |= !ck_is_finite(x[k]);
  return !bad;
}
