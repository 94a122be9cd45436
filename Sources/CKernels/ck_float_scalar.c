// The definitions: what every other instruction set is compared with. Sums and functions are in
// double precision, so that a vector version's distance is its own error.
#include "ck_float_tables.h"

#include <math.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

static void rms_norm(const float *x, const float *weight, size_t n, float eps, float *y) {
  double squares = 0;
  for (size_t i = 0; i < n; i++) squares += (double)x[i] * x[i];
  const double inverse = 1 / sqrt(squares / (double)n + eps);
  for (size_t i = 0; i < n; i++) y[i] = (float)(x[i] * inverse * (weight ? weight[i] : 1));
}

static void rope(float *x, size_t heads, size_t head_dim, size_t pairs, const float *cosine,
                 const float *sine, ck_rope_pairing pairing) {
  const size_t step = pairing == CK_ROPE_ADJACENT ? 2 : 1;
  const size_t partner = pairing == CK_ROPE_ADJACENT ? 1 : pairs;
  for (size_t h = 0; h < heads; h++) {
    float *head = x + h * head_dim;
    for (size_t i = 0; i < pairs; i++) {
      float *a = head + i * step, *b = a + partner;
      const double real = *a, imaginary = *b;
      *a = (float)(real * cosine[i] - imaginary * sine[i]);
      *b = (float)(real * sine[i] + imaginary * cosine[i]);
    }
  }
}

static void silu_mul(const float *gate, const float *up, size_t n, float *out) {
  for (size_t i = 0; i < n; i++) out[i] = (float)(gate[i] / (1 + exp(-(double)gate[i])) * up[i]);
}

// gelu_tanh(x) = x/2 * (1 + tanh(u)) = x / (1 + exp(-2u)) with u = sqrt(2/pi) (x + 0.044715 x^3);
// the second form keeps its precision where tanh(u) is near -1.
static void gelu_mul(const float *gate, const float *up, size_t n, float *out) {
  const double root = 0.79788456080286535588;  // sqrt(2/pi)
  for (size_t i = 0; i < n; i++) {
    const double x = gate[i], u = root * (x + 0.044715 * x * x * x);
    out[i] = (float)(x / (1 + exp(-2 * u)) * up[i]);
  }
}

static void add(const float *x, size_t n, float *y) {
  for (size_t i = 0; i < n; i++) y[i] += x[i];
}

static void scale(float a, size_t n, float *y) {
  for (size_t i = 0; i < n; i++) y[i] *= a;
}

static void softcap(float cap, size_t n, float *y) {
  for (size_t i = 0; i < n; i++) y[i] = (float)(cap * tanh((double)y[i] / cap));
}

// float32: 8 exponent bits (bias 127), 23 of fraction. float16: 5 (bias 15), 10.
static uint16_t f16_from_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)  // NaN: kept, quiet
    return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00);  // rounds to 65536 or more
  if (magnitude < 0x33000000) return (uint16_t)sign;              // below half of 2^-24
  const uint32_t exponent = magnitude >> 23;
  uint32_t significand, shift;
  if (exponent >= 113) {  // normal: 2^-14 and above
    significand = magnitude - (112u << 23);
    shift = 13;
  } else {  // subnormal: a multiple of 2^-24
    significand = (magnitude & 0x7fffff) | 0x800000;
    shift = 126 - exponent;
  }
  const uint32_t half = 1u << (shift - 1), odd = significand >> shift & 1;
  return (uint16_t)(sign | (significand + half - 1 + odd) >> shift);
}

static float f32_from_f16(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 0x1f;
  const uint32_t fraction = half & 0x3ff;
  if (exponent == 0) {  // zero and subnormal: a multiple of 2^-24
    const float magnitude = (float)fraction * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
  if (exponent == 31) bits = sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000 : 0);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void to_f16(const float *x, size_t n, uint16_t *out) {
  for (size_t i = 0; i < n; i++) out[i] = f16_from_f32(x[i]);
}

static void from_f16(const uint16_t *x, size_t n, float *out) {
  for (size_t i = 0; i < n; i++) out[i] = f32_from_f16(x[i]);
}

static size_t argmax(const float *x, size_t n) {
  size_t best = 0;
  for (size_t i = 1; i < n; i++)
    if (x[i] > x[best] || (isnan(x[best]) && !isnan(x[i]))) best = i;
  return best;
}

// --- attention ---

static float cached(const ck_attention *a, const void *cache, size_t index) {
  return a->kv == CK_KV_F32 ? ((const float *)cache)[index]
                            : f32_from_f16(((const uint16_t *)cache)[index]);
}

static float score(const ck_attention *a, const float *q, size_t position) {
  const size_t k = position * a->head_dim;
  double dot = 0;
  for (size_t d = 0; d < a->head_dim; d++) dot += (double)q[d] * cached(a, a->k, k + d);
  dot *= a->scale;
  return (float)(a->softcap > 0 ? a->softcap * tanh(dot / a->softcap) : dot);
}

static void attention_chunk(const ck_attention *a, size_t chunk, float *sums) {
  const size_t stride = ck_attention_sum_stride(a->head_dim);
  const size_t begin = chunk * CK_ATTENTION_CHUNK, end = begin + CK_ATTENTION_CHUNK;
  ck_attention_clear(a->rows, a->head_dim, sums);
  for (size_t r = 0; r < a->rows; r++) {
    const size_t first = a->first[r] > begin ? a->first[r] : begin;
    const size_t last = a->last[r] < end ? a->last[r] : end;
    float *row = sums + r * stride, scores[CK_ATTENTION_CHUNK], largest = -INFINITY;
    for (size_t p = first; p < last; p++) {
      scores[p - begin] = score(a, a->q + r * a->q_stride, p);
      if (scores[p - begin] > largest) largest = scores[p - begin];
    }
    // All scores -infinity: weights of 0 rather than of infinity - infinity.
    const float base = largest == -INFINITY ? 0 : largest;
    double weights = 0;
    for (size_t p = first; p < last; p++) {
      const float weight = (float)exp((double)scores[p - begin] - base);
      const size_t v = p * a->head_dim;
      weights += weight;
      for (size_t d = 0; d < a->head_dim; d++) row[d] += weight * cached(a, a->v, v + d);
    }
    row[stride - 2] = largest;
    row[stride - 1] = (float)weights;
  }
}

static void attention_merge(const float *sums, size_t rows, size_t head_dim, float *total) {
  const size_t stride = ck_attention_sum_stride(head_dim);
  for (size_t r = 0; r < rows; r++) {
    const float *part = sums + r * stride;
    float *sum = total + r * stride;
    if (part[stride - 2] == -INFINITY && part[stride - 1] == 0) continue;  // no keys
    const float largest = fmaxf(part[stride - 2], sum[stride - 2]);
    const double base = largest == -INFINITY ? 0 : largest;
    const double old = exp(sum[stride - 2] - base), new = exp(part[stride - 2] - base);
    for (size_t d = 0; d < head_dim; d++) sum[d] = (float)(old * sum[d] + new *part[d]);
    sum[stride - 1] = (float)(old * sum[stride - 1] + new *part[stride - 1]);
    sum[stride - 2] = largest;
  }
}

static void attention_finish(const float *total, const ck_attention *a) {
  const size_t stride = ck_attention_sum_stride(a->head_dim);
  for (size_t r = 0; r < a->rows; r++) {
    const float *sum = total + r * stride;
    float *out = a->out + r * a->out_stride;
    for (size_t d = 0; d < a->head_dim; d++) out[d] = sum[d] / sum[stride - 1];
  }
}

static void attention(const ck_attention *a) {
  const size_t floats = a->rows * ck_attention_sum_stride(a->head_dim);
  const ck_key_range keys = ck_attention_keys(a);
  float *total = a->scratch, *sums = total + floats;
  ck_attention_clear(a->rows, a->head_dim, total);
  for (size_t chunk = keys.first / CK_ATTENTION_CHUNK; chunk * CK_ATTENTION_CHUNK < keys.last;
       chunk++) {
    attention_chunk(a, chunk, sums);
    attention_merge(sums, a->rows, a->head_dim, total);
  }
  attention_finish(total, a);
}

const ck_float_table ck_float_table_scalar = {
  .isa = CK_ISA_SCALAR,
  .rms_norm = rms_norm,
  .rope = rope,
  .silu_mul = silu_mul,
  .gelu_mul = gelu_mul,
  .add = add,
  .scale = scale,
  .softcap = softcap,
  .to_f16 = to_f16,
  .from_f16 = from_f16,
  .argmax = argmax,
  .attention = attention,
  .attention_chunk = attention_chunk,
  .attention_merge = attention_merge,
  .attention_finish = attention_finish,
};
