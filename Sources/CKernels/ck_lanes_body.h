// Interleaved weights taken apart: a lane belongs to a row, so a block of CK_ROWS rows is read, not
// turned. For ck_groups_body.h and ck_tiles_amx.c.
//
// A group has CK_GROUP_ROWS rows; with fewer lanes a kernel takes a part of them, from `first` on.
#include "ck_interleave.h"
#include "ck_matmul_tables.h"

// One block of 32 values of CK_ROWS rows; a lane belongs to a row.
typedef struct lane_block {
  bxr codes[8];  // four codes of each row
  fxr a, m;
  ixr s[2], n[2];
} lane_block;

typedef uint32_t uxr __attribute__((vector_size(4 * CK_ROWS)));
typedef _Float16 hxr __attribute__((vector_size(2 * CK_ROWS)));

typedef struct lane_format {
  const vector_format *f;
  // Codes 4j ... 4j+3 of block i of the eight that begin at w.
  bxr (*codes)(const uint8_t *w, size_t i, size_t j, size_t first);
  // The scales of block i, as far as the layout has them.
  void (*scales)(const uint8_t *w, size_t i, size_t first, lane_block *out);
} lane_format;

// Unit `index` of four bytes of a member that begins `offset` bytes into its block.
CK_INLINE bxr lane_unit(const uint8_t *block, size_t offset, size_t index, size_t first) {
  bxr v;
  memcpy(&v, block + CK_GROUP_ROWS * offset + (index * CK_GROUP_ROWS + first) * 4, sizeof v);
  return v;
}

CK_INLINE uxr lane_words(const uint8_t *block, size_t offset, size_t index, size_t first) {
  return (uxr)lane_unit(block, offset, index, first);
}

CK_INLINE fxr lane_half(const uint8_t *block, size_t offset, size_t first) {
  hxr h;
  memcpy(&h, block + CK_GROUP_ROWS * offset + first * 2, sizeof h);
  return __builtin_convertvector(h, fxr);
}

CK_INLINE fxr lane_floats(uxr v) { return __builtin_convertvector((ixr)v, fxr); }

// Sixteen bytes of nibbles: the low halves are values 0 ... 15, the high ones the rest.
CK_INLINE bxr lane_nibbles(const uint8_t *block, size_t offset, size_t j, size_t first) {
  const bxr q = lane_unit(block, offset, j % 4, first);
  return j < 4 ? q & 15 : q >> 4;
}

// The first byte of each word, in all four of its bytes.
#define FIRST_BYTE(row) 4 * (row), 4 * (row), 4 * (row), 4 * (row)
#define FIRST_BYTES(row) \
  FIRST_BYTE(row), FIRST_BYTE((row) + 1), FIRST_BYTE((row) + 2), FIRST_BYTE((row) + 3)
CK_INLINE bxr spread_first_bytes(uxr words) {
  const bxr v = (bxr)words;
#if CK_ROWS == 16
  return __builtin_shufflevector(v, v, FIRST_BYTES(0), FIRST_BYTES(4), FIRST_BYTES(8),
                                 FIRST_BYTES(12));
#elif CK_ROWS == 8
  return __builtin_shufflevector(v, v, FIRST_BYTES(0), FIRST_BYTES(4));
#else
  return __builtin_shufflevector(v, v, FIRST_BYTES(0));
#endif
}

// 16 in each byte whose bit of the four from 4j on is set.
CK_INLINE bxr lane_fifth_bits(const uint8_t *block, size_t offset, size_t j, size_t first) {
  const uxr words = lane_words(block, offset, 0, first) >> (uint32_t)(j / 2 * 8);
  const bxr bit = (bxr)((uxr){0} + (j % 2 ? 0x80402010u : 0x08040201u));
  return (bxr)((spread_first_bytes(words) & bit) != 0) & 16;
}

// Blocks of 32 values: block i of the group.
#define LANE_BLOCK(type) const uint8_t *b = w + i * CK_GROUP_ROWS * sizeof(type)
#define LANE_HALF(type, member) lane_half(b, offsetof(type, member), first)

#define LANE_SIMPLE(name, expression)                                              \
  CK_INLINE bxr name##_lane_codes(const uint8_t *w, size_t i, size_t j, size_t first) { \
    LANE_BLOCK(ck_##name);                                                         \
    return expression;                                                             \
  }
#define LANE_SCALE(name)                                                                    \
  CK_INLINE void name##_lane_scales(const uint8_t *w, size_t i, size_t first, lane_block *out) { \
    LANE_BLOCK(ck_##name);                                                                  \
    out->a = LANE_HALF(ck_##name, d);                                                       \
  }
#define LANE_SCALE_MIN(name)                                                                \
  CK_INLINE void name##_lane_scales(const uint8_t *w, size_t i, size_t first, lane_block *out) { \
    LANE_BLOCK(ck_##name);                                                                  \
    out->a = LANE_HALF(ck_##name, d);                                                       \
    out->m = LANE_HALF(ck_##name, m);                                                       \
  }

LANE_SIMPLE(q4_0, lane_nibbles(b, offsetof(ck_q4_0, q), j, first))
LANE_SCALE(q4_0)
LANE_SIMPLE(q4_1, lane_nibbles(b, offsetof(ck_q4_1, q), j, first))
LANE_SCALE_MIN(q4_1)
LANE_SIMPLE(q5_0, lane_nibbles(b, offsetof(ck_q5_0, q), j, first) |
                      lane_fifth_bits(b, offsetof(ck_q5_0, qh), j, first))
LANE_SCALE(q5_0)
LANE_SIMPLE(q5_1, lane_nibbles(b, offsetof(ck_q5_1, q), j, first) |
                      lane_fifth_bits(b, offsetof(ck_q5_1, qh), j, first))
LANE_SCALE_MIN(q5_1)
LANE_SIMPLE(q8_0, lane_unit(b, offsetof(ck_q8_0, q), j, first))
LANE_SCALE(q8_0)
LANE_SIMPLE(iq4_nl, lane_lookup16((i8x16){CK_IQ4_VALUES},
                                  lane_nibbles(b, offsetof(ck_iq4_nl, q), j, first)))
LANE_SCALE(iq4_nl)

// Superblocks: block i of the only one.

// The 6-bit scales and minima of Q4_K and Q5_K.
CK_INLINE void lane_k_scales(const uint8_t *w, size_t scales, size_t i, size_t first,
                             lane_block *out) {
  const uxr low = lane_words(w, scales, 0, first), high = lane_words(w, scales, 1, first);
  const uint32_t shift = (uint32_t)(8 * (i % 4));
  uxr scale, minimum;
  if (i < 4) {
    scale = low >> shift & 63;
    minimum = high >> shift & 63;
  } else {
    const uxr nibbles = lane_words(w, scales, 2, first) >> shift;
    scale = (nibbles & 15) | (low >> (shift + 6) & 3) << 4;
    minimum = (nibbles >> 4 & 15) | (high >> (shift + 6) & 3) << 4;
  }
  out->a = lane_half(w, 0, first) * lane_floats(scale);
  out->m = -(lane_half(w, 2, first) * lane_floats(minimum));
}
_Static_assert(offsetof(ck_q4_k, dmin) == 2 && offsetof(ck_q5_k, dmin) == 2, "lane_k_scales");

CK_INLINE bxr lane_super_nibbles(const uint8_t *w, size_t q, size_t i, size_t j, size_t first) {
  const bxr v = lane_unit(w, q, i / 2 * 8 + j, first);
  return i % 2 ? v >> 4 : v & 15;
}

CK_INLINE bxr q4_k_lane_codes(const uint8_t *w, size_t i, size_t j, size_t first) {
  return lane_super_nibbles(w, offsetof(ck_q4_k, q), i, j, first);
}
CK_INLINE void q4_k_lane_scales(const uint8_t *w, size_t i, size_t first, lane_block *out) {
  lane_k_scales(w, offsetof(ck_q4_k, scales), i, first, out);
}

CK_INLINE bxr q5_k_lane_codes(const uint8_t *w, size_t i, size_t j, size_t first) {
  const bxr plane = lane_unit(w, offsetof(ck_q5_k, qh), j, first) >> (uint8_t)i & 1;
  return lane_super_nibbles(w, offsetof(ck_q5_k, q), i, j, first) | plane << 4;
}
CK_INLINE void q5_k_lane_scales(const uint8_t *w, size_t i, size_t first, lane_block *out) {
  lane_k_scales(w, offsetof(ck_q5_k, scales), i, first, out);
}

CK_INLINE bxr q6_k_lane_codes(const uint8_t *w, size_t i, size_t j, size_t first) {
  const bxr low = lane_unit(w, offsetof(ck_q6_k, ql), i / 4 * 16 + i % 2 * 8 + j, first);
  const bxr high = lane_unit(w, offsetof(ck_q6_k, qh), i / 4 * 8 + j, first);
  return (i % 4 / 2 ? low >> 4 : low & 15) | (high >> (uint8_t)(i % 4 * 2) & 3) << 4;
}
CK_INLINE void q6_k_lane_scales(const uint8_t *w, size_t i, size_t first, lane_block *out) {
  const uxr four = lane_words(w, offsetof(ck_q6_k, scales), i / 2, first);
  const uint32_t shift = (uint32_t)(i % 2 * 16);
  out->a = lane_half(w, offsetof(ck_q6_k, d), first);
  out->s[0] = (ixr)(four << (24 - shift)) >> 24;
  out->s[1] = (ixr)(four << (16 - shift)) >> 24;
}

#define LANE_FORMAT(name, type)                \
  static const lane_format name##_lane_format = { \
      &name##_format, name##_lane_codes, name##_lane_scales};
CK_INTERLEAVED_TYPES(LANE_FORMAT)

// Block i of the eight at w, its codes as `weights` gives them.
CK_INLINE void lane_block_at(const lane_format *lf, const uint8_t *w, size_t i, size_t first,
                             lane_block *out) {
  const vector_format *f = lf->f;
  CK_UNROLL
  for (size_t j = 0; j < 8; j++) {
    bxr codes = lf->codes(w, i, j, first);
    if (CK_WEIGHTS == WEIGHTS_U8 && f->largest == SIGNED_CODES) codes ^= 128;
    out->codes[j] = codes;
  }
  lf->scales(w, i, first, out);
}
