// Products of float weights with float activations, shared by all instruction sets. Sixteen lanes
// in the order that ck_matmul_scalar.c defines. An instruction set file defines CK_FLOAT_ROWS and
// CK_FLOAT_TOKENS: the weight and activation rows of a tile whose sums fit its registers.

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
  }
CK_FLOAT_TYPES(FLOAT_TYPE)
