// A search in two parts, as in k-means: given a scale each value has a nearest code, and given the
// codes the best scale follows by least squares. It finds the nearest valley, so it starts from
// several places, of which the stretch of the extreme value's code matters most.
//
// All sums have eight lanes that are added in a fixed order, and no product is fused with a sum, so
// every machine finds the same.
#include "ck_fit.h"

#include <float.h>
#include <math.h>

#include "ck_vector.h"

#pragma STDC FP_CONTRACT OFF

// The greatest code is stretched by so many steps of so much in either direction.
enum { STRETCHES = 9 };
#define STRETCH_STEP 0.1f

CK_INLINE float lane_sum(f32x8 v) {
  const f32x4 four = CK_LOW4(v) + CK_HIGH4(v);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

CK_INLINE f32x8 all(float value) { return (f32x8){0} + value; }

// At 1.5 * 2^23 the unit in the last place is 1: the addition rounds to an integer.
CK_INLINE f32x8 nearest(f32x8 v, ck_codes codes) {
  v = __builtin_elementwise_min(__builtin_elementwise_max(v, all(codes.lowest)),
                                all(codes.highest));
  return (v + 0x1.8p23f) - 0x1.8p23f;
}

// 1 / scale, or 0 where that is no number.
CK_INLINE float inverse(float scale) {
  return fabsf(scale) < 1 / FLT_MAX ? 0 : 1 / scale;
}

void ck_fit_codes(const float *x, size_t n, ck_codes codes, ck_line line, float *out) {
  const float factor = inverse(line.scale);
  for (size_t k = 0; k < n; k += 8) {
    const f32x8 q = nearest((load_f32x8(x + k) - line.minimum) * factor, codes);
    memcpy(out + k, &q, sizeof q);
  }
}

float ck_fit_error(const float *x, size_t n, ck_codes codes, ck_line line) {
  const float factor = inverse(line.scale);
  f32x8 sum = {0};
  for (size_t k = 0; k < n; k += 8) {
    const f32x8 v = load_f32x8(x + k) - line.minimum;
    const f32x8 rest = v - nearest(v * factor, codes) * line.scale;
    sum += rest * rest;
  }
  return lane_sum(sum);
}

// --- a scale alone ---

// What codes c say about x: the best scale is xc / cc, and it explains xc^2 / cc of the squares.
typedef struct scale_sums {
  float xc, cc;
} scale_sums;

CK_INLINE scale_sums sums_at(const float *x, size_t n, ck_codes codes, float factor) {
  f32x8 xc = {0}, cc = {0};
  for (size_t k = 0; k < n; k += 8) {
    const f32x8 v = load_f32x8(x + k);
    const f32x8 q = nearest(v * factor, codes);
    xc += v * q;
    cc += q * q;
  }
  return (scale_sums){lane_sum(xc), lane_sum(cc)};
}

static float extreme(const float *x, size_t n) {
  float found = 0;
  for (size_t k = 0; k < n; k++) {
    if (fabsf(x[k]) > fabsf(found)) found = x[k];
  }
  return found;
}

float ck_fit_scale(const float *x, size_t n, ck_codes codes) {
  const float largest = extreme(x, n);
  if (fabsf(largest) < 1 / FLT_MAX) return 0;
  const float ends[2] = {codes.lowest, codes.highest};
  float best = 0, explained = 0;
  for (size_t end = 0; end < 2; end++) {
    for (int i = -STRETCHES; i <= STRETCHES; i++) {
      const float code = ends[end] + STRETCH_STEP * (float)i;
      const scale_sums s = sums_at(x, n, codes, code / largest);
      if (s.cc == 0 || s.xc * s.xc <= explained * s.cc) continue;
      explained = s.xc * s.xc / s.cc;
      best = s.xc / s.cc;
    }
  }
  return best;
}

// --- a scale and a minimum ---

// The same with deviations from the mean of x and of c.
CK_INLINE ck_line line_through(const float *x, size_t n, ck_codes codes, ck_line start, float mean,
                               float ceiling, float *explained) {
  const float factor = inverse(start.scale);
  f32x8 xc = {0}, cc = {0}, c = {0}, yc = {0};
  for (size_t k = 0; k < n; k += 8) {
    const f32x8 v = load_f32x8(x + k);
    const f32x8 q = nearest((v - start.minimum) * factor, codes);
    yc += (v - mean) * q;
    xc += v * q;
    cc += q * q;
    c += q;
  }
  const float sum = lane_sum(c), squares = lane_sum(cc), covariance = lane_sum(yc);
  const float variance = squares - sum * sum / (float)n;
  *explained = -1;
  if (variance <= 0 || squares == 0) return start;
  ck_line line = {.scale = covariance / variance};
  line.minimum = mean - line.scale * sum / (float)n;
  *explained = covariance * covariance / variance;
  if (line.minimum > ceiling) {
    // The best line that keeps the limit goes through it.
    const float product = lane_sum(xc) - ceiling * sum;
    line = (ck_line){.scale = product / squares, .minimum = ceiling};
    // Squares around the limit, made comparable with those around the mean.
    const float shift = mean - ceiling;
    *explained = product * product / squares - (float)n * shift * shift;
  }
  return line;
}

ck_line ck_fit_line(const float *x, size_t n, float highest, float ceiling) {
  const ck_codes codes = {0, highest};
  float low = x[0], high = x[0], total = 0;
  for (size_t k = 0; k < n; k++) {
    low = x[k] < low ? x[k] : low;
    high = x[k] > high ? x[k] : high;
    total += x[k];
  }
  if (low > ceiling) low = ceiling;
  const float range = high - low, mean = total / (float)n;
  ck_line best = {0, mean < ceiling ? mean : ceiling};
  if (range < 1 / FLT_MAX) return (ck_line){0, low};
  float explained = -FLT_MAX;
  for (int i = -STRETCHES; i <= STRETCHES; i++) {
    ck_line line = {range / (highest + STRETCH_STEP * (float)i), low};
    for (int step = 0; step < 3; step++) {
      float found;
      line = line_through(x, n, codes, line, mean, ceiling, &found);
      if (found <= explained) continue;
      explained = found;
      best = line;
    }
  }
  return best;
}
