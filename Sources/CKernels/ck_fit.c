// Given a scale each value has a nearest code, and given the codes the best scale follows by least
// squares. Doing both in turn finds the nearest valley, so a search starts from several scales: those
// that give the extreme value a code near its end of the range.
//
// The starts are the lanes of a vector. Every lane does the same operations in the same order
// whatever the width of the registers, and no product is fused with a sum, so every machine finds
// the same.
#include "ck_fit.h"

#include <float.h>
#include <math.h>

#include "ck_vector.h"

#pragma STDC FP_CONTRACT OFF

// Vectors of starts; how far the codes of the extreme value are apart in them; and how often a line
// is improved. More of each finds little more.
enum { SCALE_VECTORS = 3, LINE_VECTORS = 2, LINE_STEPS = 3 };
#define SCALE_STEP 0.25f
#define LINE_STEP 0.2f

// Values and scales below are no different from 0: the smallest scale of a file is 2^-24.
#define SMALLEST 0x1p-60f

CK_INLINE f32x8 all(float value) { return (f32x8){0} + value; }

// a where the lanes of `which` are set, else b. With a comparison of the two the compiler makes one
// instruction of it; the functions for minimum and maximum, which respect NaN, would need five.
CK_INLINE f32x8 choose(i32x8 which, f32x8 a, f32x8 b) {
  return (f32x8)((which & (i32x8)a) | (~which & (i32x8)b));
}

// At 1.5 * 2^23 the unit in the last place is 1: the addition rounds to an integer.
CK_INLINE f32x8 nearest(f32x8 v, f32x8 lowest, f32x8 highest) {
  v = choose(v < lowest, lowest, v);
  v = choose(v > highest, highest, v);
  return (v + 0x1.8p23f) - 0x1.8p23f;
}

// 1 / scale, or 0.
CK_INLINE float inverse(float scale) { return fabsf(scale) < SMALLEST ? 0 : 1 / scale; }

void ck_fit_codes(const float *x, size_t n, ck_codes codes, ck_line line, float *out) {
  const float factor = inverse(line.scale);
  for (size_t k = 0; k < n; k += 8) {
    const f32x8 v = (load_f32x8(x + k) - line.minimum) * factor;
    const f32x8 q = nearest(v, all(codes.lowest), all(codes.highest));
    memcpy(out + k, &q, sizeof q);
  }
}

float ck_fit_error(const float *x, size_t n, ck_codes codes, ck_line line) {
  const float factor = inverse(line.scale);
  f32x8 sum = {0};
  for (size_t k = 0; k < n; k += 8) {
    const f32x8 v = load_f32x8(x + k) - line.minimum;
    const f32x8 q = nearest(v * factor, all(codes.lowest), all(codes.highest));
    const f32x8 rest = v - q * line.scale;
    sum += rest * rest;
  }
  const f32x4 four = CK_LOW4(sum) + CK_HIGH4(sum);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

float ck_extreme(const float *x, size_t n) {
  float found = 0;
  for (size_t k = 0; k < n; k++) {
    if (fabsf(x[k]) > fabsf(found)) found = x[k];
  }
  return found;
}

// --- a scale alone ---

float ck_fit_scale(const float *x, size_t n, ck_codes codes) {
  const float largest = ck_extreme(x, n);
  if (fabsf(largest) < SMALLEST) return 0;
  const f32x8 lowest = all(codes.lowest), highest = all(codes.highest);
  const f32x8 ends = {codes.lowest,  codes.lowest,  codes.lowest,  codes.lowest,
                      codes.highest, codes.highest, codes.highest, codes.highest};
  const f32x8 spread = {-2, -1, 0, 1, -1, 0, 1, 2};  // one more outwards than inwards
  float best = 0, explained = 0;
  for (int i = 0; i < SCALE_VECTORS; i++) {
    const float shift = (float)(4 * i) - 2 * (SCALE_VECTORS - 1);
    const f32x8 factor = (ends + (spread + shift) * SCALE_STEP) / largest;
    f32x8 xc = {0}, cc = {0};
    for (size_t k = 0; k < n; k++) {
      const f32x8 q = nearest(factor * x[k], lowest, highest);
      xc += q * x[k];
      cc += q * q;
    }
    // The best scale for codes c is xc / cc, and explains xc^2 / cc of the squares.
    for (size_t lane = 0; lane < 8; lane++) {
      if (cc[lane] == 0 || xc[lane] * xc[lane] <= explained * cc[lane]) continue;
      explained = xc[lane] * xc[lane] / cc[lane];
      best = xc[lane] / cc[lane];
    }
  }
  return best;
}

// --- a scale and a minimum ---

// Eight lines, and how many of the squares around the mean each explains.
typedef struct lines {
  f32x8 scale, minimum, explained;
} lines;

// The best lines for the codes that x has on the present ones, `mean` being that of x.
CK_INLINE void improve(const float *x, size_t n, float highest, float ceiling, float mean,
                       lines *l) {
  const f32x8 zero = {0}, one = all(1), top = all(highest), count = all((float)n);
  const i32x8 flat = l->scale < SMALLEST;
  const f32x8 factor = choose(flat, zero, 1 / choose(flat, one, l->scale));
  f32x8 c = {0}, cc = {0}, yc = {0};
  for (size_t k = 0; k < n; k++) {
    const f32x8 q = nearest((x[k] - l->minimum) * factor, zero, top);
    c += q;
    cc += q * q;
    yc += q * (x[k] - mean);
  }
  // n times the variance of the codes; at least (n - 1) / n where they differ.
  const f32x8 variance = cc - c * c / count;
  const i32x8 differ = variance > 0.5f;
  const f32x8 divisor = choose(differ, variance, one);
  const f32x8 scale = yc / divisor, minimum = mean - scale * c / count;
  // Where the minimum would be above the ceiling, the best line that keeps to it: the squares are
  // those around the ceiling then, which are more by a constant.
  const f32x8 xc = yc + c * (mean - ceiling);
  const f32x8 squares = choose(cc > 0.5f, cc, one);
  const float shift = (mean - ceiling) * (mean - ceiling) * (float)n;
  const i32x8 high = minimum > ceiling;
  l->scale = choose(high, xc / squares, scale);
  l->minimum = choose(high, all(ceiling), minimum);
  l->explained = choose(high, xc * xc / squares - shift, yc * yc / divisor);
  // Codes that are all the same say nothing of a line, but they do of one through the ceiling.
  l->explained = choose(differ | (high & (cc > 0.5f)), l->explained, all(-FLT_MAX));
}

ck_line ck_fit_line(const float *x, size_t n, float highest, float ceiling) {
  float low = x[0], high = x[0], total = 0;
  for (size_t k = 0; k < n; k++) {
    low = x[k] < low ? x[k] : low;
    high = x[k] > high ? x[k] : high;
    total += x[k];
  }
  if (low > ceiling) low = ceiling;
  const float range = high - low, mean = total / (float)n;
  if (range < SMALLEST) return (ck_line){0, low};
  ck_line best = {0, mean < ceiling ? mean : ceiling};
  float explained = -FLT_MAX;
  const f32x8 spread = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int i = 0; i < LINE_VECTORS; i++) {
    const float shift = (float)(8 * i - 4 * LINE_VECTORS);
    lines l = {range / (highest + (spread + shift) * LINE_STEP), all(low), {0}};
    for (int step = 0; step < LINE_STEPS; step++) {
      improve(x, n, highest, ceiling, mean, &l);
      for (size_t lane = 0; lane < 8; lane++) {
        if (l.explained[lane] <= explained) continue;
        explained = l.explained[lane];
        best = (ck_line){l.scale[lane], l.minimum[lane]};
      }
    }
  }
  return best;
}
