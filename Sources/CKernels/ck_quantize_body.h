// Conversions between floats and stored values, shared by all instruction sets, with the roundings
// of ck_matmul_scalar.c.

// Block i of a chunk: value = a [* s] * q [+ m [* n]], rounded as in ck_matmul_scalar.c.
CK_INLINE void dequantize_block(const vector_format *f, const uint8_t *w, size_t i,
                                const chunk_scales *c, float *out) {
  const u8x32 codes = f->codes(w, i) - (uint8_t)f->offset;
  CK_UNROLL
  for (size_t k = 0; k < CK_BLOCK_VALUES; k += 8) {
    i8x8 q;
    memcpy(&q, (const uint8_t *)&codes + k, sizeof q);
    const size_t group = 2 * i + k / 16;
    const float a = is_grouped(f) ? c->a[i] * (float)c->s[group] : c->a[i];
    f32x8 value = a * __builtin_convertvector(q, f32x8);
    if (has_minimum(f)) value += is_grouped(f) ? c->m[i] * (float)c->n[group] : c->m[i];
    memcpy(out + k, &value, sizeof value);
  }
}

CK_INLINE void dequantize_chunk(const vector_format *f, const uint8_t *w, size_t n, float *out) {
  chunk_scales c;
  f->scales(w, f->bytes, n, &c);
  CK_UNROLL
  for (size_t i = 0; i < 8; i++) {
    if (i < n) dequantize_block(f, w, i, &c, out + i * CK_BLOCK_VALUES);
  }
}

CK_INLINE void dequantize(const vector_format *f, const uint8_t *w, size_t count, float *out) {
  const size_t blocks = count / CK_BLOCK_VALUES;
  size_t first = 0;
  for (; first + 8 <= blocks; first += 8, out += CK_SUPER_VALUES) {
    dequantize_chunk(f, w + first / f->blocks * f->bytes, 8, out);
  }
  if (f->blocks == 1 && first < blocks) {
    dequantize_chunk(f, w + first * f->bytes, blocks - first, out);
  }
}

#define DEQUANTIZE_BLOCKS(name, type)                                      \
  static void dequantize_##name(const void *w, size_t count, float *out) { \
    dequantize(&name##_format, w, count, out);                             \
  }
CK_BLOCK_TYPES(DEQUANTIZE_BLOCKS)

#define DEQUANTIZE_FLOATS(name, type)                                      \
  static void dequantize_##name(const void *w, size_t count, float *out) { \
    for (size_t k = 0; k < count; k += 16) {                               \
      const size_t n = count - k < 16 ? count - k : 16;                    \
      const f32x16 v = load_##name(w, k, n);                               \
      memcpy(out + k, &v, n * sizeof(float));                              \
    }                                                                      \
  }
CK_FLOAT_TYPES(DEQUANTIZE_FLOATS)

// Codes of 8 values and their sum.
CK_INLINE i32x8 quantize8(const float *x, float inverse, int8_t *q) {
  const f32x8 largest = (f32x8){0} + CK_Q8_LARGEST;
  f32x8 v = load_f32x8(x) * inverse;
  v = __builtin_elementwise_min(__builtin_elementwise_max(v, -largest), largest);  // not NaN either
  // At 1.5 * 2^23 the unit in the last place is 1: the addition rounds to an integer.
  const i32x8 codes = __builtin_convertvector((v + 0x1.8p23f) - 0x1.8p23f, i32x8);
  const i8x8 bytes = __builtin_convertvector(codes, i8x8);
  memcpy(q, &bytes, sizeof bytes);
  return codes;
}

CK_INLINE float largest_magnitude(const float *x) {
  f32x8 largest = {0};
  CK_UNROLL
  for (size_t k = 0; k < CK_Q8_BLOCK; k += 8) {
    largest = __builtin_elementwise_max(largest, __builtin_elementwise_abs(load_f32x8(x + k)));
  }
  const f32x4 four = __builtin_elementwise_max(CK_LOW4(largest), CK_HIGH4(largest));
  const float even = four[0] > four[2] ? four[0] : four[2];
  const float odd = four[1] > four[3] ? four[1] : four[3];
  return even > odd ? even : odd;
}

static void quantize_q8(const float *x, size_t n, int8_t *q, float *scale, int16_t *sum) {
  for (size_t b = 0; b < n / CK_Q8_BLOCK; b++) {
    const float largest = largest_magnitude(x + b * CK_Q8_BLOCK);
    const bool zero = largest < CK_Q8_SMALLEST;
    const float inverse = zero ? 0 : CK_Q8_LARGEST / largest;
    scale[b] = zero ? 0 : largest / CK_Q8_LARGEST;
    for (size_t half = 0; half < 2; half++) {
      const size_t k = b * CK_Q8_BLOCK + half * 16;
      const i32x8 low = quantize8(x + k, inverse, q + k);
      const i32x8 high = quantize8(x + k + 8, inverse, q + k + 8);
      sum[2 * b + half] = (int16_t)__builtin_reduce_add(low + high);
    }
  }
}
