// Interleaved rows and tiles: bytes come back as they were, products follow the definition.
#include <math.h>
#include <string.h>

#include "check.h"

static const int types[] = {CK_Q4_0, CK_Q4_1, CK_Q5_0,  CK_Q5_1, CK_Q8_0,
                            CK_Q4_K, CK_Q5_K, CK_Q6_K, CK_IQ4_NL};
enum { TYPES = sizeof types / sizeof *types };

static size_t row_bytes_of(ck_type type, size_t cols) {
  const ck_type_info *info = ck_type_info_for((int)type);
  return cols / info->block_values * info->block_bytes;
}

// Groups of interleaved random rows; `rows` gets them as they were when it is not NULL.
static uint8_t *random_groups(generator *g, ck_type type, size_t groups, size_t cols,
                              uint8_t **rows) {
  const ck_matmul_table *scalar = ck_matmul_table_for(CK_ISA_SCALAR);
  const size_t row_bytes = row_bytes_of(type, cols), bytes = CK_GROUP_ROWS * row_bytes;
  uint8_t *plain = random_rows(g, scalar, type, groups * CK_GROUP_ROWS, cols);
  uint8_t *out = reserve(groups, bytes);
  for (size_t i = 0; i < groups; i++) ck_interleave(type, plain + i * bytes, row_bytes, out + i * bytes);
  if (rows) {
    *rows = plain;
  } else {
    free(plain);
  }
  return out;
}

static void check_round_trip(ck_type type, size_t cols) {
  generator g = {5 + (uint64_t)type};
  const size_t row_bytes = row_bytes_of(type, cols);
  uint8_t *rows, *group = random_groups(&g, type, 1, cols, &rows), *row = reserve(1, row_bytes);
  CHECK(memcmp(rows, group, CK_GROUP_ROWS * row_bytes) != 0, "type %d: nothing moved", type);
  for (size_t r = 0; r < CK_GROUP_ROWS; r++) {
    ck_interleaved_row(type, group, row_bytes, r, row);
    CHECK(memcmp(row, rows + r * row_bytes, row_bytes) == 0, "type %d row %zu", type, r);
  }
  free(rows), free(group), free(row);
}

// Interleaved products have the bits of products with the rows as they were.
static void check_groups(const ck_matmul_table *t, ck_type type, size_t groups, size_t cols,
                         size_t tokens, bool rest) {
  generator g = {9 + (uint64_t)type + cols * 31 + tokens};
  const ck_matmul_table *scalar = ck_matmul_table_for(CK_ISA_SCALAR);
  const size_t row_bytes = row_bytes_of(type, cols), count = groups * CK_GROUP_ROWS;
  const size_t stride = count + 5;
  uint8_t *rows, *w = random_groups(&g, type, groups, cols, &rows);
  float *x = random_floats(&g, tokens * cols, 3);
  ck_q8 q = quantised_rows(scalar, x, tokens, cols, rest);
  float *expected = reserve(tokens * stride, sizeof(float));
  float *actual = reserve(tokens * stride, sizeof(float));
  scalar->matmul[type](rows, row_bytes, count, &q, expected, stride);
  t->matmul_groups[type](w, row_bytes, count, &q, actual, stride);
  CHECK(memcmp(expected, actual, tokens * stride * sizeof(float)) == 0,
        "%s type %d %zu groups %zu cols %zu tokens, rest %d", ck_isa_name(t->isa), type, groups, cols,
        tokens, rest);
  free(rows), free(w), free(x), free(q.q), free(q.scale), free(q.sum), free(expected), free(actual);
}

// A row of blocks whose bytes are all `fill`, but for scales of 1.
static void fill_row(ck_type type, uint8_t fill, uint8_t *row, size_t row_bytes) {
  const size_t bytes = ck_type_info_for((int)type)->block_bytes;
  const bool minimum = type == CK_Q4_1 || type == CK_Q5_1 || type == CK_Q4_K || type == CK_Q5_K;
  memset(row, fill, row_bytes);
  for (uint8_t *block = row; block < row + row_bytes; block += bytes) {
    uint8_t *scale = type == CK_Q6_K ? block + bytes - 2 : block;
    scale[0] = 0x00, scale[1] = 0x3c;
    if (minimum) scale[2] = 0x00, scale[3] = 0x3c;
  }
}

// The largest codes meet the largest activations: nothing saturates or wraps on the way.
static void check_extremes(const ck_matmul_table *t, ck_type type) {
  enum { COLS = 512, TOKENS = 35 };
  static const uint8_t fills[] = {0x00, 0x7f, 0x80, 0xff};
  const ck_matmul_table *scalar = ck_matmul_table_for(CK_ISA_SCALAR);
  const size_t row_bytes = row_bytes_of(type, COLS), values = TOKENS * CK_GROUP_ROWS;
  uint8_t *rows = reserve(CK_GROUP_ROWS, row_bytes), *w = reserve(2 * CK_GROUP_ROWS, row_bytes);
  float *x = reserve(TOKENS * COLS, sizeof *x);
  float *expected = reserve(values, sizeof *x), *actual = reserve(2 * values, sizeof *x);
  for (size_t i = 0; i < sizeof fills; i++) {
    for (size_t r = 0; r < CK_GROUP_ROWS; r++) {
      // Every other row has the opposite codes.
      fill_row(type, r % 2 ? ~fills[i] & 255 : fills[i], rows + r * row_bytes, row_bytes);
    }
    ck_interleave(type, rows, row_bytes, w);
    memcpy(w + CK_GROUP_ROWS * row_bytes, w, CK_GROUP_ROWS * row_bytes);
    for (size_t k = 0; k < TOKENS * COLS; k++) x[k] = k / COLS % 2 ? -1 : 1;
    ck_q8 q = quantised_rows(scalar, x, TOKENS, COLS, true);
    scalar->matmul[type](rows, row_bytes, CK_GROUP_ROWS, &q, expected, CK_GROUP_ROWS);
    t->matmul_groups[type](w, row_bytes, 2 * CK_GROUP_ROWS, &q, actual, 2 * CK_GROUP_ROWS);
    for (size_t k = 0; k < 2 * TOKENS; k++)
      CHECK(memcmp(expected + k / 2 * CK_GROUP_ROWS, actual + k * CK_GROUP_ROWS,
                   CK_GROUP_ROWS * sizeof *x) == 0,
            "%s type %d, codes %d, token %zu", ck_isa_name(t->isa), type, fills[i], k / 2);
    free(q.q), free(q.scale), free(q.sum);
  }
  free(rows), free(w), free(x), free(expected), free(actual);
}

static uint16_t *packed(const ck_tile_table *t, const float *x, size_t tokens, size_t cols) {
  const size_t rows = (tokens + CK_TILE_TOKENS - 1) / CK_TILE_TOKENS;
  uint16_t *tiles = reserve(rows * (cols / CK_TILE_STEP), CK_TILE_VALUES * sizeof *tiles);
  for (size_t i = 0; i < tokens; i++)
    t->pack(x + i * cols, cols, i % CK_TILE_TOKENS,
            tiles + i / CK_TILE_TOKENS * (cols / CK_TILE_STEP) * CK_TILE_VALUES);
  return tiles;
}

static void check_tile_product(const ck_tile_table *t, const ck_tile_table *scalar, ck_type type,
                               size_t groups, size_t cols, size_t tokens, bool add) {
  generator g = {3 + (uint64_t)type + cols * 7 + tokens};
  const size_t steps = cols / CK_TILE_STEP, stride = groups * CK_GROUP_ROWS + 16;
  const size_t bytes = CK_GROUP_ROWS * row_bytes_of(type, cols), tiles = groups * steps;
  uint8_t *w = random_groups(&g, type, groups, cols, NULL);
  uint16_t *wide[2];
  for (size_t i = 0; i < 2; i++) {
    wide[i] = reserve(tiles, CK_TILE_VALUES * sizeof(uint16_t));
    for (size_t group = 0; group < groups; group++)
      (i ? t : scalar)->expand[type](w + group * bytes, 0, steps,
                                     wide[i] + group * steps * CK_TILE_VALUES);
  }
  CHECK(memcmp(wide[0], wide[1], tiles * CK_TILE_VALUES * sizeof(uint16_t)) == 0,
        "expand type %d cols %zu", type, cols);

  float *x = random_floats(&g, tokens * cols, 3);
  uint16_t *a = packed(scalar, x, tokens, cols), *b = packed(t, x, tokens, cols);
  CHECK(memcmp(a, b, (tokens + 15) / 16 * steps * CK_TILE_VALUES * sizeof *a) == 0,
        "pack %zu tokens %zu cols", tokens, cols);

  float *y[2];
  for (size_t i = 0; i < 2; i++) {
    y[i] = reserve(tokens * stride, sizeof(float));
    for (size_t k = 0; k < tokens * stride; k++) y[i][k] = (float)k;
    const ck_tile_product p = {wide[0], groups, steps, a, tokens, steps, steps, add, y[i], stride};
    (i ? t : scalar)->begin();
    (i ? t : scalar)->multiply(&p);
    (i ? t : scalar)->end();
  }
  CHECK(memcmp(y[0], y[1], tokens * stride * sizeof(float)) == 0,
        "tiles type %d %zu groups %zu cols %zu tokens add %d", type, groups, cols, tokens, add);
  free(w), free(wide[0]), free(wide[1]), free(x), free(a), free(b), free(y[0]), free(y[1]);
}

// Attention by tiles rounds queries, keys, values and weights to 8 bits: near the definition, and
// every row the same whatever rows are beside it.
static void check_tile_attention(const ck_tile_table *t, size_t rows, size_t head_dim,
                                 uint32_t window, float softcap) {
  generator g = {rows * 131 + head_dim};
  const ck_float_table *scalar = ck_float_table_for(CK_ISA_SCALAR);
  enum { POSITIONS = 200 };
  float *q = random_floats(&g, rows * head_dim, 2), *kv = random_floats(&g, POSITIONS * head_dim, 1);
  uint16_t *k = reserve(POSITIONS * head_dim, sizeof *k), *v = reserve(POSITIONS * head_dim, sizeof *v);
  scalar->to_f16(kv, POSITIONS * head_dim, k);
  for (size_t i = 0; i < POSITIONS * head_dim; i++) kv[i] = next_float(&g, 1);
  scalar->to_f16(kv, POSITIONS * head_dim, v);
  uint32_t *first = reserve(rows, sizeof *first), *last = reserve(rows, sizeof *last);
  for (size_t r = 0; r < rows; r++) {
    last[r] = (uint32_t)(POSITIONS - rows / 3 + r / 3);
    first[r] = window && last[r] > window ? last[r] - window : 0;
  }
  float *y[3];
  for (size_t i = 0; i < 3; i++) y[i] = reserve(rows * head_dim, sizeof(float));
  ck_attention a = {q, head_dim, CK_KV_F16, k, v, first, last, rows, head_dim, 0.3f, softcap, y[0], head_dim,
                    reserve(ck_attention_scratch(rows, head_dim), sizeof(float))};
  scalar->attention(&a);
  free(a.scratch);
  a.scratch = reserve(t->attention_scratch(rows, head_dim), sizeof(float));
  a.out = y[1];
  t->attention(&a);
  for (size_t r = 0; r < rows; r++) {
    ck_attention one = a;
    one.q += r * head_dim, one.first += r, one.last += r, one.rows = 1, one.out = y[2] + r * head_dim;
    t->attention(&one);
  }
  float largest = 0;
  for (size_t i = 0; i < rows * head_dim; i++) {
    const float difference = fabsf(y[0][i] - y[1][i]);
    if (!(difference <= largest)) largest = difference;
  }
  // Values below 1 with a relative error of 2^-8 in the scores (below 8 here) and the rest.
  CHECK(largest < 0.02f, "attention %zu rows of %zu: %g", rows, head_dim, (double)largest);
  CHECK(memcmp(y[1], y[2], rows * head_dim * sizeof(float)) == 0, "%zu rows of %zu one by one",
        rows, head_dim);
  free(q), free(kv), free(k), free(v), free(first), free(last), free(y[0]), free(y[1]), free(y[2]);
  free(a.scratch);
}

void check_tiles(ck_isa isa) {
  const ck_matmul_table *t = ck_matmul_table_for(isa);
  if (!t) return;
  for (size_t rows = 1; t->tiles && rows <= 96; rows = rows * 3 + 1) {
    check_tile_attention(t->tiles, rows, 64, 0, 0);
    check_tile_attention(t->tiles, rows, 20, 70, 0);
    check_tile_attention(t->tiles, rows, 256, 0, 5);
  }
  static const size_t tokens[] = {1, 2, 3, 15, 16, 17, 32, 33, 50};
  for (size_t i = 0; i < TYPES; i++) {
    const ck_type type = (ck_type)types[i];
    CHECK(ck_can_interleave(type), "type %d", type);
    const size_t unit = ck_type_info_for(types[i])->block_values;
    check_round_trip(type, 3 * unit);
    check_extremes(t, type);
    for (size_t k = 0; k < sizeof tokens / sizeof *tokens; k++) {
      const size_t cols = unit * (1 + 7 * k % 12);
      check_groups(t, type, 1 + k % 3, cols, tokens[k], false);
      check_groups(t, type, 1 + k % 3, cols, tokens[k], true);
      if (!t->tiles) continue;
      check_tile_product(t->tiles, &ck_tile_table_scalar, type, 1 + k % 4, cols, tokens[k], k % 2);
    }
  }
}
