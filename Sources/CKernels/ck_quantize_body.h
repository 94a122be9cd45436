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

// Blocks that quantize_q8 takes together: their scales fill a vector.
enum { Q8_BLOCKS = 4 };

// The largest magnitude of each of `count` blocks; zeros for the others.
CK_INLINE f32x4 largest_magnitudes(const float *x, const size_t count) {
  f32x8 block[Q8_BLOCKS], two[2];
  CK_UNROLL
  for (size_t b = 0; b < Q8_BLOCKS; b++) {
    block[b] = (f32x8){0};
    CK_UNROLL
    for (size_t k = 0; b < count && k < CK_Q8_BLOCK; k += 8) {
      const f32x8 v = __builtin_elementwise_abs(load_f32x8(x + b * CK_Q8_BLOCK + k));
      block[b] = __builtin_elementwise_max(block[b], v);
    }
  }
  CK_UNROLL
  for (size_t i = 0; i < 2; i++) {  // of two lanes, as in half_totals
    const f32x8 a = block[2 * i], b = block[2 * i + 1];
    two[i] = __builtin_elementwise_max(
        __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
        __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15));
  }
  const f32x8 halves = __builtin_elementwise_max(
      __builtin_shufflevector(two[0], two[1], 0, 1, 8, 9, 4, 5, 12, 13),
      __builtin_shufflevector(two[0], two[1], 2, 3, 10, 11, 6, 7, 14, 15));
  return __builtin_elementwise_max(CK_LOW4(halves), CK_HIGH4(halves));
}

// The codes of one block: of values that are not finite any but -128.
CK_INLINE i8x32 block_codes(const float *x, float inverse) {
  i32x8 codes[4];
  CK_UNROLL
  for (size_t k = 0; k < 4; k++) {
    const f32x8 v = load_f32x8(x + 8 * k) * inverse;
    // At 1.5 * 2^23 the unit in the last place is 1: the addition rounds to an integer.
    const f32x8 unit = (f32x8){0} + 0x1.8p23f, rounded = v + unit;
    codes[k] = (i32x8)rounded - (i32x8)unit;
  }
  const i8x16 low = __builtin_convertvector(CK_JOIN8(codes[0], codes[1]), i8x16);
  const i8x16 high = __builtin_convertvector(CK_JOIN8(codes[2], codes[3]), i8x16);
  return __builtin_elementwise_max(CK_JOIN16(low, high), (i8x32){0} - (int8_t)CK_Q8_LARGEST);
}

CK_INLINE void quantize_blocks(const float *x, const size_t count, int8_t *q, float *scale,
                               int16_t *sum) {
  const f32x4 largest = largest_magnitudes(x, count);
  const i32x4 used = largest >= CK_Q8_SMALLEST;
  const f32x4 inverses = (f32x4)((i32x4)(CK_Q8_LARGEST / largest) & used);
  const f32x4 scales = (f32x4)((i32x4)(largest / CK_Q8_LARGEST) & used);
  memcpy(scale, &scales, count * sizeof *scale);

  const u8x32 ones = (u8x32){0} + 1;
  i32x8 sums[Q8_BLOCKS];
  CK_UNROLL
  for (size_t b = 0; b < Q8_BLOCKS; b++) {
    sums[b] = (i32x8){0};
    if (b >= count) continue;
    const i8x32 codes = block_codes(x + b * CK_Q8_BLOCK, inverses[b]);
    memcpy(q + b * CK_Q8_BLOCK, &codes, sizeof codes);
    sums[b] = row_dot(ones, (const int8_t *)&codes, 1);
  }
  const i32x8 halves = half_totals(sums);
  const i16x8 pairs = __builtin_convertvector(
      __builtin_shufflevector(halves, halves, 0, 4, 1, 5, 2, 6, 3, 7), i16x8);
  memcpy(sum, &pairs, 2 * count * sizeof *sum);
}

static void quantize_q8(const float *x, size_t n, int8_t *q, float *scale, int16_t *sum) {
  size_t b = 0;
  for (; b + Q8_BLOCKS <= n / CK_Q8_BLOCK; b += Q8_BLOCKS) {
    quantize_blocks(x + b * CK_Q8_BLOCK, Q8_BLOCKS, q + b * CK_Q8_BLOCK, scale + b, sum + 2 * b);
  }
  for (; b < n / CK_Q8_BLOCK; b++) {
    quantize_blocks(x + b * CK_Q8_BLOCK, 1, q + b * CK_Q8_BLOCK, scale + b, sum + 2 * b);
  }
}
