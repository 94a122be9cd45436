// Element-wise steps: conversions and argmax exactly, the rest within a stated error.
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"

static const size_t sizes[] = {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 130, 576};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 576 };

// Units in the last place of `expected` between the two; 0 for two NaN.
static double ulps(float expected, float actual) {
  if (isnan(expected) || isnan(actual)) return isnan(expected) && isnan(actual) ? 0 : INFINITY;
  if (expected == actual) return 0;
  const float magnitude = fmaxf(fabsf(expected), FLT_MIN);
  return fabs((double)actual - expected) / (nextafterf(magnitude, INFINITY) - (double)magnitude);
}

static double worst_ulps(const float *expected, const float *actual, size_t n) {
  double worst = 0;
  for (size_t i = 0; i < n; i++) worst = fmax(worst, ulps(expected[i], actual[i]));
  return worst;
}

static void check_conversions(const ck_float_table *t, const ck_float_table *scalar) {
  enum { ALL = 65536 };
  uint16_t *halves = reserve(ALL, sizeof *halves), *back = reserve(ALL, sizeof *back);
  float *a = reserve(ALL, sizeof *a), *b = reserve(ALL, sizeof *b);
  for (size_t i = 0; i < ALL; i++) halves[i] = (uint16_t)i;
  scalar->from_f16(halves, ALL, a);
  t->from_f16(halves, ALL, b);
  CHECK(memcmp(a, b, ALL * sizeof *a) == 0, "%s from_f16 of every half", ck_isa_name(t->isa));

  // Every half, the midpoint to the next, and one float to either side of both.
  uint16_t expected[6], actual[6];
  size_t wrong = 0;
  for (size_t i = 0; i + 1 < ALL; i++) {
    const float middle = isfinite(a[i]) && isfinite(a[i + 1]) ? (a[i] + a[i + 1]) / 2 : a[i];
    const float x[6] = {a[i], nextafterf(a[i], INFINITY), nextafterf(a[i], -INFINITY), middle,
                        nextafterf(middle, INFINITY), nextafterf(middle, -INFINITY)};
    scalar->to_f16(x, 6, expected);
    t->to_f16(x, 6, actual);
    wrong += memcmp(expected, actual, sizeof expected) != 0;
  }
  CHECK(wrong == 0, "%s to_f16 around every half: %zu wrong", ck_isa_name(t->isa), wrong);

  generator g = {5};
  for (size_t i = 0; i < ALL; i++) {
    const uint32_t bits = (uint32_t)(next_bits(&g) >> 32);
    memcpy(&a[i], &bits, sizeof bits);
  }
  scalar->to_f16(a, ALL, halves);
  t->to_f16(a, ALL, back);
  CHECK(memcmp(halves, back, ALL * sizeof *back) == 0, "%s to_f16", ck_isa_name(t->isa));
  free(halves), free(back), free(a), free(b);
}

static void check_size(const ck_float_table *t, const ck_float_table *scalar, size_t n) {
  generator g = {100 + n};
  const char *name = ck_isa_name(t->isa);
  float *x = random_floats(&g, n, 6), *y = random_floats(&g, n, 2);
  float a[LARGEST], b[LARGEST];
  const size_t bytes = n * sizeof(float);

  scalar->rms_norm(x, y, n, 1e-5f, a);
  t->rms_norm(x, y, n, 1e-5f, b);
  CHECK(worst_ulps(a, b, n) <= 6, "%s rms_norm %zu: %g", name, n, worst_ulps(a, b, n));
  memcpy(b, x, bytes);
  scalar->rms_norm(x, NULL, n, 1e-5f, a);
  t->rms_norm(b, NULL, n, 1e-5f, b);
  CHECK(worst_ulps(a, b, n) <= 6, "%s rms_norm in place %zu", name, n);

  scalar->silu_mul(x, y, n, a);
  t->silu_mul(x, y, n, b);
  CHECK(worst_ulps(a, b, n) <= 4, "%s silu %zu: %g", name, n, worst_ulps(a, b, n));
  // The error of u = O(x^3) grows by the exponential; at |x| = 6 u is 13.
  scalar->gelu_mul(x, y, n, a);
  t->gelu_mul(x, y, n, b);
  CHECK(worst_ulps(a, b, n) <= 40, "%s gelu %zu: %g", name, n, worst_ulps(a, b, n));
  memcpy(a, x, bytes), memcpy(b, x, bytes);
  scalar->softcap(2.5f, n, a);
  t->softcap(2.5f, n, b);
  CHECK(worst_ulps(a, b, n) <= 5, "%s softcap %zu: %g", name, n, worst_ulps(a, b, n));

  memcpy(a, x, bytes), memcpy(b, x, bytes);
  scalar->add(y, n, a), t->add(y, n, b);
  CHECK(memcmp(a, b, bytes) == 0, "%s add %zu", name, n);
  scalar->scale(1.7f, n, a), t->scale(1.7f, n, b);
  CHECK(memcmp(a, b, bytes) == 0, "%s scale %zu", name, n);
  free(x), free(y);
}

// The elements after the last are left alone.
static void check_bounds(const ck_float_table *t, size_t n) {
  float x[LARGEST + 32], y[LARGEST + 32];
  uint16_t h[LARGEST + 32] = {0};
  for (size_t i = 0; i < LARGEST + 32; i++) x[i] = 0.5f, y[i] = 9, h[i] = 9;
  t->silu_mul(x, x, n, y);
  t->gelu_mul(x, x, n, y);
  t->add(x, n, y);
  t->scale(2, n, y);
  t->softcap(3, n, y);
  t->from_f16(h, n, y);
  t->rms_norm(x, x, n, 0, y);
  t->to_f16(x, n, h);
  bool kept = true;
  for (size_t i = n; i < n + 32; i++) kept = kept && y[i] == 9 && h[i] == 9;
  CHECK(kept, "%s wrote beyond %zu elements", ck_isa_name(t->isa), n);
}

static void check_extremes(const ck_float_table *t, const ck_float_table *scalar) {
  static const float x[] = {0, -0.0f, 1e-30f, -1e-30f, 1e-4f, 88, 89, 95, -86, -88, 104, -104,
                            1e9f, -1e9f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN};
  enum { N = sizeof x / sizeof *x };
  float ones[N], a[N], b[N];
  for (size_t i = 0; i < N; i++) ones[i] = 1;
  const char *name = ck_isa_name(t->isa);
  scalar->silu_mul(x, ones, N, a), t->silu_mul(x, ones, N, b);
  // Below -88 the denominator is infinite in float32: 0 stands for less than 1e-36.
  for (size_t i = 0; i < N; i++)
    CHECK(ulps(a[i], b[i]) <= 6 || fabsf(a[i] - b[i]) < 1e-35f, "%s silu(%g) = %g, not %g", name,
          (double)x[i], (double)b[i], (double)a[i]);
  scalar->gelu_mul(x, ones, N, a), t->gelu_mul(x, ones, N, b);
  for (size_t i = 0; i < N; i++)
    CHECK(ulps(a[i], b[i]) <= 6, "%s gelu(%g) = %g, not %g", name, (double)x[i], (double)b[i],
          (double)a[i]);
  memcpy(a, x, sizeof a), memcpy(b, x, sizeof b);
  scalar->softcap(1, N, a), t->softcap(1, N, b);
  for (size_t i = 0; i < N; i++)
    CHECK(ulps(a[i], b[i]) <= 3 && signbit(a[i]) == signbit(b[i]), "%s tanh(%g) = %g, not %g",
          name, (double)x[i], (double)b[i], (double)a[i]);
}

static void check_rope(const ck_float_table *t, const ck_float_table *scalar, size_t head_dim,
                       size_t pairs, ck_rope_pairing pairing) {
  enum { HEADS = 3 };
  generator g = {head_dim * 131 + pairs};
  float *a = random_floats(&g, HEADS * head_dim, 4), *b = reserve(HEADS * head_dim, sizeof *b);
  float *cosine = random_floats(&g, pairs, 1), *sine = random_floats(&g, pairs, 1);
  memcpy(b, a, HEADS * head_dim * sizeof *a);
  scalar->rope(a, HEADS, head_dim, pairs, cosine, sine, pairing);
  t->rope(b, HEADS, head_dim, pairs, cosine, sine, pairing);
  float worst = 0;
  for (size_t i = 0; i < HEADS * head_dim; i++) {
    const float difference = fabsf(a[i] - b[i]);
    if (!(difference <= worst)) worst = difference;  // NaN too
  }
  // Two products of at most 4, each rounded to half a unit of 2^-22 at most.
  CHECK(worst <= 0x1p-21f, "%s rope %zu of %zu: %g", ck_isa_name(t->isa), pairs, head_dim,
        (double)worst);
  free(a), free(b), free(cosine), free(sine);
}

static void check_argmax(const ck_float_table *t, const ck_float_table *scalar) {
  generator g = {9};
  enum { N = 3000 };
  float *x = reserve(N, sizeof *x);
  size_t wrong = 0;
  for (size_t round = 0; round < 400; round++) {
    const size_t n = 1 + next_bits(&g) % (round % 2 ? N : 40);
    for (size_t i = 0; i < n; i++) {  // few different values: many equals
      const uint64_t kind = next_bits(&g) >> 60;
      x[i] = kind == 0 ? NAN : kind == 1 || round % 7 == 0 ? -INFINITY : (float)(kind % 5);
    }
    wrong += scalar->argmax(x, n) != t->argmax(x, n);
  }
  for (size_t i = 0; i < N; i++) x[i] = NAN;
  wrong += t->argmax(x, N) != 0;
  x[N - 1] = -INFINITY;
  wrong += t->argmax(x, N) != N - 1;
  CHECK(wrong == 0, "%s argmax: %zu wrong", ck_isa_name(t->isa), wrong);
  free(x);
}

void check_floats(ck_isa isa) {
  const ck_float_table *t = ck_float_table_for(isa);
  const ck_float_table *scalar = ck_float_table_for(CK_ISA_SCALAR);
  CHECK(t && scalar && t->isa == isa, "no float table for %s", ck_isa_name(isa));
  if (!t || !scalar) return;
  check_conversions(t, scalar);
  check_extremes(t, scalar);
  check_argmax(t, scalar);
  for (size_t i = 0; i < SIZES; i++) {
    check_size(t, scalar, sizes[i]);
    check_bounds(t, sizes[i]);
  }
  for (size_t pairs = 0; pairs <= 40; pairs++) {
    check_rope(t, scalar, 80, pairs, CK_ROPE_ADJACENT);
    check_rope(t, scalar, 80, pairs, CK_ROPE_HALVES);
  }
}
