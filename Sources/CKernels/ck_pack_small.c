// Packers of plain floats and of the types with blocks of 32 values.
#include <math.h>

#include "ck_fit.h"
#include "ck_pack_types.h"

#pragma STDC FP_CONTRACT OFF

bool ck_pack_f32(const float *x, size_t n, void *blocks) {
  memcpy(blocks, x, n * sizeof *x);
  return ck_all_finite(x, n);
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
  bool fits = ck_all_finite(x, n);
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

// The better of two scales as they are stored.
static float better_scale(const float *x, ck_codes codes, float a, float b) {
  a = ck_rounded_to_half(a);
  b = ck_rounded_to_half(b);
  const float error = ck_fit_error(x, CK_BLOCK_VALUES, codes, (ck_line){a, 0});
  return error <= ck_fit_error(x, CK_BLOCK_VALUES, codes, (ck_line){b, 0}) ? a : b;
}

static float extreme(const float *x) {
  float found = 0;
  for (size_t k = 0; k < CK_BLOCK_VALUES; k++) {
    if (fabsf(x[k]) > fabsf(found)) found = x[k];
  }
  return found;
}

// Fits a scale, stores it and gives the codes.
static bool fit_plain(const float *x, ck_codes codes, uint8_t *d, float *out) {
  const float simple = extreme(x) / codes.lowest;
  const float scale = better_scale(x, codes, ck_fit_scale(x, CK_BLOCK_VALUES, codes), simple);
  ck_fit_codes(x, CK_BLOCK_VALUES, codes, (ck_line){ck_store_half(d, scale), 0}, out);
  return ck_is_finite(scale);
}

// Fits a scale and a minimum, stores them and gives the codes.
static bool fit_line(const float *x, float highest, uint8_t *d, uint8_t *m, float *out) {
  const ck_line line = ck_fit_line(x, CK_BLOCK_VALUES, highest, INFINITY);
  const ck_line stored = {ck_store_half(d, line.scale), ck_store_half(m, line.minimum)};
  ck_fit_codes(x, CK_BLOCK_VALUES, (ck_codes){0, highest}, stored, out);
  return ck_is_finite(stored.scale) && ck_is_finite(stored.minimum);
}

static bool pack_block_q4_0(const float *x, ck_q4_0 *b) {
  float codes[CK_BLOCK_VALUES];
  const bool fits = fit_plain(x, (ck_codes){-8, 7}, b->d, codes);
  store_nibbles(codes, 8, b->q);
  return fits;
}

static bool pack_block_q4_1(const float *x, ck_q4_1 *b) {
  float codes[CK_BLOCK_VALUES];
  const bool fits = fit_line(x, 15, b->d, b->m, codes);
  store_nibbles(codes, 0, b->q);
  return fits;
}

static bool pack_block_q5_0(const float *x, ck_q5_0 *b) {
  float codes[CK_BLOCK_VALUES];
  const bool fits = fit_plain(x, (ck_codes){-16, 15}, b->d, codes);
  store_nibbles(codes, 16, b->q);
  store_fifth_bits(codes, 16, b->qh);
  return fits;
}

static bool pack_block_q5_1(const float *x, ck_q5_1 *b) {
  float codes[CK_BLOCK_VALUES];
  const bool fits = fit_line(x, 31, b->d, b->m, codes);
  store_nibbles(codes, 0, b->q);
  store_fifth_bits(codes, 0, b->qh);
  return fits;
}

static bool pack_block_q8_0(const float *x, ck_q8_0 *b) {
  float codes[CK_BLOCK_VALUES];
  const bool fits = fit_plain(x, (ck_codes){-127, 127}, b->d, codes);
  for (size_t k = 0; k < CK_BLOCK_VALUES; k++) b->q[k] = (int8_t)codes[k];
  return fits;
}

#define PACK(name)                                                            \
  bool ck_pack_##name(const float *x, size_t n, void *blocks) {               \
    ck_##name *b = blocks;                                                    \
    bool fits = ck_all_finite(x, n);                                          \
    for (size_t i = 0; fits && i < n / CK_BLOCK_VALUES; i++) {                \
      fits = pack_block_##name(x + i * CK_BLOCK_VALUES, b + i);               \
    }                                                                         \
    return fits;                                                              \
  }
PACK(q4_0)
PACK(q4_1)
PACK(q5_0)
PACK(q5_1)
PACK(q8_0)
