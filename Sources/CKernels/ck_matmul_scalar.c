// The scalar products: portable C that defines every result bit for bit.
//
// The integer part is exact, so only the order of the float part matters, and it is fixed:
//
//   block b of 32:   i = sum of q * x                    (of s * (sum of q * x) where grouped)
//                    j = sum of x                        (of n * (sum of x) where grouped)
//                    t = a * i                           (fma(a, i, m * j) with a minimum)
//                    lane[b mod 8] = fma(x.scale[b], t, lane[b mod 8])
//                    and once more with the rest of x, where it has one
//   result:          lanes added in halves: 0+4 1+5 2+6 3+7, then 0+2 1+3, then 0+1
//
// with i and j rounded to float. Float weights do the same with sixteen lanes:
// lane[k mod 16] = fma(w[k], x[k], lane[k mod 16]), then halves of eight, four, two, one.
// The fast versions keep this order, so every instruction set gives the same bits.
#include "ck_matmul_tables.h"

#include <math.h>

#include "ck_half.h"
#include "ck_interleave.h"
#include "ck_unpack.h"

// A compiler may otherwise join a product and a sum on its own account.
#pragma STDC FP_CONTRACT OFF

enum { BLOCK_LANES = 8, FLOAT_LANES = 16, TOKEN_TILE = 8 };

// Adds the upper half of the lanes to the lower until one is left. Adding zero turns -0 into +0.
static float sum_of_lanes(float *lane, size_t n) {
  for (size_t half = n / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; i++) lane[i] += lane[i + half];
  }
  return lane[0] + 0.0f;
}

// What block `b` of 32 in `w` contributes, in units of the activations' scale.
static float block_term(ck_layout layout, const ck_unpacked *w, size_t b, const int8_t *x,
                        const int16_t *sum) {
  int32_t dot[2] = {0, 0};
  for (size_t k = 0; k < CK_BLOCK_VALUES; k++) dot[k / 16] += w->q[b * CK_BLOCK_VALUES + k] * x[k];
  const int8_t *s = w->s + 2 * b;
  const int8_t *n = w->n + 2 * b;
  switch (layout) {
    case CK_LAYOUT_PLAIN:
      return w->a[b] * (float)(dot[0] + dot[1]);
    case CK_LAYOUT_MIN:
      return fmaf(w->a[b], (float)(dot[0] + dot[1]), w->m[b] * (float)(sum[0] + sum[1]));
    case CK_LAYOUT_GROUPED:
      return w->a[b] * (float)(s[0] * dot[0] + s[1] * dot[1]);
    case CK_LAYOUT_GROUPED_MIN:
      return fmaf(w->a[b], (float)(s[0] * dot[0] + s[1] * dot[1]),
                  w->m[b] * (float)(n[0] * sum[0] + n[1] * sum[1]));
  }
  return 0;
}

// What block `b` of 32 in `w` and block `at` of the activations add to their lane.
static void add_block(ck_layout layout, const ck_unpacked *w, size_t b, const ck_q8 *x, size_t at,
                      float *lane) {
  const float term = block_term(layout, w, b, x->q + at * 32, x->sum + at * 2);
  *lane = fmaf(x->scale[at], term, *lane);
}

// Where the blocks of one weight row are.
typedef struct row_place {
  const uint8_t *start;  // of the row, or of the group of interleaved rows
  bool interleaved;
  size_t row;  // in its group
} row_place;

static void unpack_block(const ck_format *format, ck_type type, row_place place, size_t index,
                         ck_unpacked *out) {
  uint8_t block[CK_SUPER_VALUES];  // more than any block has
  if (!place.interleaved) {
    format->unpack(place.start + index * format->bytes, out);
    return;
  }
  ck_interleaved_block(type, place.start, place.row, index, block);
  format->unpack(block, out);
}

// One weight row with up to TOKEN_TILE activation rows, starting at `token`.
static void matmul_row(ck_type type, row_place place, const ck_q8 *x, size_t token, size_t tokens,
                       float *y, size_t y_stride) {
  const ck_format *format = ck_format_for(type);
  const size_t blocks = x->cols / CK_BLOCK_VALUES, apart = x->stride / CK_BLOCK_VALUES;
  float lanes[TOKEN_TILE][BLOCK_LANES] = {{0}};
  ck_unpacked w;
  for (size_t first = 0; first < blocks; first += format->blocks) {
    unpack_block(format, type, place, first / format->blocks, &w);
    for (size_t t = 0; t < tokens; t++) {
      for (size_t b = 0; b < format->blocks; b++) {
        const size_t at = (token + t) * apart + first + b;
        float *lane = &lanes[t][(first + b) % BLOCK_LANES];
        add_block(format->layout, &w, b, x, at, lane);
        if (x->rest) add_block(format->layout, &w, b, x, at + x->rest * apart, lane);
      }
    }
  }
  for (size_t t = 0; t < tokens; t++) y[t * y_stride] = sum_of_lanes(lanes[t], BLOCK_LANES);
}

static void matmul(ck_type type, const void *w, size_t row_bytes, size_t rows, const ck_q8 *x,
                   float *y, size_t y_stride) {
  for (size_t r = 0; r < rows; r++) {
    const row_place place = {(const uint8_t *)w + r * row_bytes, false, 0};
    for (size_t t = 0; t < x->tokens; t += TOKEN_TILE) {
      const size_t tokens = x->tokens - t < TOKEN_TILE ? x->tokens - t : TOKEN_TILE;
      matmul_row(type, place, x, t, tokens, y + t * y_stride + r, y_stride);
    }
  }
}

static void matmul_groups(ck_type type, const void *w, size_t row_bytes, size_t rows,
                          const ck_q8 *x, float *y, size_t y_stride) {
  for (size_t r = 0; r < rows; r++) {
    const size_t in_group = r % CK_GROUP_ROWS;
    const row_place place = {(const uint8_t *)w + (r - in_group) * row_bytes, true, in_group};
    for (size_t t = 0; t < x->tokens; t += TOKEN_TILE) {
      const size_t tokens = x->tokens - t < TOKEN_TILE ? x->tokens - t : TOKEN_TILE;
      matmul_row(type, place, x, t, tokens, y + t * y_stride + r, y_stride);
    }
  }
}

// Weight k of a row of floats.
static float float_at(ck_type type, const uint8_t *row, size_t k) {
  switch (type) {
    case CK_F16: return ck_load_half(row + 2 * k);
    case CK_BF16: return ck_float_from_bits((uint32_t)ck_load_u16(row + 2 * k) << 16);
    default: return ck_float_from_bits(ck_load_u32(row + 4 * k));
  }
}

static void matmul_float(ck_type type, const void *w, size_t row_bytes, size_t rows, size_t cols,
                         const float *x, size_t x_stride, size_t tokens, float *y,
                         size_t y_stride) {
  for (size_t r = 0; r < rows; r++) {
    const uint8_t *row = (const uint8_t *)w + r * row_bytes;
    for (size_t t = 0; t < tokens; t++) {
      float lanes[FLOAT_LANES] = {0};
      for (size_t k = 0; k < cols; k++) {
        float *lane = &lanes[k % FLOAT_LANES];
        *lane = fmaf(float_at(type, row, k), x[t * x_stride + k], *lane);
      }
      y[t * y_stride + r] = sum_of_lanes(lanes, FLOAT_LANES);
    }
  }
}

static void quantize_q8(const float *x, size_t n, int8_t *q, float *scale, int16_t *sum) {
  for (size_t b = 0; b < n / CK_Q8_BLOCK; b++, x += CK_Q8_BLOCK, q += CK_Q8_BLOCK, sum += 2) {
    float largest = 0;
    for (size_t k = 0; k < CK_Q8_BLOCK; k++) {
      const float magnitude = fabsf(x[k]);
      if (magnitude > largest) largest = magnitude;
    }
    // Below this 127 / largest would overflow; such a block counts as zeros.
    const bool zero = largest < CK_Q8_SMALLEST;
    const float inverse = zero ? 0 : CK_Q8_LARGEST / largest;
    scale[b] = zero ? 0 : largest / CK_Q8_LARGEST;
    sum[0] = sum[1] = 0;
    for (size_t k = 0; k < CK_Q8_BLOCK; k++) {
      float value = x[k] * inverse;
      if (!(value > -CK_Q8_LARGEST)) value = -CK_Q8_LARGEST;  // NaN too
      if (value > CK_Q8_LARGEST) value = CK_Q8_LARGEST;
      // At 1.5 * 2^23 the unit in the last place is 1: the addition rounds to an integer.
      const float rounded = (value + 0x1.8p23f) - 0x1.8p23f;
      q[k] = (int8_t)rounded;
      sum[k / 16] = (int16_t)(sum[k / 16] + q[k]);
    }
  }
}

static void dequantize(ck_type type, const void *blocks, size_t n, float *out) {
  const ck_format *format = ck_format_for(type);
  const uint8_t *block = blocks;
  ck_unpacked w;
  const size_t values = format->blocks * CK_BLOCK_VALUES;
  const bool grouped =
      format->layout == CK_LAYOUT_GROUPED || format->layout == CK_LAYOUT_GROUPED_MIN;
  const bool has_min = format->layout == CK_LAYOUT_MIN || format->layout == CK_LAYOUT_GROUPED_MIN;
  for (size_t first = 0; first < n; first += values, block += format->bytes) {
    format->unpack(block, &w);
    for (size_t k = 0; k < values; k++) {
      // The product is exact with a minimum, so that each value is rounded once.
      float value = w.a[k / 32];
      if (grouped) value *= (float)w.s[k / 16];
      value *= (float)w.q[k];
      if (has_min) value += grouped ? w.m[k / 32] * (float)w.n[k / 16] : w.m[k / 32];
      out[first + k] = value;
    }
  }
}

static void dequantize_float(ck_type type, const void *values, size_t n, float *out) {
  for (size_t k = 0; k < n; k++) out[k] = float_at(type, values, k);
}

#define BLOCK_TYPE(name, type)                                                               \
  static void matmul_##name(const void *w, size_t row_bytes, size_t rows, const ck_q8 *x,    \
                            float *y, size_t y_stride) {                                     \
    matmul(type, w, row_bytes, rows, x, y, y_stride);                                        \
  }                                                                                          \
  static void dequantize_##name(const void *blocks, size_t n, float *out) {                  \
    dequantize(type, blocks, n, out);                                                        \
  }
#define FLOAT_TYPE(name, type)                                                               \
  static void matmul_##name(const void *w, size_t row_bytes, size_t rows, size_t cols,       \
                            const float *x, size_t x_stride, size_t tokens, float *y,        \
                            size_t y_stride) {                                               \
    matmul_float(type, w, row_bytes, rows, cols, x, x_stride, tokens, y, y_stride);          \
  }                                                                                          \
  static void dequantize_##name(const void *values, size_t n, float *out) {                  \
    dequantize_float(type, values, n, out);                                                  \
  }
#define INTERLEAVED_TYPE(name, type)                                                         \
  static void matmul_groups_##name(const void *w, size_t row_bytes, size_t rows,             \
                                   const ck_q8 *x, float *y, size_t y_stride) {              \
    matmul_groups(type, w, row_bytes, rows, x, y, y_stride);                                 \
  }
CK_BLOCK_TYPES(BLOCK_TYPE)
CK_INTERLEAVED_TYPES(INTERLEAVED_TYPE)
CK_FLOAT_TYPES(FLOAT_TYPE)

#define CK_MATMUL_ISA CK_ISA_SCALAR
#define CK_MATMUL_TABLE ck_matmul_table_scalar
#include "ck_matmul_table_body.h"
