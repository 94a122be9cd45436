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

#if CK_GROUP_PAIRS
// The integer products of one block of two groups with one token, as floats. Sums of groups meet their
// scales as floats too: fewer instructions, and exact, since what the interleaved types have stays below
// 2 * 128 * 16 * 32 * 127 < 2^24.
CK_INLINE void pair_dots(const vector_format *f, const lane_block block[2], size_t i,
                         const int8_t *q, const int32_t *correction, fxr products[2]) {
  const bool correct = excess(f) != 0;
  ixr first[2], second[2];
  if (!is_grouped(f)) {
    first[0] = first[1] = splat_int(correct ? correction[i] : 0);
    panel_dot_groups(block[0].codes, block[1].codes, 8, q, first);
    products[0] = floats(first[0]), products[1] = floats(first[1]);
    return;
  }
  first[0] = first[1] = splat_int(correct ? correction[2 * i] : 0);
  second[0] = second[1] = splat_int(correct ? correction[2 * i + 1] : 0);
  panel_dot_groups(block[0].codes, block[1].codes, 4, q, first);
  panel_dot_groups(block[0].codes + 4, block[1].codes + 4, 4, q + 16, second);
  CK_UNROLL
  for (size_t g = 0; g < 2; g++) {
    const fxr scaled = floats(block[g].s[0]) * floats(first[g]);
    products[g] = FMA(floats(block[g].s[1]), floats(second[g]), scaled);
  }
}

// What two groups have summed for one token. Side by side: a store to the one would otherwise keep a load
// of the other waiting where their addresses differ by a multiple of 4 KB.
typedef struct pair_sums {
  fxr group[2];
} pair_sums;

// What two groups' blocks and one token, at its block `at`, add to the sums `before`.
CK_INLINE void add_pair(const vector_format *f, const lane_block block[2], size_t i, const ck_q8 *x,
                        size_t at, const chunk_sums *sums, const pair_sums *before,
                        pair_sums *lane) {
  fxr products[2];
  pair_dots(f, block, i, x->q + at * CK_BLOCK_VALUES, sums->correction, products);
  const fxr scale = splat_float(x->scale[at]);
  CK_UNROLL
  for (size_t g = 0; g < 2; g++) {
    const fxr term = block_term(f, &block[g], i, products[g], sums);
    lane->group[g] = FMA(scale, term, before->group[g]);
  }
}

// Block i of a chunk of two groups with `tokens` tokens, as block_product.
CK_INLINE void pair_product(const vector_format *f, const lane_block block[2], size_t i,
                            const ck_q8 *x, size_t at, size_t tokens, const chunk_sums *sums,
                            const pair_sums *before, pair_sums *lanes) {
  const size_t apart = x->stride / CK_BLOCK_VALUES;
  for (size_t t = 0; t < tokens; t++) {
    fetch_activations(x, at + t * apart, i);
    add_pair(f, block, i, x, at + t * apart, &sums[t], &before[t], &lanes[t]);
  }
  for (size_t t = 0; x->rest && t < tokens; t++) {
    const size_t rest = at + (t + x->rest) * apart;
    if (is_empty(x, rest)) continue;
    chunk_sums own;
    block_sums(f, x, rest, i, &own);
    add_pair(f, block, i, x, rest, &own, &lanes[t], &lanes[t]);
  }
}

CK_INLINE void store_pairs(pair_sums lanes[8][TOKEN_TILE], size_t tokens, float *y,
                           size_t y_stride) {
  for (size_t t = 0; t < tokens; t++) {
    CK_UNROLL
    for (size_t g = 0; g < 2; g++) {
      fxr lane[8];
      CK_UNROLL
      for (size_t i = 0; i < 8; i++) lane[i] = lanes[i][t].group[g];
      store_lanes(lane, y + t * y_stride + g * CK_GROUP_ROWS);
    }
  }
}

// Two groups, group_bytes apart, with up to TOKEN_TILE tokens from `token` on: activations are
// fetched once for both.
CK_INLINE void pair_of_groups(const lane_format *lf, const uint8_t *w, size_t group_bytes,
                              const ck_q8 *x, size_t token, size_t tokens, float *y,
                              size_t y_stride) {
  static const pair_sums none[TOKEN_TILE];
  const vector_format *f = lf->f;
  const size_t blocks = x->cols / CK_BLOCK_VALUES, bytes = CK_GROUP_ROWS * chunk_bytes(f);
  pair_sums lanes[8][TOKEN_TILE];
  chunk_sums sums[TOKEN_TILE];
  for (size_t b = 0; b < blocks; b += 8, w += bytes) {
    const size_t n = f->blocks == 8 || blocks - b >= 8 ? 8 : blocks - b;
    const size_t at = token * (x->stride / CK_BLOCK_VALUES) + b;
    fill_sums(f, x, at, n, tokens, sums);
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) {
      if (i >= n) {
        if (b == 0) memset(lanes[i], 0, tokens * sizeof lanes[i][0]);
        continue;
      }
      lane_block block[2];
      CK_UNROLL
      for (size_t g = 0; g < 2; g++) {
        lane_block_at(lf, w + g * group_bytes, i, 0, &block[g]);
        if (token == 0) fetch(w + g * group_bytes + i * bytes / 8 + LANES_AHEAD, bytes / 8);
      }
      pair_product(f, block, i, x, at + i, tokens, sums, b == 0 ? none : lanes[i], lanes[i]);
    }
  }
  store_pairs(lanes, tokens, y, y_stride);
}
#endif

// Interleaved groups.
CK_INLINE void matmul_groups(const lane_format *lf, const void *w, size_t row_bytes, size_t rows,
                             const ck_q8 *activations, float *y, size_t y_stride) {
  // A copy of its own, which storing results cannot change: it stays in registers.
  const ck_q8 copy = *activations, *x = &copy;
  const uint8_t *group = w;
  const size_t bytes = CK_GROUP_ROWS * row_bytes;
  size_t row = 0;
#if CK_GROUP_PAIRS
  for (; x->tokens > 2 && row + 2 * CK_GROUP_ROWS <= rows; row += 2 * CK_GROUP_ROWS) {
    for (size_t t = 0; t < x->tokens; t += TOKEN_TILE) {
      const size_t tokens = x->tokens - t < TOKEN_TILE ? x->tokens - t : TOKEN_TILE;
      pair_of_groups(lf, group, bytes, x, t, tokens, y + t * y_stride + row, y_stride);
    }
    group += 2 * bytes;
  }
#endif
  for (; row < rows; row += CK_GROUP_ROWS, group += bytes) {
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
