// Packers of the types with superblocks of 256 values, whose scales are integers themselves.
//
// First every sub-block gets the scale it would like best; the largest of them fixes the scale of
// the scales. Then the integers of each sub-block are searched around that wish, and the scales of
// the superblock follow from all codes by least squares; the two steps are repeated.
#include <float.h>
#include <math.h>

#include "ck_fit.h"
#include "ck_pack_types.h"

#pragma STDC FP_CONTRACT OFF

enum { ROUNDS = 4 };

static int clamped(float value, int lowest, int highest) {
  return value < (float)lowest ? lowest : value > (float)highest ? highest : (int)rintf(value);
}

// --- Q4_K, Q5_K: eight sub-blocks of 32 with a scale and a minimum of 6 bits each ---

enum { LARGEST_SCALE = 63 };

// value = d * scale[k/32] * code - dmin * minimum[k/32]
typedef struct line_block {
  float d, dmin;
  int scale[CK_SUPER_BLOCKS], minimum[CK_SUPER_BLOCKS];
} line_block;

static ck_line line_of(const line_block *b, size_t i) {
  return (ck_line){b->d * (float)b->scale[i], -(b->dmin * (float)b->minimum[i])};
}

// The best of the scales and minima beside the present ones.
static float search_lines(const float *x, ck_codes codes, line_block *b) {
  float total = 0;
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) {
    const int scale = b->scale[i], minimum = b->minimum[i];
    int best_scale = scale, best_minimum = minimum;
    float least = FLT_MAX;
    for (int step = 0; step < 9; step++) {
      b->scale[i] = clamped((float)(scale + step % 3 - 1), 0, LARGEST_SCALE);
      b->minimum[i] = clamped((float)(minimum + step / 3 - 1), 0, LARGEST_SCALE);
      const float error =
          ck_fit_error(x + i * CK_BLOCK_VALUES, CK_BLOCK_VALUES, codes, line_of(b, i));
      if (error >= least) continue;
      least = error;
      best_scale = b->scale[i];
      best_minimum = b->minimum[i];
    }
    b->scale[i] = best_scale;
    b->minimum[i] = best_minimum;
    total += least;
  }
  return total;
}

// The d and dmin that fit the codes best: two linear equations.
static void solve_lines(const float *x, ck_codes codes, line_block *b) {
  double aa = 0, ab = 0, bb = 0, xa = 0, xb = 0;
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) {
    float q[CK_BLOCK_VALUES];
    ck_fit_codes(x + i * CK_BLOCK_VALUES, CK_BLOCK_VALUES, codes, line_of(b, i), q);
    double sum = 0, squares = 0, products = 0, values = 0;
    for (size_t k = 0; k < CK_BLOCK_VALUES; k++) {
      const float v = x[i * CK_BLOCK_VALUES + k];
      sum += q[k];
      squares += q[k] * q[k];
      products += v * q[k];
      values += v;
    }
    const double s = b->scale[i], m = b->minimum[i];
    aa += s * s * squares;
    ab += s * m * sum;
    bb += m * m * CK_BLOCK_VALUES;
    xa += s * products;
    xb += m * values;
  }
  const double determinant = aa * bb - ab * ab;
  if (determinant > 1e-9 * aa * bb) {
    b->d = (float)((xa * bb - xb * ab) / determinant);
    b->dmin = (float)((xa * ab - xb * aa) / determinant);
  } else if (aa > 0) {
    b->d = (float)((xa + b->dmin * ab) / aa);
  }
  b->d = ck_rounded_to_half(b->d);
  b->dmin = ck_rounded_to_half(b->dmin);
}

static void fit_line_block(const float *x, ck_codes codes, line_block *best) {
  ck_line wish[CK_SUPER_BLOCKS];
  float scale = 0, minimum = 0;
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) {
    wish[i] = ck_fit_line(x + i * CK_BLOCK_VALUES, CK_BLOCK_VALUES, codes.highest, 0);
    scale = fmaxf(scale, wish[i].scale);
    minimum = fmaxf(minimum, -wish[i].minimum);
  }
  line_block b = {ck_rounded_to_half(scale / LARGEST_SCALE),
                  ck_rounded_to_half(minimum / LARGEST_SCALE), {0}, {0}};
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) {
    b.scale[i] = b.d > 0 ? clamped(wish[i].scale / b.d, 0, LARGEST_SCALE) : 0;
    b.minimum[i] = b.dmin > 0 ? clamped(-wish[i].minimum / b.dmin, 0, LARGEST_SCALE) : 0;
  }
  *best = b;
  float least = search_lines(x, codes, &b);
  *best = b;
  for (int round = 0; round < ROUNDS; round++) {
    solve_lines(x, codes, &b);
    const float error = search_lines(x, codes, &b);
    if (error >= least) return;
    least = error;
    *best = b;
  }
}

// Four pairs plainly, the other four with their upper bits in the spare ones of the first.
static void store_scales(const line_block *b, uint8_t *out) {
  for (size_t i = 0; i < 4; i++) {
    out[i] = (uint8_t)(b->scale[i] | b->scale[i + 4] >> 4 << 6);
    out[i + 4] = (uint8_t)(b->minimum[i] | b->minimum[i + 4] >> 4 << 6);
    out[i + 8] = (uint8_t)((b->scale[i + 4] & 15) | (b->minimum[i + 4] & 15) << 4);
  }
}

// Fits, stores all but the codes, and gives those.
static bool pack_lines(const float *x, float highest, uint8_t *d, uint8_t *dmin, uint8_t *scales,
                       uint8_t *codes) {
  line_block b;
  fit_line_block(x, (ck_codes){0, highest}, &b);
  if (!ck_is_finite(b.d) || !ck_is_finite(b.dmin)) return false;
  ck_store_half(d, b.d);
  ck_store_half(dmin, b.dmin);
  store_scales(&b, scales);
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) {
    float q[CK_BLOCK_VALUES];
    ck_fit_codes(x + i * CK_BLOCK_VALUES, CK_BLOCK_VALUES, (ck_codes){0, highest}, line_of(&b, i),
                 q);
    for (size_t k = 0; k < CK_BLOCK_VALUES; k++) codes[i * CK_BLOCK_VALUES + k] = (uint8_t)q[k];
  }
  return true;
}

// Low halves of the codes: sub-block 2g in the low, 2g + 1 in the high nibbles of 32 bytes.
static void store_pairs(const uint8_t *codes, uint8_t *q) {
  for (size_t k = 0; k < CK_SUPER_VALUES / 2; k++) {
    const uint8_t *pair = codes + k / 32 * 64 + k % 32;
    q[k] = (uint8_t)((pair[0] & 15) | pair[32] << 4);
  }
}

static bool pack_block_q4_k(const float *x, ck_q4_k *b) {
  uint8_t codes[CK_SUPER_VALUES];
  if (!pack_lines(x, 15, b->d, b->dmin, b->scales, codes)) return false;
  store_pairs(codes, b->q);
  return true;
}

static bool pack_block_q5_k(const float *x, ck_q5_k *b) {
  uint8_t codes[CK_SUPER_VALUES];
  if (!pack_lines(x, 31, b->d, b->dmin, b->scales, codes)) return false;
  store_pairs(codes, b->q);
  memset(b->qh, 0, sizeof b->qh);
  for (size_t k = 0; k < CK_SUPER_VALUES; k++) {
    b->qh[k % 32] |= (uint8_t)((codes[k] >> 4) << (k / 32));
  }
  return true;
}

// --- Q6_K: sixteen groups of 16 with a signed scale of 8 bits each ---

enum { GROUPS = 16, GROUP_VALUES = 16, LOWEST_SCALE = -128, HIGHEST_SCALE = 127 };
static const ck_codes six_bits = {-32, 31};

// value = d * scale[k/16] * code
typedef struct scale_block {
  float d;
  int scale[GROUPS];
} scale_block;

static float search_scales(const float *x, scale_block *b) {
  float total = 0;
  for (size_t g = 0; g < GROUPS; g++) {
    const int wish = b->scale[g];
    float least = FLT_MAX;
    for (int step = -1; step <= 1; step++) {
      const int scale = clamped((float)(wish + step), LOWEST_SCALE, HIGHEST_SCALE);
      const float error = ck_fit_error(x + g * GROUP_VALUES, GROUP_VALUES, six_bits,
                                       (ck_line){b->d * (float)scale, 0});
      if (error >= least) continue;
      least = error;
      b->scale[g] = scale;
    }
    total += least;
  }
  return total;
}

// The d that fits the codes best.
static void solve_scale(const float *x, scale_block *b) {
  double products = 0, squares = 0;
  for (size_t g = 0; g < GROUPS; g++) {
    float q[GROUP_VALUES];
    const float scale = (float)b->scale[g];
    ck_fit_codes(x + g * GROUP_VALUES, GROUP_VALUES, six_bits, (ck_line){b->d * scale, 0}, q);
    for (size_t k = 0; k < GROUP_VALUES; k++) {
      products += (double)x[g * GROUP_VALUES + k] * (q[k] * scale);
      squares += (double)(q[k] * scale) * (q[k] * scale);
    }
  }
  if (squares > 0) b->d = ck_rounded_to_half((float)(products / squares));
}

static void fit_scale_block(const float *x, scale_block *best) {
  float wish[GROUPS], largest = 0;
  for (size_t g = 0; g < GROUPS; g++) {
    wish[g] = ck_fit_scale(x + g * GROUP_VALUES, GROUP_VALUES, six_bits);
    if (fabsf(wish[g]) > fabsf(largest)) largest = wish[g];
  }
  scale_block b = {ck_rounded_to_half(largest / LOWEST_SCALE), {0}};
  for (size_t g = 0; g < GROUPS; g++) {
    b.scale[g] = b.d == 0 ? 0 : clamped(wish[g] / b.d, LOWEST_SCALE, HIGHEST_SCALE);
  }
  float least = search_scales(x, &b);
  *best = b;
  for (int round = 0; round < ROUNDS; round++) {
    solve_scale(x, &b);
    const float error = search_scales(x, &b);
    if (error >= least) return;
    least = error;
    *best = b;
  }
}

static bool pack_block_q6_k(const float *x, ck_q6_k *b) {
  scale_block block;
  fit_scale_block(x, &block);
  if (!ck_is_finite(block.d)) return false;
  memset(b, 0, sizeof *b);
  ck_store_half(b->d, block.d);
  for (size_t g = 0; g < GROUPS; g++) {
    float q[GROUP_VALUES];
    b->scales[g] = (int8_t)block.scale[g];
    ck_fit_codes(x + g * GROUP_VALUES, GROUP_VALUES, six_bits,
                 (ck_line){block.d * (float)block.scale[g], 0}, q);
    for (size_t i = 0; i < GROUP_VALUES; i++) {
      // Half n, part p, place l of the layout.
      const size_t k = g * GROUP_VALUES + i, n = k / 128, p = k / 32 % 4, l = k % 32;
      const uint8_t code = (uint8_t)(q[i] + 32);
      b->ql[64 * n + 32 * (p % 2) + l] |= (uint8_t)((code & 15) << (p / 2 * 4));
      b->qh[32 * n + l] |= (uint8_t)((code >> 4) << (2 * p));
    }
  }
  return true;
}

CK_PACK_BLOCKS(q4_k, CK_SUPER_VALUES)
CK_PACK_BLOCKS(q5_k, CK_SUPER_VALUES)
CK_PACK_BLOCKS(q6_k, CK_SUPER_VALUES)
