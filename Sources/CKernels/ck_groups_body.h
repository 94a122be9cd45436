// Products of interleaved weights: every lane sums its own row. Part of ck_matmul_body.h.

// How far ahead of the arithmetic weights are asked for: further than one core's own prefetching
// looks, which also stops at every page.
enum { LANES_AHEAD = 2048 };

CK_INLINE void fetch_ahead(const uint8_t *w, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(w + at + LANES_AHEAD, 0, 3);
}

// CK_ROWS rows of a group with a few tokens, whose sums stay in registers.
CK_INLINE void lanes_product_few(const lane_format *lf, const uint8_t *w, size_t first,
                                 const ck_q8 *x, const size_t tokens, float *y, size_t y_stride) {
  const vector_format *f = lf->f;
  const size_t blocks = x->cols / CK_BLOCK_VALUES;
  fxr lanes[8][2];
  tile_sums sums;
  CK_UNROLL
  for (size_t i = 0; i < 8; i++) lanes[i][0] = lanes[i][1] = (fxr){0};
  for (size_t b = 0; b < blocks; b += 8, w += CK_GROUP_ROWS * chunk_bytes(f)) {
    const size_t n = f->blocks == 8 || blocks - b >= 8 ? 8 : blocks - b;
    fill_tile_sums(f, x, b, n, tokens, &sums);
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) {
      if (i >= n) continue;
      lane_block block;
      lane_block_at(lf, w, i, first, &block);
      fetch_ahead(w + i * CK_GROUP_ROWS * chunk_bytes(f) / 8, CK_GROUP_ROWS * chunk_bytes(f) / 8);
      block_product(f, &block, i, x, b + i, tokens, &sums, lanes[i]);
    }
  }
  CK_UNROLL
  for (size_t t = 0; t < tokens; t++) {
    fxr lane[8];
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) lane[i] = lanes[i][t];
    store_lanes(lane, y + t * y_stride);
  }
}

// The same with up to TOKEN_TILE tokens from `token` on.
CK_INLINE void lanes_product(const lane_format *lf, const uint8_t *w, size_t first, const ck_q8 *x,
                             size_t token, size_t tokens, float *y, size_t y_stride) {
  const vector_format *f = lf->f;
  const size_t blocks = x->cols / CK_BLOCK_VALUES;
  fxr lanes[8][TOKEN_TILE];
  tile_sums sums;
  memset(lanes, 0, sizeof lanes);
  for (size_t b = 0; b < blocks; b += 8, w += CK_GROUP_ROWS * chunk_bytes(f)) {
    const size_t n = f->blocks == 8 || blocks - b >= 8 ? 8 : blocks - b;
    const size_t at = token * blocks + b;
    fill_tile_sums(f, x, at, n, tokens, &sums);
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) {
      if (i >= n) continue;
      lane_block block;
      lane_block_at(lf, w, i, first, &block);
      block_product(f, &block, i, x, at + i, tokens, &sums, lanes[i]);
    }
  }
  store_tile(lanes, tokens, y, y_stride);
}

// Interleaved groups.
CK_INLINE void matmul_groups(const lane_format *lf, const void *w, size_t row_bytes, size_t rows,
                             const ck_q8 *x, float *y, size_t y_stride) {
  const uint8_t *group = w;
  for (size_t row = 0; row < rows; row += CK_GROUP_ROWS, group += CK_GROUP_ROWS * row_bytes) {
    for (size_t first = 0; first < CK_GROUP_ROWS; first += CK_ROWS) {
      float *out = y + row + first;
      if (x->tokens == 1) {
        lanes_product_few(lf, group, first, x, 1, out, y_stride);
      } else if (x->tokens == 2) {
        lanes_product_few(lf, group, first, x, 2, out, y_stride);
      } else {
        for (size_t t = 0; t < x->tokens; t += TOKEN_TILE) {
          const size_t tokens = x->tokens - t < TOKEN_TILE ? x->tokens - t : TOKEN_TILE;
          lanes_product(lf, group, first, x, t, tokens, out + t * y_stride, y_stride);
        }
      }
    }
  }
}

#define INTERLEAVED_TYPE(name, type)                                                     \
  static void matmul_groups_##name(const void *w, size_t row_bytes, size_t rows,         \
                                   const ck_q8 *x, float *y, size_t y_stride) {          \
    matmul_groups(&name##_lane_format, w, row_bytes, rows, x, y, y_stride);              \
  }
CK_INTERLEAVED_TYPES(INTERLEAVED_TYPE)
