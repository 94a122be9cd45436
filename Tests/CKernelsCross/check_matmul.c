// Matrix products: the scalar kernels define every bit.
#include <math.h>
#include <string.h>

#include "check.h"

uint8_t *random_rows(generator *g, const ck_matmul_table *scalar, ck_type type, size_t rows,
                     size_t cols) {
  const ck_type_info *info = ck_type_info_for(type);
  const size_t blocks = rows * cols / info->block_values;
  uint8_t *w = reserve(blocks, info->block_bytes);
  float values[256];
  for (size_t b = 0; b < blocks; b++) {
    uint8_t *block = w + b * info->block_bytes;
    bool finite = false;
    while (!finite) {
      for (size_t i = 0; i < info->block_bytes; i++) block[i] = (uint8_t)(next_bits(g) >> 56);
      scalar->dequantize[type](block, info->block_values, values);
      finite = true;
      for (size_t i = 0; i < info->block_values; i++)
        finite = finite && fabsf(values[i]) < 1e18f;
    }
  }
  return w;
}

static void clear_block(const ck_q8 *row, size_t block) {
  memset(row->q + block * 32, 0, 32);
  row->scale[block] = 0;
  row->sum[2 * block] = row->sum[2 * block + 1] = 0;
}

ck_q8 quantised_rows(const ck_matmul_table *scalar, const float *x, size_t tokens, size_t cols,
                     bool rest) {
  const size_t stride = cols + 32, rows = rest ? 2 * tokens : tokens;
  ck_q8 q = {reserve(rows * stride, 1), reserve(rows * stride / 32, sizeof(float)),
             reserve(rows * stride / 16, sizeof(int16_t)), tokens, cols, stride, rows - tokens};
  for (size_t i = 0; i < rows; i++) {
    const ck_q8 row = ck_q8_rows(&q, i, 1);
    scalar->quantize_q8(x + i % tokens * cols, cols, row.q, row.scale, row.sum);
    if (i < tokens) clear_block(&row, i * 7 % (cols / 32));
    for (size_t b = 0; i >= tokens && b < cols / 32; b++) {
      row.scale[b] /= 256;
      if ((i + b) % 3 != 0) clear_block(&row, b);
    }
  }
  return q;
}

// A product with a rest is that of the bytes and that of the rest together.
static void check_rest(const ck_matmul_table *scalar, ck_type type) {
  enum { ROWS = 3, COLS = 512, TOKENS = 2 };
  generator g = {9 + (uint64_t)type};
  const ck_type_info *info = ck_type_info_for((int)type);
  const size_t row_bytes = COLS / info->block_values * info->block_bytes;
  uint8_t *w = random_rows(&g, scalar, type, ROWS, COLS);
  float *x = random_floats(&g, TOKENS * COLS, 3), *dense = reserve(ROWS * COLS, sizeof *dense);
  ck_q8 q = quantised_rows(scalar, x, TOKENS, COLS, true), apart = q;
  float both[TOKENS * ROWS], parts[2 * TOKENS * ROWS];
  scalar->matmul[type](w, row_bytes, ROWS, &q, both, ROWS);
  apart.rest = 0, apart.tokens = 2 * TOKENS;
  scalar->matmul[type](w, row_bytes, ROWS, &apart, parts, ROWS);
  scalar->dequantize[type](w, ROWS * COLS, dense);
  for (size_t i = 0; i < TOKENS * ROWS; i++) {
    const float rest = parts[TOKENS * ROWS + i];
    float size = 0;  // of the products that are summed, which rounding follows
    for (size_t k = 0; k < COLS; k++) size += fabsf(dense[i % ROWS * COLS + k]) * 3;
    CHECK(rest != 0 && fabsf(both[i] - (parts[i] + rest)) <= 1e-6f * size, "%s: %g, not %g + %g",
          info->name, (double)both[i], (double)parts[i], (double)rest);
  }
  free(w), free(x), free(dense), free(q.q), free(q.scale), free(q.sum);
}

static void check_type(const ck_matmul_table *t, const ck_matmul_table *scalar, ck_type type,
                       size_t rows, size_t cols, size_t tokens, bool rest) {
  generator g = {1 + (uint64_t)type * 1000003 + rows * 7919 + cols * 31 + tokens};
  const ck_type_info *info = ck_type_info_for(type);
  const size_t row_bytes = cols / info->block_values * info->block_bytes, stride = rows + 3;
  uint8_t *w = random_rows(&g, scalar, type, rows, cols);
  float *x = random_floats(&g, tokens * cols, 3);
  ck_q8 q = quantised_rows(scalar, x, tokens, cols, rest);
  float *expected = reserve(tokens * stride, sizeof(float));
  float *actual = reserve(tokens * stride, sizeof(float));
  if (info->is_float) {
    scalar->matmul_float[type](w, row_bytes, rows, cols, x, cols, tokens, expected, stride);
    t->matmul_float[type](w, row_bytes, rows, cols, x, cols, tokens, actual, stride);
  } else {
    scalar->matmul[type](w, row_bytes, rows, &q, expected, stride);
    t->matmul[type](w, row_bytes, rows, &q, actual, stride);
  }
  CHECK(memcmp(expected, actual, tokens * stride * sizeof(float)) == 0,
        "%s %s %zu rows %zu cols %zu tokens, rest %d", ck_isa_name(t->isa), info->name, rows, cols,
        tokens, rest);

  float *a = reserve(rows * cols, sizeof(float)), *b = reserve(rows * cols, sizeof(float));
  scalar->dequantize[type](w, rows * cols, a);
  t->dequantize[type](w, rows * cols, b);
  CHECK(memcmp(a, b, rows * cols * sizeof(float)) == 0, "%s %s dequantize",
        ck_isa_name(t->isa), info->name);
  free(w), free(x), free(q.q), free(q.scale), free(q.sum);
  free(expected), free(actual), free(a), free(b);
}

static void check_quantize(const ck_matmul_table *t, const ck_matmul_table *scalar, size_t n,
                           float limit) {
  generator g = {77 + n};
  float *x = random_floats(&g, n, limit), scale[2][64];
  for (size_t i = 0; i < n && i < 32; i++) x[i] = i % 2 ? 2.5f : 127;  // ties
  int8_t q[2][2048];
  int16_t sum[2][128];
  scalar->quantize_q8(x, n, q[0], scale[0], sum[0]);
  t->quantize_q8(x, n, q[1], scale[1], sum[1]);
  CHECK(memcmp(q[0], q[1], n) == 0, "%s n %zu limit %g", ck_isa_name(t->isa), n, (double)limit);
  CHECK(memcmp(scale[0], scale[1], n / 32 * sizeof(float)) == 0, "%s n %zu limit %g",
        ck_isa_name(t->isa), n, (double)limit);
  CHECK(memcmp(sum[0], sum[1], n / 16 * sizeof(int16_t)) == 0, "%s n %zu limit %g",
        ck_isa_name(t->isa), n, (double)limit);
  free(x);
}

void check_matmul(ck_isa isa) {
  const ck_matmul_table *t = ck_matmul_table_for(isa);
  const ck_matmul_table *scalar = ck_matmul_table_for(CK_ISA_SCALAR);
  CHECK(t && scalar, "no table of products for %s", ck_isa_name(isa));
  if (!t || !scalar) return;
  for (size_t n = 0; n <= 2048; n += n < 128 ? 32 : 480) {
    check_quantize(t, scalar, n, 1);
    check_quantize(t, scalar, n, 1e-42f);
    check_quantize(t, scalar, n, 0);
  }
  static const size_t rows[] = {1, 2, 3, 5, 8, 17}, tokens[] = {1, 2, 3, 5, 9};
  for (int type = 0; type < CK_TYPE_COUNT; type++) {
    const ck_type_info *info = ck_type_info_for(type);
    if (!info) continue;
    const size_t unit = info->block_values < 32 ? 32 : info->block_values;
    if (!info->is_float) check_rest(scalar, (ck_type)type);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
      for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        check_type(t, scalar, (ck_type)type, rows[r], unit * (1 + (r + i) % 3), tokens[i],
                   (r + i) % 2);
  }
}
