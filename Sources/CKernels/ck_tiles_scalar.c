// The tile functions in portable C, which define the fast ones.
#include <math.h>
#include <string.h>

#include "ck_half.h"
#include "ck_interleave.h"
#include "ck_matmul.h"
#include "ck_matmul_tables.h"
#include "ck_tiles.h"

#pragma STDC FP_CONTRACT OFF

// Round to nearest even; subnormal numbers become zero, as the instruction does it.
static uint16_t to_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7f800000) == 0) return (uint16_t)(bits >> 16 & 0x8000);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float from_bf16(uint16_t x) {
  return (x & 0x7f80) == 0 ? 0 : ck_float_from_bits((uint32_t)x << 16);
}

static void pack(const float *x, size_t cols, size_t row, uint16_t *tiles) {
  for (size_t k = 0; k < cols; k++) {
    const size_t at = k / CK_TILE_STEP * CK_TILE_VALUES + row * CK_TILE_STEP + k % CK_TILE_STEP;
    tiles[at] = to_bf16(x[k]);
  }
}

static void expand(ck_type type, const void *group, size_t chunk, size_t steps, uint16_t *tiles) {
  const ck_type_info *info = ck_type_info_for((int)type);
  const size_t count = steps * CK_TILE_STEP / info->block_values;
  uint8_t block[512];
  float values[512];
  for (size_t row = 0; row < CK_GROUP_ROWS; row++) {
    for (size_t b = 0; b < count; b++) {
      ck_interleaved_block(type, group, row, chunk * 256 / info->block_values + b, block);
      ck_matmul_table_scalar.dequantize[type](block, info->block_values, values);
      for (size_t i = 0; i < info->block_values; i++) {
        const size_t k = b * info->block_values + i;
        uint16_t *tile = tiles + k / CK_TILE_STEP * CK_TILE_VALUES;
        // Adding zero turns -0 into +0.
        tile[k % CK_TILE_STEP / 2 * 2 * CK_GROUP_ROWS + 2 * row + k % 2] = to_bf16(values[i] + 0.0f);
      }
    }
  }
}

static float product(const ck_tile_product *p, size_t token, size_t row, float sum) {
  const uint16_t *w = p->w + row / CK_GROUP_ROWS * p->w_stride * CK_TILE_VALUES;
  const uint16_t *x = p->x + token / CK_TILE_TOKENS * p->x_stride * CK_TILE_VALUES;
  for (size_t s = 0; s < p->steps; s++, w += CK_TILE_VALUES, x += CK_TILE_VALUES) {
    float part[2] = {0, 0};
    for (size_t k = 0; k < CK_TILE_STEP; k++) {
      const uint16_t weight =
          w[k / 2 * 2 * CK_GROUP_ROWS + 2 * (row % CK_GROUP_ROWS) + k % 2];
      const uint16_t value = x[token % CK_TILE_TOKENS * CK_TILE_STEP + k];
      part[k % 2] = fmaf(from_bf16(weight), from_bf16(value), part[k % 2]);
    }
    sum += part[0] + part[1];
  }
  return sum;
}

static void multiply(const ck_tile_product *p) {
  for (size_t t = 0; t < p->tokens; t++) {
    for (size_t r = 0; r < p->groups * CK_GROUP_ROWS; r++) {
      float *y = p->y + t * p->y_stride + r;
      *y = product(p, t, r, p->add ? *y : 0);
    }
  }
}

static void nothing(void) {}

#define EXPAND(name, type)                                                                  \
  static void expand_##name(const void *group, size_t chunk, size_t steps, uint16_t *tiles) { \
    expand(type, group, chunk, steps, tiles);                                               \
  }
#define EXPAND_ENTRY(name, type) [type] = expand_##name,
CK_INTERLEAVED_TYPES(EXPAND)

const ck_tile_table ck_tile_table_scalar = {
    .pack = pack,
    .expand = {CK_INTERLEAVED_TYPES(EXPAND_ENTRY)},
    .multiply = multiply,
    .begin = nothing,
    .end = nothing,
};
