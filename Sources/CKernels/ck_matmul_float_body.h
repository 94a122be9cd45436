// Products of float weights with float activations, and quantisation of activations, shared by all
// instruction sets. Sixteen lanes in the order that ck_matmul_scalar.c defines.

// Loads 16 weights, or the first n of 16 with zeros behind.
CK_INLINE f32x16 load_f32(const uint8_t *w, size_t k, size_t n) {
  const uint8_t *p = w + k * sizeof(float);
  return n == 16 ? load_f32x16(p) : load_part_f32x16(p, n * sizeof(float));
}
CK_INLINE u16x16 load_halfwords(const uint8_t *w, size_t k, size_t n) {
  const uint8_t *p = w + k * sizeof(uint16_t);
  return n == 16 ? load_u16x16(p) : load_part_u16x16(p, n * sizeof(uint16_t));
}
CK_INLINE f32x16 load_f16(const uint8_t *w, size_t k, size_t n) {
  const u16x16 halves = load_halfwords(w, k, n);
  f16x16 h;
  memcpy(&h, &halves, sizeof h);
  return __builtin_convertvector(h, f32x16);
}
CK_INLINE f32x16 load_bf16(const uint8_t *w, size_t k, size_t n) {
  return (f32x16)(__builtin_convertvector(load_halfwords(w, k, n), u32x16) << 16);
}

typedef f32x16 (*float_load)(const uint8_t *w, size_t k, size_t n);

CK_INLINE float sum_of_16_lanes(f32x16 v) { return sum_of_lanes(CK_LOW8(v) + CK_HIGH8(v)); }

// A step of n (1 ... 16) columns from k on.
CK_INLINE void float_step(float_load load, const uint8_t *w, size_t row_bytes, size_t rows,
                          const float *x, size_t x_stride, size_t tokens, size_t k, size_t n,
                          f32x16 lanes[][CK_FLOAT_TOKENS]) {
  f32x16 weight[CK_FLOAT_ROWS];
  CK_UNROLL
  for (size_t r = 0; r < rows; r++) weight[r] = load(w + r * row_bytes, k, n);
  CK_UNROLL
  for (size_t t = 0; t < tokens; t++) {
    const f32x16 value = load_f32((const uint8_t *)(x + t * x_stride), k, n);
    CK_UNROLL
    for (size_t r = 0; r < rows; r++) lanes[r][t] = FMA(weight[r], value, lanes[r][t]);
  }
}

// rows x tokens results; both are constants of the caller, so that the sums stay in registers.
CK_INLINE void float_tile(float_load load, const uint8_t *w, size_t row_bytes, size_t rows,
                          size_t cols, const float *x, size_t x_stride, size_t tokens, float *y,
                          size_t y_stride) {
  f32x16 lanes[CK_FLOAT_ROWS][CK_FLOAT_TOKENS];
  memset(lanes, 0, sizeof lanes);
  size_t k = 0;
  for (; k + 16 <= cols; k += 16) {
    float_step(load, w, row_bytes, rows, x, x_stride, tokens, k, 16, lanes);
  }
  if (k < cols) float_step(load, w, row_bytes, rows, x, x_stride, tokens, k, cols - k, lanes);
  CK_UNROLL
  for (size_t t = 0; t < tokens; t++) {
    CK_UNROLL
    for (size_t r = 0; r < rows; r++) y[t * y_stride + r] = sum_of_16_lanes(lanes[r][t]);
  }
}

CK_INLINE void matmul_float(float_load load, const void *w, size_t row_bytes, size_t rows,
                            size_t cols, const float *x, size_t x_stride, size_t tokens, float *y,
                            size_t y_stride) {
  const uint8_t *weights = w;
  size_t row = 0;
  for (; row + CK_FLOAT_ROWS <= rows; row += CK_FLOAT_ROWS) {
    const uint8_t *first = weights + row * row_bytes;
    size_t t = 0;
    for (; t + CK_FLOAT_TOKENS <= tokens; t += CK_FLOAT_TOKENS) {
      float_tile(load, first, row_bytes, CK_FLOAT_ROWS, cols, x + t * x_stride, x_stride,
                 CK_FLOAT_TOKENS, y + t * y_stride + row, y_stride);
    }
    for (; t < tokens; t++) {
      float_tile(load, first, row_bytes, CK_FLOAT_ROWS, cols, x + t * x_stride, x_stride, 1,
                 y + t * y_stride + row, y_stride);
    }
  }
  for (; row < rows; row++) {
    for (size_t t = 0; t < tokens; t++) {
      float_tile(load, weights + row * row_bytes, row_bytes, 1, cols, x + t * x_stride, x_stride,
                 1, y + t * y_stride + row, y_stride);
    }
  }
}

#define FLOAT_TYPE(name, type)                                                         \
  static void matmul_##name(const void *w, size_t row_bytes, size_t rows, size_t cols, \
                            const float *x, size_t x_stride, size_t tokens, float *y,  \
                            size_t y_stride) {                                         \
    matmul_float(load_##name, w, row_bytes, rows, cols, x, x_stride, tokens, y,        \
                 y_stride);                                                            \
  }                                                                                    \
  static void dequantize_##name(const void *w, size_t count, float *out) {             \
    for (size_t k = 0; k < count; k += 16) {                                           \
      const size_t n = count - k < 16 ? count - k : 16;                                \
      const f32x16 v = load_##name(w, k, n);                                           \
      memcpy(out + k, &v, n * sizeof(float));                                          \
    }                                                                                  \
  }
CK_FLOAT_TYPES(FLOAT_TYPE)

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
