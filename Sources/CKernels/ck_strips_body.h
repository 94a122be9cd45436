// Prefill in strips of two groups: what a token needs is fetched once for all their vectors of rows.
// Part of ck_groups_body.h.

enum {
  STRIP_GROUPS = 2,
  STRIP_ROWS = STRIP_GROUPS * CK_GROUP_ROWS,
  STRIP_VECTORS = STRIP_ROWS / CK_ROWS,
};

#if CK_BIASED
#include "ck_biased_body.h"
#else
// One block of all rows, and the activations of a tile's chunk, which are read where they lie.
typedef struct strip_block {
  lane_block rows[STRIP_VECTORS];
} strip_block;
typedef const ck_q8 *strip_tile;

CK_INLINE bool in_strips(const vector_format *f) {
  (void)f;
  return true;
}
CK_INLINE bool strips_need_sums(const vector_format *f) { return has_minimum(f) || excess(f) != 0; }
CK_INLINE void prepare_block(const vector_format *f, strip_block *block) { (void)f, (void)block; }
CK_INLINE void load_tile(strip_tile *tile, const ck_q8 *x, size_t at, size_t n, size_t tokens) {
  (void)at, (void)n, (void)tokens;
  *tile = x;
}
CK_INLINE const int8_t *tile_block(const strip_tile *tile, size_t at, size_t i, size_t t) {
  (void)t;
  fetch_activations(*tile, at, i);
  return (*tile)->q + at * CK_BLOCK_VALUES;
}
CK_INLINE const int8_t *rest_block(const ck_q8 *x, size_t at, u8x32 *copy) {
  (void)copy;
  return x->q + at * CK_BLOCK_VALUES;
}

// The integer products of a block with one token's, as floats. Sums of groups meet their scales as
// floats too: fewer instructions, and exact, since what the interleaved types have stays below
// 2 * 128 * 16 * 32 * 127 < 2^24.
CK_INLINE void strip_dots(const vector_format *f, const strip_block *block, size_t i,
                          const int8_t *q, const chunk_sums *sums, fxr products[STRIP_VECTORS]) {
  const lane_block *a = &block->rows[0], *b = &block->rows[1];
  _Static_assert(STRIP_VECTORS == 2, "panel_dot_rows takes two");
  const int32_t *correction = sums->correction;
  const bool correct = excess(f) != 0;
  ixr first[2], second[2];
  if (!is_grouped(f)) {
    first[0] = first[1] = splat_int(correct ? correction[i] : 0);
    panel_dot_rows(a->codes, b->codes, 8, q, first);
    products[0] = floats(first[0]), products[1] = floats(first[1]);
    return;
  }
  first[0] = first[1] = splat_int(correct ? correction[2 * i] : 0);
  second[0] = second[1] = splat_int(correct ? correction[2 * i + 1] : 0);
  panel_dot_rows(a->codes, b->codes, 4, q, first);
  panel_dot_rows(a->codes + 4, b->codes + 4, 4, q + 16, second);
  CK_UNROLL
  for (size_t g = 0; g < STRIP_VECTORS; g++) {
    const lane_block *rows = &block->rows[g];
    const fxr scaled = floats(rows->s[0]) * floats(first[g]);
    products[g] = FMA(floats(rows->s[1]), floats(second[g]), scaled);
  }
}
#endif

// Of each of n blocks (1 ... 8) of `tokens` rows from block `at` on, the rows where it is not empty, a bit
// each. Few are and at random: a loop over bits is guessed right more often than a question a row.
CK_INLINE void find_rests(const ck_q8 *x, size_t at, size_t n, const size_t tokens,
                          uint32_t rests[8]) {
  typedef bool bits8 __attribute__((ext_vector_type(8)));
  const size_t all = (x->tokens + x->rest) * (x->stride / CK_BLOCK_VALUES);
  uint64_t rows[TOKEN_TILE / 8] = {0};  // a byte a row
  for (size_t t = 0; t < tokens; t++, at += x->stride / CK_BLOCK_VALUES) {
    const float *p = x->scale + at;
    const f32x8 scales = at + 8 <= all ? load_f32x8(p) : load_part_f32x8(p, 4 * n);
    const bits8 bits = __builtin_convertvector(scales != 0, bits8);
    memcpy((uint8_t *)rows + t, &bits, 1);
  }
  memset(rests, 0, 8 * sizeof rests[0]);
  for (size_t e = 0; 8 * e < tokens; e++) {
    const uint64_t columns = transpose_bits(rows[e]);
    for (size_t i = 0; i < 8; i++) rests[i] |= (uint32_t)(columns >> 8 * i & 255) << 8 * e;
  }
}

// What all rows have summed for one token. Side by side: a store to some would otherwise keep a load of
// others waiting where their addresses differ by a multiple of 4 KB.
typedef struct strip_sums {
  fxr rows[STRIP_VECTORS];
} strip_sums;

// What block i of a chunk and one token's q, times its scale, add to the sums `before`.
CK_INLINE void add_strip(const vector_format *f, const strip_block *block, size_t i,
                         const int8_t *q, float scale, const chunk_sums *sums,
                         const strip_sums *before, strip_sums *lane) {
  fxr products[STRIP_VECTORS];
  strip_dots(f, block, i, q, sums, products);
  const fxr scales = splat_float(scale);
  CK_UNROLL
  for (size_t g = 0; g < STRIP_VECTORS; g++) {
    const fxr term = block_term(f, &block->rows[g], i, products[g], sums);
    lane->rows[g] = FMA(scales, term, before->rows[g]);
  }
}

// Block i of a chunk with `tokens` tokens, of which the first one's block is `at`, as block_product.
CK_INLINE void strip_product(const vector_format *f, const strip_block *block, size_t i,
                             const ck_q8 *x, size_t at, size_t tokens, const strip_tile *tile,
                             uint32_t rests, const chunk_sums *sums, const strip_sums *before,
                             strip_sums *lanes) {
  const size_t apart = x->stride / CK_BLOCK_VALUES;
  for (size_t t = 0; t < tokens; t++) {
    const size_t own = at + t * apart;
    add_strip(f, block, i, tile_block(tile, own, i, t), x->scale[own], &sums[t], &before[t],
              &lanes[t]);
  }
  for (; rests != 0; rests &= rests - 1) {
    const size_t t = (size_t)__builtin_ctz(rests), own = at + rest_of(x) + t * apart;
    chunk_sums total;
    u8x32 copy;
    block_sums(f, x, own, i, &total);
    add_strip(f, block, i, rest_block(x, own, &copy), x->scale[own], &total, &lanes[t], &lanes[t]);
  }
}

CK_INLINE void store_strip(strip_sums lanes[8][TOKEN_TILE], size_t tokens, float *y,
                           size_t y_stride) {
  for (size_t t = 0; t < tokens; t++) {
    CK_UNROLL
    for (size_t g = 0; g < STRIP_VECTORS; g++) {
      fxr lane[8];
      CK_UNROLL
      for (size_t i = 0; i < 8; i++) lane[i] = lanes[i][t].rows[g];
      store_lanes(lane, y + t * y_stride + g * CK_ROWS);
    }
  }
}

// Block i of the chunk at w; groups are group_bytes apart.
CK_INLINE void read_strip(const lane_format *lf, const uint8_t *w, size_t group_bytes, size_t i,
                          strip_block *block) {
  CK_UNROLL
  for (size_t g = 0; g < STRIP_VECTORS; g++) {
    const size_t row = g * CK_ROWS;
    lane_block_at(lf, w + row / CK_GROUP_ROWS * group_bytes, i, row % CK_GROUP_ROWS,
                  &block->rows[g]);
  }
  prepare_block(lf->f, block);
}

// Asks for later weights.
CK_INLINE void fetch_strip(const uint8_t *w, size_t group_bytes, size_t bytes) {
  CK_UNROLL
  for (size_t g = 0; g < STRIP_GROUPS; g++) fetch(w + g * group_bytes + LANES_AHEAD, bytes);
}

// STRIP_ROWS rows with up to TOKEN_TILE tokens from `token` on.
CK_INLINE void strip_of_rows(const lane_format *lf, const uint8_t *w, size_t group_bytes,
                             const ck_q8 *x, size_t token, size_t tokens, float *y,
                             size_t y_stride) {
  static const strip_sums none[TOKEN_TILE];
  const vector_format *f = lf->f;
  const size_t blocks = x->cols / CK_BLOCK_VALUES, bytes = CK_GROUP_ROWS * chunk_bytes(f);
  strip_sums lanes[8][TOKEN_TILE];
  chunk_sums sums[TOKEN_TILE];
  uint32_t rests[8] = {0};
  strip_tile tile;
  for (size_t b = 0; b < blocks; b += 8, w += bytes) {
    const size_t n = f->blocks == 8 || blocks - b >= 8 ? 8 : blocks - b;
    const size_t at = token * (x->stride / CK_BLOCK_VALUES) + b;
    load_tile(&tile, x, at, n, tokens);
    if (strips_need_sums(f)) fill_sums(f, x, at, n, tokens, sums);
    if (x->rest) find_rests(x, at + rest_of(x), n, tokens, rests);
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) {
      if (i >= n) {
        if (b == 0) memset(lanes[i], 0, tokens * sizeof lanes[i][0]);
        continue;
      }
      strip_block block;
      read_strip(lf, w, group_bytes, i, &block);
      if (token == 0) fetch_strip(w + i * bytes / 8, group_bytes, bytes / 8);
      strip_product(f, &block, i, x, at + i, tokens, &tile, rests[i], sums,
                    b == 0 ? none : lanes[i], lanes[i]);
    }
  }
  store_strip(lanes, tokens, y, y_stride);
}
