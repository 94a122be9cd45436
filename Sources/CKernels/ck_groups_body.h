// Products of interleaved weights: every lane sums its own row. Part of ck_matmul_body.h.

// How far ahead of the arithmetic weights are asked for: further than one core's own prefetching
// looks, which also stops at every page. They go to the second cache: on the way to the first one they
// would keep the loads of now waiting.
enum { LANES_AHEAD = 8192 };

CK_INLINE void fetch(const uint8_t *w, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(w + at, 0, 2);
}

// Passes over a group, of CK_ROWS rows each.
enum { LANE_PASSES = CK_GROUP_ROWS / CK_ROWS };

// Asks for weights after block i of the chunk at `chunk`. With several passes over a group, all but
// the first find it in the cache: each asks for its share of the next group, so that memory never waits.
CK_INLINE void fetch_after(const uint8_t *group, const uint8_t *chunk, size_t i, size_t bytes,
                           size_t group_bytes, size_t first) {
  const size_t at = (size_t)(chunk - group) + i * bytes / 8;
  if (LANE_PASSES == 1) {
    fetch(group + at + LANES_AHEAD, bytes / 8);
    return;
  }
  const size_t share = group_bytes / LANE_PASSES * (first / CK_ROWS) + at / LANE_PASSES;
  fetch(group + group_bytes + share, bytes / 8 / LANE_PASSES);
}

// CK_ROWS rows of a group with a few tokens, whose sums stay in registers.
CK_INLINE void lanes_product_few(const lane_format *lf, const uint8_t *w, size_t first,
                                 const ck_q8 *x, const size_t tokens, float *y, size_t y_stride) {
  const vector_format *f = lf->f;
  const size_t blocks = x->cols / CK_BLOCK_VALUES, bytes = CK_GROUP_ROWS * chunk_bytes(f);
  const uint8_t *group = w;
  fxr lanes[8][2];
  chunk_sums sums[2];
  CK_UNROLL
  for (size_t i = 0; i < 8; i++) lanes[i][0] = lanes[i][1] = (fxr){0};
  for (size_t b = 0; b < blocks; b += 8, w += bytes) {
    const size_t n = f->blocks == 8 || blocks - b >= 8 ? 8 : blocks - b;
    fill_sums(f, x, b, n, tokens, sums);
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) {
      if (i >= n) continue;
      lane_block block;
      fetch_after(group, w, i, bytes, blocks * bytes / 8, first);
      lane_block_at(lf, w, i, first, &block);
      block_product(f, &block, i, x, b + i, tokens, sums, lanes[i], lanes[i]);
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
  const size_t blocks = x->cols / CK_BLOCK_VALUES, bytes = CK_GROUP_ROWS * chunk_bytes(f);
  fxr lanes[8][TOKEN_TILE];
  chunk_sums sums[TOKEN_TILE];
  for (size_t b = 0; b < blocks; b += 8, w += bytes) {
    const size_t n = f->blocks == 8 || blocks - b >= 8 ? 8 : blocks - b;
    const size_t at = token * (x->stride / CK_BLOCK_VALUES) + b;
    fill_sums(f, x, at, n, tokens, sums);
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) {
      if (i >= n) {
        if (b == 0) clear_lane(lanes[i], tokens);
        continue;
      }
      lane_block block;
      lane_block_at(lf, w, i, first, &block);
      if (token == 0 && first == 0) fetch(w + i * bytes / 8 + LANES_AHEAD, bytes / 8);
      block_product(f, &block, i, x, at + i, tokens, sums, b == 0 ? no_sums : lanes[i], lanes[i]);
    }
  }
  store_tile(lanes, tokens, y, y_stride);
}

#if CK_STRIPS
#include "ck_strips_body.h"
#endif

// Interleaved groups with one token or two.
CK_INLINE void few_tokens(const lane_format *lf, const uint8_t *group, size_t bytes, size_t rows,
                          const ck_q8 *activations, float *y, size_t y_stride) {
  // A copy of its own, which storing results cannot change: it stays in registers.
  const ck_q8 copy = *activations, *x = &copy;
  for (size_t row = 0; row < rows; row += CK_GROUP_ROWS, group += bytes) {
    for (size_t first = 0; first < CK_GROUP_ROWS; first += CK_ROWS) {
      float *out = y + row + first;
      if (x->tokens == 1) {
        lanes_product_few(lf, group, first, x, 1, out, y_stride);
      } else {
        lanes_product_few(lf, group, first, x, 2, out, y_stride);
      }
    }
  }
}

// Interleaved groups with more tokens, a tile of them after the other.
CK_INLINE void many_tokens(const lane_format *lf, const uint8_t *group, size_t bytes, size_t rows,
                           const ck_q8 *activations, float *y, size_t y_stride) {
  const ck_q8 copy = *activations, *x = &copy;
  size_t row = 0;
#if CK_STRIPS
  for (; in_strips(lf->f) && row + STRIP_ROWS <= rows; row += STRIP_ROWS) {
    for (size_t t = 0; t < x->tokens; t += TOKEN_TILE) {
      const size_t tokens = x->tokens - t < TOKEN_TILE ? x->tokens - t : TOKEN_TILE;
      strip_of_rows(lf, group, bytes, x, t, tokens, y + t * y_stride + row, y_stride);
    }
    group += STRIP_GROUPS * bytes;
  }
#endif
  for (; row < rows; row += CK_GROUP_ROWS, group += bytes) {
    for (size_t first = 0; first < CK_GROUP_ROWS; first += CK_ROWS) {
      float *out = y + row + first;
      for (size_t t = 0; t < x->tokens; t += TOKEN_TILE) {
        const size_t tokens = x->tokens - t < TOKEN_TILE ? x->tokens - t : TOKEN_TILE;
        lanes_product(lf, group, first, x, t, tokens, out + t * y_stride, y_stride);
      }
    }
  }
}

// Functions of their own: one would have registers for neither.
#define INTERLEAVED_TYPE(name, type)                                                        \
  static __attribute__((noinline)) void many_tokens_##name(                                 \
      const void *w, size_t row_bytes, size_t rows, const ck_q8 *x, float *y, size_t y_stride) { \
    many_tokens(&name##_lane_format, w, CK_GROUP_ROWS * row_bytes, rows, x, y, y_stride);   \
  }                                                                                         \
  static void matmul_groups_##name(const void *w, size_t row_bytes, size_t rows,            \
                                   const ck_q8 *x, float *y, size_t y_stride) {             \
    if (x->tokens > 2) {                                                                    \
      many_tokens_##name(w, row_bytes, rows, x, y, y_stride);                               \
    } else if (x->tokens > 0) {                                                             \
      few_tokens(&name##_lane_format, w, CK_GROUP_ROWS * row_bytes, rows, x, y, y_stride);  \
    }                                                                                       \
  }
CK_INTERLEAVED_TYPES(INTERLEAVED_TYPE)
