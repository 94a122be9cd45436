// Strips where byte products take unsigned bytes from a register and signed ones from memory (AVX2).
// Part of ck_strips_body.h.
//
// Activations are made unsigned, 128 more than they are, so that one in a register meets the codes of all
// rows, which lose their offset and are the signed bytes. What the 128 adds is a constant of the row's
// block: sums of 16 bits begin with its negative. They may wrap on the way, since what they end with fits.

enum { BIAS = 128 };

// One block of all rows.
typedef struct strip_block {
  lane_block rows[STRIP_VECTORS];   // codes less their offset
  i16x16 start[STRIP_VECTORS][2];   // what the first and the second 16-bit sums begin with
  i16x16 weight[STRIP_VECTORS][2];  // and what they are multiplied with
} strip_block;

// The unsigned activations of a tile's chunk.
typedef struct strip_tile {
  uint8_t q[8][TOKEN_TILE][CK_BLOCK_VALUES];  // [block, token, value]
} strip_tile;

// What a block's codes are at most, their offset taken off.
CK_INLINE int largest_magnitude(const vector_format *f) {
  const int above = f->largest - f->offset;
  return above > f->offset ? above : f->offset;
}

// Units of four values whose products 16-bit sums of two a row can end with.
CK_INLINE size_t biased_units(const vector_format *f) {
  return 16 * 127 * largest_magnitude(f) < 1 << 15 ? 8 : 4;
}

// Whether two products with 255 fit into 16 bits.
CK_INLINE bool in_strips(const vector_format *f) {
  return f->largest != SIGNED_CODES && 2 * 255 * largest_magnitude(f) < 1 << 15;
}

CK_INLINE bool strips_need_sums(const vector_format *f) { return has_minimum(f); }

CK_INLINE void prepare_block(const vector_format *f, strip_block *block) {
  const size_t units = biased_units(f);
  const u8x32 bias = (u8x32){0} + BIAS;
  CK_UNROLL
  for (size_t g = 0; g < STRIP_VECTORS; g++) {
    lane_block *rows = &block->rows[g];
    CK_UNROLL
    for (size_t s = 0; s < 8 / units; s++) {
      i16x16 total = {0};
      CK_UNROLL
      for (size_t j = s * units; j < (s + 1) * units; j++) {
        rows->codes[j] -= (uint8_t)excess(f);
        total += unsigned_products(bias, rows->codes[j]);
      }
      const ixr weight = is_grouped(f) ? rows->s[s] : splat_int(1);
      block->start[g][s] = -total;
      block->weight[g][s] = (i16x16)((weight & 0xffff) | weight << 16);
    }
  }
}

CK_INLINE u8x32 biased(const int8_t *q) { return load_u8x32(q) ^ BIAS; }

CK_INLINE void load_tile(strip_tile *tile, const ck_q8 *x, size_t at, size_t n, size_t tokens) {
  for (size_t t = 0; t < tokens; t++, at += x->stride / CK_BLOCK_VALUES) {
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) {
      if (i >= n) continue;
      const u8x32 values = biased(x->q + (at + i) * CK_BLOCK_VALUES);
      memcpy(tile->q[i][t], &values, sizeof values);
    }
  }
}

CK_INLINE const int8_t *tile_block(const strip_tile *tile, size_t at, size_t i, size_t t) {
  (void)at;
  return (const int8_t *)tile->q[i][t];
}

CK_INLINE const int8_t *rest_block(const ck_q8 *x, size_t at, u8x32 *copy) {
  *copy = biased(x->q + at * CK_BLOCK_VALUES);
  return (const int8_t *)copy;
}

// The integer products of a block with one token's unsigned activations, as floats.
CK_INLINE void strip_dots(const vector_format *f, const strip_block *block, size_t i,
                          const int8_t *q, const chunk_sums *sums, fxr products[STRIP_VECTORS]) {
  (void)i, (void)sums;
  const size_t units = biased_units(f);
  ixr total[STRIP_VECTORS];
  CK_UNROLL
  for (size_t s = 0; s < 8 / units; s++) {
    i16x16 sum[STRIP_VECTORS];
    CK_UNROLL
    for (size_t g = 0; g < STRIP_VECTORS; g++) sum[g] = block->start[g][s];
    CK_UNROLL
    for (size_t j = s * units; j < (s + 1) * units; j++) {
      const u8x32 four = (u8x32)splat_int((int)load_u32(q + 4 * j));
      CK_UNROLL
      for (size_t g = 0; g < STRIP_VECTORS; g++) {
        sum[g] += unsigned_products(four, block->rows[g].codes[j]);
      }
    }
    CK_UNROLL
    for (size_t g = 0; g < STRIP_VECTORS; g++) {
      const ixr part = pair_dot(sum[g], block->weight[g][s]);
      total[g] = s == 0 ? part : total[g] + part;
    }
  }
  CK_UNROLL
  for (size_t g = 0; g < STRIP_VECTORS; g++) products[g] = floats(total[g]);
}
