// Packers of plain floats and of the types with blocks of 32 values.
#include <float.h>
#include <math.h>

#include "ck_fit.h"
#include "ck_pack_types.h"

#pragma STDC FP_CONTRACT OFF

bool ck_pack_f32(const float *x, size_t n, void *blocks) {
  memcpy(blocks, x, n * sizeof *x);
  return ck_all_within(x, n, FLT_MAX);
}

bool ck_pack_f16(const float *x, size_t n, void *blocks) {
  bool fits = true;
  for (size_t k = 0; k < n; k++) {
    fits &= ck_is_finite(ck_store_half((uint8_t *)blocks + 2 * k, x[k]));
  }
  return fits;
}

// The upper half of a float32, rounded to nearest even.
bool ck_pack_bf16(const float *x, size_t n, void *blocks) {
  bool fits = ck_all_within(x, n, FLT_MAX);  // the rounding of a NaN may look like a number
  for (size_t k = 0; k < n; k++) {
    const uint32_t bits = ck_float_bits(x[k]);
    const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    fits &= ck_is_finite(ck_float_from_bits(rounded & 0xffff0000));
    ck_store_u16((uint8_t *)blocks + 2 * k, (uint16_t)(rounded >> 16));
  }
  return fits;
}

// --- blocks of 32 ---

// Codes 0 ... 31 into nibbles: j in the low, j + 16 in the high half of byte j.
static void store_nibbles(const float *codes, float offset, uint8_t *q) {
  for (size_t j = 0; j < 16; j++) {
    const uint8_t low = (uint8_t)(codes[j] + offset), high = (uint8_t)(codes[j + 16] + offset);
    q[j] = (uint8_t)((low & 15) | high << 4);
  }
}

// The fifth bits of 32 codes.
static void store_fifth_bits(const float *codes, float offset, uint8_t *qh) {
  for (size_t i = 0; i < 4; i++) {
    qh[i] = 0;
    for (size_t bit = 0; bit < 8; bit++) {
      const uint8_t code = (uint8_t)(codes[8 * i + bit] + offset);
      qh[i] |= (uint8_t)((code >> 4) << bit);
    }
  }
}

// A line as two float16 hold it.
static ck_line rounded(ck_line line) {
  return (ck_line){ck_rounded_to_half(line.scale), ck_rounded_to_half(line.minimum)};
}

// The better of two lines as they are stored; the search leaves out the rounding of scales.
static ck_line better(const float *x, ck_codes codes, ck_line a, ck_line b) {
  a = rounded(a);
  b = rounded(b);
  const float error = ck_fit_error(x, CK_BLOCK_VALUES, codes, a);
  return error <= ck_fit_error(x, CK_BLOCK_VALUES, codes, b) ? a : b;
}

// Fits a scale, stores it and gives the codes.
static bool fit_scale(const float *x, ck_codes codes, uint8_t *d, float *out) {
  const ck_line simple = {ck_extreme(x, CK_BLOCK_VALUES) / codes.lowest, 0};
  const ck_line found = {ck_fit_scale(x, CK_BLOCK_VALUES, codes), 0};
  const ck_line line = better(x, codes, found, simple);
  if (!ck_is_finite(line.scale)) return false;
  ck_store_half(d, line.scale);
  ck_fit_codes(x, CK_BLOCK_VALUES, codes, line, out);
  return true;
}

// Fits a scale and a minimum, stores them and gives the codes.
static bool fit_line(const float *x, float highest, uint8_t *d, uint8_t *m, float *out) {
  const ck_codes codes = {0, highest};
  float low = x[0], high = x[0];
  for (size_t k = 1; k < CK_BLOCK_VALUES; k++) {
    low = x[k] < low ? x[k] : low;
    high = x[k] > high ? x[k] : high;
  }
  const ck_line simple = {(high - low) / highest, low};
  const ck_line line =
      better(x, codes, ck_fit_line(x, CK_BLOCK_VALUES, highest, INFINITY), simple);
  if (!ck_is_finite(line.scale) || !ck_is_finite(line.minimum)) return false;
  ck_store_half(d, line.scale);
  ck_store_half(m, line.minimum);
  ck_fit_codes(x, CK_BLOCK_VALUES, codes, line, out);
  return true;
}

static bool pack_block_q4_0(const float *x, ck_q4_0 *b) {
  float codes[CK_BLOCK_VALUES];
  if (!fit_scale(x, (ck_codes){-8, 7}, b->d, codes)) return false;
  store_nibbles(codes, 8, b->q);
  return true;
}

static bool pack_block_q4_1(const float *x, ck_q4_1 *b) {
  float codes[CK_BLOCK_VALUES];
  if (!fit_line(x, 15, b->d, b->m, codes)) return false;
  store_nibbles(codes, 0, b->q);
  return true;
}

static bool pack_block_q5_0(const float *x, ck_q5_0 *b) {
  float codes[CK_BLOCK_VALUES];
  if (!fit_scale(x, (ck_codes){-16, 15}, b->d, codes)) return false;
  store_nibbles(codes, 16, b->q);
  store_fifth_bits(codes, 16, b->qh);
  return true;
}

static bool pack_block_q5_1(const float *x, ck_q5_1 *b) {
  float codes[CK_BLOCK_VALUES];
  if (!fit_line(x, 31, b->d, b->m, codes)) return false;
  store_nibbles(codes, 0, b->q);
  store_fifth_bits(codes, 0, b->qh);
  return true;
}

static bool pack_block_q8_0(const float *x, ck_q8_0 *b) {
  float codes[CK_BLOCK_VALUES];
  if (!fit_scale(x, (ck_codes){-127, 127}, b->d, codes)) return false;
  for (size_t k = 0; k < CK_BLOCK_VALUES; k++) b->q[k] = (int8_t)codes[k];
  return true;
}

CK_PACK_BLOCKS(q4_0, CK_BLOCK_VALUES)
CK_PACK_BLOCKS(q4_1, CK_BLOCK_VALUES)
CK_PACK_BLOCKS(q5_0, CK_BLOCK_VALUES)
CK_PACK_BLOCKS(q5_1, CK_BLOCK_VALUES)
CK_PACK_BLOCKS(q8_0, CK_BLOCK_VALUES)
