// Element-wise steps over the vector layer of an instruction set file:
//   vf, VF_LANES             a vector of floats
//   vf_larger, vf_smaller    x > y ? x : y and x < y ? x : y, so y where either is NaN
//   vf_power_of_2            2^n of n + ROUNDER, n an integer in -126 ... 127; 0 of -127
//   vf_with_sign             magnitude (not negative) with the sign of the other operand
//   vf_sum4                  the sums over the lanes of four vectors
//   vf_largest               the largest lane
//   vf_load_pairs            2 * VF_LANES floats: those of even index, those of odd index
// A value's result does not depend on its place in the array: the last, incomplete vector goes
// through the same arithmetic.
#include <math.h>
#include <string.h>

CK_INLINE vf vf_load_some(const float *p, size_t n) {
  float lanes[VF_LANES] = {0};
  memcpy(lanes, p, n * sizeof *p);
  return vf_load(lanes);
}

CK_INLINE void vf_store_some(float *p, vf x, size_t n) {
  float lanes[VF_LANES];
  vf_store(lanes, x);
  memcpy(p, lanes, n * sizeof *p);
}

CK_INLINE vf vf_load_some_f16(const uint16_t *p, size_t n) {
  uint16_t lanes[VF_LANES] = {0};
  memcpy(lanes, p, n * sizeof *p);
  return vf_load_f16(lanes);
}

CK_INLINE float vf_sum(vf x) {
  float sums[4];
  vf_sum4(x, x, x, x, sums);
  return sums[0];
}

// --- exponential functions ---

// Added to a float below 2^22 in magnitude, this leaves its nearest integer, even at ties, in the
// low bits of the sum.
#define ROUNDER 0x1.8p23f

// x = n ln 2 + r with n an integer; returns e^r - 1 for that |r| <= ln 2 / 2, and n + ROUNDER. The
// polynomial r + r^2 P(r) is a minimax fit of relative error 3e-9.
CK_INLINE vf reduced_expm1(vf x, vf *rounded) {
  *rounded = vf_fma(x, vf_set(1.44269504f), vf_set(ROUNDER));
  const vf n = vf_sub(*rounded, vf_set(ROUNDER));
  vf r = vf_fma(n, vf_set(-0x1.62e430p-1f), x);  // ln 2 in two floats
  r = vf_fma(n, vf_set(0x1.05c610p-29f), r);
  vf p = vf_set(0x1.6a243ap-10f);
  p = vf_fma(p, r, vf_set(0x1.1239e0p-7f));
  p = vf_fma(p, r, vf_set(0x1.5558f2p-5f));
  p = vf_fma(p, r, vf_set(0x1.555492p-3f));
  p = vf_fma(p, r, vf_set(0x1.fffffcp-2f));
  return vf_fma(vf_mul(r, r), p, r);
}

// e^x within 1 unit in the last place; infinity from 88.73, subnormal from -87.34, 0 from -103.98.
CK_INLINE vf vf_exp(vf x) {
  x = vf_smaller(vf_set(89), x);  // the bounds come first, so that NaN stays
  x = vf_larger(vf_set(-105), x);
  vf rounded;
  const vf e = reduced_expm1(x, &rounded);
  // 2^n in two factors: n goes beyond the exponents of normal numbers.
  const vf n = vf_sub(rounded, vf_set(ROUNDER));
  const vf half = vf_fma(n, vf_set(0.5f), vf_set(ROUNDER));
  const vf rest = vf_sub(n, vf_sub(half, vf_set(2 * ROUNDER)));
  const vf first = vf_power_of_2(half), second = vf_power_of_2(rest);
  return vf_mul(vf_fma(e, first, first), second);
}

// e^x of x <= 0 within 1 unit in the last place; 0 from -87.69, where n is -127 and 2^n comes as 0.
CK_INLINE vf vf_exp_negative(vf x) {
  vf rounded;
  const vf e = reduced_expm1(vf_larger(vf_set(-88), x), &rounded);
  const vf power = vf_power_of_2(rounded);
  return vf_fma(e, power, power);
}

// tanh |x| = E / (E + 2) with E = e^(2|x|) - 1, precise near 0 because E is.
CK_INLINE vf vf_tanh(vf x) {
  const vf twice = vf_mul(vf_smaller(vf_set(10), vf_abs(x)), vf_set(2));
  vf rounded;
  const vf e = reduced_expm1(twice, &rounded), power = vf_power_of_2(rounded);
  const vf expm1 = vf_fma(e, power, vf_sub(power, vf_set(1)));
  return vf_with_sign(vf_div(expm1, vf_add(expm1, vf_set(2))), x);
}

CK_INLINE vf vf_silu(vf x) {
  return vf_div(x, vf_add(vf_set(1), vf_exp(vf_sub(vf_set(0), x))));
}

// x / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3): see the scalar version.
CK_INLINE vf vf_gelu(vf x) {
  const vf root = vf_set(-2 * 0.797884560802865f);
  const vf cubic = vf_fma(vf_mul(vf_mul(x, x), vf_set(0.044715f)), x, x);
  return vf_div(x, vf_add(vf_set(1), vf_exp(vf_mul(root, cubic))));
}

// --- steps ---

static void rms_norm(const float *x, const float *weight, size_t n, float eps, float *y) {
  vf sums[4] = {vf_set(0), vf_set(0), vf_set(0), vf_set(0)};
  size_t i = 0;
  for (; i + 4 * VF_LANES <= n; i += 4 * VF_LANES) {
    CK_UNROLL for (size_t k = 0; k < 4; k++) {
      const vf v = vf_load(x + i + k * VF_LANES);
      sums[k] = vf_fma(v, v, sums[k]);
    }
  }
  for (; i < n; i += VF_LANES) {
    const vf v = n - i < VF_LANES ? vf_load_some(x + i, n - i) : vf_load(x + i);
    sums[0] = vf_fma(v, v, sums[0]);
  }
  const float squares = vf_sum(vf_add(vf_add(sums[0], sums[1]), vf_add(sums[2], sums[3])));
  const float inverse = 1 / sqrtf(squares / (float)n + eps);
  const vf factor = vf_set(inverse);
  for (i = 0; i + VF_LANES <= n; i += VF_LANES) {
    const vf v = vf_mul(vf_load(x + i), factor);
    vf_store(y + i, weight ? vf_mul(v, vf_load(weight + i)) : v);
  }
  for (; i < n; i++) y[i] = x[i] * inverse * (weight ? weight[i] : 1);
}

CK_INLINE void rotate_vectors(vf *a, vf *b, vf c, vf s) {
  const vf real = *a, imaginary = *b;
  *a = vf_sub(vf_mul(real, c), vf_mul(imaginary, s));
  *b = vf_fma(real, s, vf_mul(imaginary, c));
}

static void rope_head(float *head, size_t pairs, const float *cosine, const float *sine,
                      ck_rope_pairing pairing) {
  size_t i = 0;
  for (; i + VF_LANES <= pairs; i += VF_LANES) {
    const vf c = vf_load(cosine + i), s = vf_load(sine + i);
    vf a, b;
    if (pairing == CK_ROPE_ADJACENT) {
      vf_load_pairs(head + 2 * i, &a, &b);
      rotate_vectors(&a, &b, c, s);
      vf_store_pairs(head + 2 * i, a, b);
    } else {
      a = vf_load(head + i);
      b = vf_load(head + pairs + i);
      rotate_vectors(&a, &b, c, s);
      vf_store(head + i, a);
      vf_store(head + pairs + i, b);
    }
  }
  for (; i < pairs; i++) {
    float *a = pairing == CK_ROPE_ADJACENT ? head + 2 * i : head + i;
    float *b = pairing == CK_ROPE_ADJACENT ? a + 1 : a + pairs;
    const float real = *a, imaginary = *b;
    *a = real * cosine[i] - imaginary * sine[i];
    *b = real * sine[i] + imaginary * cosine[i];
  }
}

static void rope(float *x, size_t heads, size_t head_dim, size_t pairs, const float *cosine,
                 const float *sine, ck_rope_pairing pairing) {
  for (size_t h = 0; h < heads; h++) rope_head(x + h * head_dim, pairs, cosine, sine, pairing);
}

static void silu_mul(const float *gate, const float *up, size_t n, float *out) {
  size_t i = 0;
  for (; i + VF_LANES <= n; i += VF_LANES)
    vf_store(out + i, vf_mul(vf_silu(vf_load(gate + i)), vf_load(up + i)));
  if (i == n) return;
  const vf last = vf_mul(vf_silu(vf_load_some(gate + i, n - i)), vf_load_some(up + i, n - i));
  vf_store_some(out + i, last, n - i);
}

static void gelu_mul(const float *gate, const float *up, size_t n, float *out) {
  size_t i = 0;
  for (; i + VF_LANES <= n; i += VF_LANES)
    vf_store(out + i, vf_mul(vf_gelu(vf_load(gate + i)), vf_load(up + i)));
  if (i == n) return;
  const vf last = vf_mul(vf_gelu(vf_load_some(gate + i, n - i)), vf_load_some(up + i, n - i));
  vf_store_some(out + i, last, n - i);
}

static void add(const float *x, size_t n, float *y) {
  size_t i = 0;
  for (; i + VF_LANES <= n; i += VF_LANES) vf_store(y + i, vf_add(vf_load(y + i), vf_load(x + i)));
  for (; i < n; i++) y[i] += x[i];
}

static void scale(float a, size_t n, float *y) {
  size_t i = 0;
  for (; i + VF_LANES <= n; i += VF_LANES) vf_store(y + i, vf_mul(vf_load(y + i), vf_set(a)));
  for (; i < n; i++) y[i] *= a;
}

CK_INLINE vf vf_softcap(float cap, vf x) {
  return vf_mul(vf_tanh(vf_div(x, vf_set(cap))), vf_set(cap));
}

static void softcap(float cap, size_t n, float *y) {
  size_t i = 0;
  for (; i + VF_LANES <= n; i += VF_LANES) vf_store(y + i, vf_softcap(cap, vf_load(y + i)));
  if (i == n) return;
  vf_store_some(y + i, vf_softcap(cap, vf_load_some(y + i, n - i)), n - i);
}

static void to_f16(const float *x, size_t n, uint16_t *out) {
  size_t i = 0;
  for (; i + VF_LANES <= n; i += VF_LANES) vf_store_f16(out + i, vf_load(x + i));
  if (i == n) return;
  uint16_t lanes[VF_LANES];
  vf_store_f16(lanes, vf_load_some(x + i, n - i));
  memcpy(out + i, lanes, (n - i) * sizeof *out);
}

static void from_f16(const uint16_t *x, size_t n, float *out) {
  size_t i = 0;
  for (; i + VF_LANES <= n; i += VF_LANES) vf_store(out + i, vf_load_f16(x + i));
  if (i == n) return;
  vf_store_some(out + i, vf_load_some_f16(x + i, n - i), n - i);
}

// The largest of n values; -infinity when all are NaN.
static float largest_of(const float *x, size_t n) {
  vf best = vf_set(-INFINITY);
  size_t i = 0;
  for (; i + VF_LANES <= n; i += VF_LANES) best = vf_larger(vf_load(x + i), best);
  float result = vf_largest(best);
  for (; i < n; i++) result = x[i] > result ? x[i] : result;
  return result;
}

// Finds the stretch that holds the first largest value, then the value in it.
static size_t argmax(const float *x, size_t n) {
  enum { STRETCH = 1024 };
  float best = -INFINITY;
  size_t start = 0;
  for (size_t i = 0; i < n; i += STRETCH) {
    const float largest = largest_of(x + i, n - i < STRETCH ? n - i : STRETCH);
    if (largest > best) {
      best = largest;
      start = i;
    }
  }
  for (size_t i = start; i < n; i++)
    if (x[i] == best) return i;
  return 0;
}
