// Element-wise steps over the vector layer of an instruction set file (ck_vf_math_body.h). A value's
// result does not depend on its place in the array: the last, incomplete vector goes through the
// same arithmetic.
#include <math.h>

#include "ck_vf_math_body.h"

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
