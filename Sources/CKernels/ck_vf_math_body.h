// Functions of one value over the vector layer of an instruction set file:
//   vf, VF_LANES             a vector of floats
//   vf_larger, vf_smaller    x > y ? x : y and x < y ? x : y, so y where either is NaN
//   vf_power_of_2            2^n of n + ROUNDER, n an integer in -126 ... 127; 0 of -127
//   vf_with_sign             magnitude (not negative) with the sign of the other operand
//   vf_sum4                  the sums over the lanes of four vectors
//   vf_largest               the largest lane
//   vf_load_pairs            2 * VF_LANES floats: those of even index, those of odd index
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

CK_INLINE vf vf_softcap(float cap, vf x) {
  return vf_mul(vf_tanh(vf_div(x, vf_set(cap))), vf_set(cap));
}
