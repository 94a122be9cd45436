// A block of CK_ROWS rows, taken apart, with the tokens of a tile. Part of ck_matmul_body.h.

// Tokens of a tile: their lanes and activations of a chunk stay in the first cache, or near it.
enum { TOKEN_TILE = 32 };

// What products need of the sums of one token's activations in one chunk.
typedef struct chunk_sums {
  int32_t correction[16];  // for each block, or each group: -excess * sum
  int32_t group[16];       // for each group: sum
  float block[8];          // for each block: sum
} chunk_sums;

#ifndef CK_SIGNED_CODES
#define CK_SIGNED_CODES 0
#endif
#ifndef CK_TOKEN_PAIRS
#define CK_TOKEN_PAIRS 0
#endif
#ifndef CK_SCALED_DOTS
#define CK_SCALED_DOTS 0
#endif
#ifndef CK_STRIPS
#define CK_STRIPS 0
#endif
#ifndef CK_BIASED
#define CK_BIASED 0
#endif

// Whether tiles of tokens go in pairs. The sums of groups would be turned twice a block, which costs
// more than it saves.
CK_INLINE bool in_pairs(const vector_format *f) { return CK_TOKEN_PAIRS && !is_grouped(f); }

// Whether a tile's codes lose their excess before the products: one or two tokens do not pay it.
CK_INLINE bool is_centred(const vector_format *f, size_t tokens) {
  return CK_SIGNED_CODES && tokens > 2 && (excess(f) != 0 || in_pairs(f));
}

// Sums of the chunks of `tokens` rows from block `at` on; of n blocks each.
CK_INLINE void fill_sums(const vector_format *f, const ck_q8 *x, size_t at, size_t n, size_t tokens,
                         chunk_sums *sums) {
  const bool correct =
      excess(f) != 0 && !is_centred(f, tokens) && !(CK_SCALED_DOTS && is_grouped(f));
  if (!correct && !has_minimum(f)) return;
  const i16x16 ones = (i16x16){0} + 1;
  const size_t all = (x->tokens + x->rest) * (x->stride / CK_BLOCK_VALUES);
  for (size_t t = 0; t < tokens; t++, sums++, at += x->stride / CK_BLOCK_VALUES) {
    const int16_t *p = x->sum + 2 * at;
    // More than n blocks do no harm where they can be read, and a part is slow to load.
    const i16x16 groups = at + 8 <= all ? load_i16x16(p) : load_part_i16x16(p, 4 * n);
    if (is_grouped(f)) {
      const i32x16 wide = __builtin_convertvector(groups, i32x16);
      const i32x16 correction = wide * -excess(f);
      if (correct) memcpy(sums->correction, &correction, sizeof correction);
      if (has_minimum(f)) memcpy(sums->group, &wide, sizeof wide);
    } else {
      const i32x8 wide = pair_dot(groups, ones);
      const i32x8 correction = wide * -excess(f);
      const f32x8 total = __builtin_convertvector(wide, f32x8);
      if (correct) memcpy(sums->correction, &correction, sizeof correction);
      if (has_minimum(f)) memcpy(sums->block, &total, sizeof total);
    }
  }
}

// The same of one block, the i-th of its chunk.
CK_INLINE void block_sums(const vector_format *f, const ck_q8 *x, size_t at, size_t i,
                          chunk_sums *sums) {
  const int32_t first = x->sum[2 * at], second = x->sum[2 * at + 1];
  if (is_grouped(f)) {
    sums->correction[2 * i] = -excess(f) * first;
    sums->correction[2 * i + 1] = -excess(f) * second;
    sums->group[2 * i] = first;
    sums->group[2 * i + 1] = second;
  } else {
    sums->correction[i] = -excess(f) * (first + second);
    sums->block[i] = (float)(first + second);
  }
}

CK_INLINE ixr splat_int(int32_t value) { return (ixr){0} + value; }
CK_INLINE fxr splat_float(float value) {
  fxr v;
  CK_UNROLL
  for (size_t i = 0; i < CK_ROWS; i++) v[i] = value;
  return v;
}

// Codes with the activations of one token; centred ones need no correction. Where tokens go in
// pairs, centred codes are turned and meet two tokens, `stride` bytes apart.
CK_INLINE void token_dots(const vector_format *f, const bxr *codes, size_t n, const int8_t *q,
                          size_t stride, const bool centred, const int32_t *correction,
                          ixr dots[2]) {
#if CK_TOKEN_PAIRS
  if (centred && in_pairs(f)) {
    panel_dot_pair(codes, n, q, q + stride, dots);
    return;
  }
#endif
  (void)stride;
  const int32_t start = excess(f) != 0 && !centred ? *correction : 0;
  dots[0] = panel_dot(codes, n, q, f->largest, splat_int(start));
}

// The integer products of one block with `count` tokens, one or two, of which the first one's block
// is `at`.
CK_INLINE void block_dots(const vector_format *f, const lane_block *block, size_t i,
                          const ck_q8 *x, size_t at, const size_t count, const bool centred,
                          const int32_t *correction, ixr dots[2]) {
  const int8_t *q = x->q + at * CK_BLOCK_VALUES;
  const size_t stride = (count - 1) * x->stride;
#if CK_SCALED_DOTS
  if (is_grouped(f)) {
    dots[0] = scaled_dots(block->codes, block->s, q, x->sum + 2 * at, f->largest, excess(f));
    return;
  }
#endif
  if (!is_grouped(f)) {
    token_dots(f, block->codes, 8, q, stride, centred, correction + i, dots);
    return;
  }
  ixr first[2], second[2];
  token_dots(f, block->codes, 4, q, stride, centred, correction + 2 * i, first);
  token_dots(f, block->codes + 4, 4, q + 16, stride, centred, correction + 2 * i + 1, second);
  CK_UNROLL
  for (size_t t = 0; t < count; t++) dots[t] = block->s[0] * first[t] + block->s[1] * second[t];
}

CK_INLINE fxr floats(ixr v) { return __builtin_convertvector(v, fxr); }

// What block i of a chunk adds to one token's lane, before the activations' scale.
CK_INLINE fxr block_term(const vector_format *f, const lane_block *block, size_t i, fxr product,
                         const chunk_sums *sums) {
  if (f->layout == CK_LAYOUT_MIN) {
    return FMA(block->a, product, block->m * splat_float(sums->block[i]));
  }
  if (f->layout == CK_LAYOUT_GROUPED_MIN) {
    const ixr total = block->n[0] * splat_int(sums->group[2 * i]) +
                      block->n[1] * splat_int(sums->group[2 * i + 1]);
    return FMA(block->a, product, block->m * floats(total));
  }
  return block->a * product;
}

// Whether a block's scale is 0. On x86 by its upper half (other scales are 2^-127 or more): the bits of a
// whole one would be moved to the vector units, where a load into all lanes costs nothing.
CK_INLINE bool is_empty(const ck_q8 *x, size_t block) {
#if defined(__x86_64__)
  return ck_load_u16((const uint8_t *)&x->scale[block] + 2) == 0;
#else
  return x->scale[block] == 0;
#endif
}

// What the lanes of a tile hold before their first block.
static const fxr no_sums[TOKEN_TILE];

// Block i of a chunk with `count` tokens, one or two; `at` is the first one's block. A pair of one
// token has it twice.
CK_INLINE void tokens_product(const vector_format *f, const lane_block *block, size_t i,
                              const ck_q8 *x, size_t at, const size_t count, const bool centred,
                              const chunk_sums *sums, const fxr *before, fxr *lanes) {
  const size_t apart = x->stride / CK_BLOCK_VALUES;
  ixr dots[2];
  block_dots(f, block, i, x, at, count, centred, sums->correction, dots);
  CK_UNROLL
  for (size_t t = 0; t < count; t++, at += apart) {
    const fxr term = block_term(f, block, i, floats(dots[t]), &sums[t]);
    lanes[t] = FMA(splat_float(x->scale[at]), term, before[t]);
  }
}

// Block i of a chunk with the rest of those of `tokens` tokens that have one; `at` is the block of the
// first one's rest.
CK_INLINE void rest_product(const vector_format *f, const lane_block *block, size_t i,
                            const ck_q8 *x, size_t at, size_t tokens, const bool centred,
                            fxr *lanes) {
  for (size_t t = 0; t < tokens; t++, at += x->stride / CK_BLOCK_VALUES) {
    if (is_empty(x, at)) continue;
    chunk_sums sums;
    block_sums(f, x, at, i, &sums);
    tokens_product(f, block, i, x, at, 1, centred, &sums, &lanes[t], &lanes[t]);
  }
}

// Asks for a token's next line, which two blocks share: the first cache cannot keep those of a whole tile
// beside the tile's sums.
CK_INLINE void fetch_activations(const ck_q8 *x, size_t at, size_t i) {
  if (i % 2 == 0) __builtin_prefetch(x->q + (at + 2) * CK_BLOCK_VALUES, 0, 3);
}

// Block i of a chunk with `tokens` tokens, added to the sums `before` (`lanes` themselves, or no_sums
// for their first block); `at` is the first token's block.
CK_INLINE void block_product(const vector_format *f, const lane_block *block, size_t i,
                             const ck_q8 *x, size_t at, const size_t tokens,
                             const chunk_sums *sums, const fxr *before, fxr *lanes) {
  const size_t apart = x->stride / CK_BLOCK_VALUES;
  size_t t = 0;
#define TOKENS(block, count, centred) \
  tokens_product(f, block, i, x, at + t * apart, count, centred, &sums[t], &before[t], &lanes[t])
  if (!is_centred(f, tokens)) {
    for (; t < tokens; t++) {
      if (tokens > 2) fetch_activations(x, at + t * apart, i);
      TOKENS(block, 1, false);
    }
    if (x->rest) rest_product(f, block, i, x, at + rest_of(x), tokens, false, lanes);
    return;
  }
  lane_block centred = *block;
  CK_UNROLL
  for (size_t j = 0; j < 8; j++) centred.codes[j] -= (uint8_t)excess(f);
#if CK_TOKEN_PAIRS
  if (in_pairs(f)) {
    turn_pairs(centred.codes);
    for (size_t n = tokens / 2; n > 0; n--, t += 2) TOKENS(&centred, 2, true);
  }
#endif
  for (; t < tokens; t++) TOKENS(&centred, 1, true);
  if (x->rest) rest_product(f, &centred, i, x, at + rest_of(x), tokens, true, lanes);
#undef TOKENS
}

CK_INLINE void clear_lane(fxr *lane, size_t tokens) { memset(lane, 0, tokens * sizeof *lane); }

// Adds the lanes in the order of ck_matmul_scalar.c.
CK_INLINE void store_lanes(const fxr lane[8], float *y) {
  const fxr even = (lane[0] + lane[4]) + (lane[2] + lane[6]);
  const fxr odd = (lane[1] + lane[5]) + (lane[3] + lane[7]);
  const fxr sum = (even + odd) + 0.0f;
  memcpy(y, &sum, sizeof sum);
}

CK_INLINE void store_tile(fxr lanes[8][TOKEN_TILE], size_t tokens, float *y, size_t y_stride) {
  for (size_t t = 0; t < tokens; t++) {
    fxr lane[8];
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) lane[i] = lanes[i][t];
    store_lanes(lane, y + t * y_stride);
  }
}
