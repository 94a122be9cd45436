// Quantised blocks taken apart in vectors, eight blocks of 32 values (a chunk) at a time.
//
// The same meaning as ck_unpack.c gives them, in the shape that dot products want: codes that are
// either unsigned and below 128, with a constant to subtract, or signed bytes. Shared by all
// instruction sets; needs lookup16 from the file that includes it.
#include "ck_blocks.h"
#include "ck_half.h"
#include "ck_unpack.h"
#include "ck_vector.h"

// The scales of a chunk: a and m for each block, s and n for each 16 values (see ck_layout).
typedef struct chunk_scales {
  f32x8 a, m;
  i16x16 s, n;
} chunk_scales;

enum { SIGNED_CODES = 255 };

typedef struct vector_format {
  ck_layout layout;
  size_t bytes;   // of a block of the type
  size_t blocks;  // blocks of 32 values in that: 1 or 8
  int largest;    // the largest code, or SIGNED_CODES
  int offset;     // a value is its code less this
  // Codes of block i (0 ... 7) of the chunk at w.
  u8x32 (*codes)(const uint8_t *w, size_t i);
  // Scales of n (1 ... 8) blocks `stride` bytes apart, the first at w; the others' are zero. Of a
  // superblock at w all eight. What the layout does not use is left as it was.
  void (*scales)(const uint8_t *w, size_t stride, size_t n, chunk_scales *out);
} vector_format;

CK_INLINE f32x8 floats_of_halves(u16x8 halves) {
  f16x8 h;
  memcpy(&h, &halves, sizeof h);
  return __builtin_convertvector(h, f32x8);
}

// n halves, `stride` bytes apart.
CK_INLINE f32x8 load_halves(const uint8_t *p, size_t stride, size_t n) {
  u16x8 halves = {0};
  CK_UNROLL
  for (size_t i = 0; i < 8; i++) {
    if (i < n) halves[i] = ck_load_u16(p + i * stride);
  }
  return floats_of_halves(halves);
}

// One float in every lane.
CK_INLINE f32x8 splat_half(const uint8_t *p) {
  return (f32x8){0} + ck_load_half(p);
}

CK_INLINE f32x8 floats_of_bytes(uint64_t bytes) {
  u8x8 v;
  memcpy(&v, &bytes, sizeof v);
  return __builtin_convertvector(v, f32x8);
}

// 16 bytes of nibbles: the low halves, then the high ones.
CK_INLINE u8x32 nibbles16(const uint8_t *p) {
  const u8x16 q = load_u8x16(p);
  return CK_JOIN16(q & 15, q >> 4);
}

// 32 bytes of nibbles: the low halves or the high ones.
CK_INLINE u8x32 nibbles32(const uint8_t *p, size_t high) {
  const u8x32 q = load_u8x32(p);
  return high ? q >> 4 : q & 15;
}

// 16 in each of 32 lanes whose bit of `bits` is set.
CK_INLINE u8x32 fifth_bits(const uint8_t *bits) {
  u8x4 four;
  memcpy(&four, bits, sizeof four);
  const u8x32 spread =
      __builtin_shufflevector(four, four, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                              2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  const u8x32 bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128,
                     1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  return (u8x32)((spread & bit) != 0) & 16;
}

// Two bits a value, as Q2_K, Q3_K and TQ2_0 lay them.
CK_INLINE u8x32 bit_pairs(const uint8_t *p, size_t i) {
  return load_u8x32(p + i / 4 * 32) >> (uint8_t)(i % 4 * 2) & 3;
}

// Bit i of each of 32 bytes.
CK_INLINE u8x32 bit_plane(const uint8_t *p, size_t i) { return load_u8x32(p) >> (uint8_t)i & 1; }

// Blocks of 32 values: the address of a member of block i.
#define MEMBER(type, member, i) (w + (i) * sizeof(type) + offsetof(type, member))

CK_INLINE u8x32 q4_0_codes(const uint8_t *w, size_t i) { return nibbles16(MEMBER(ck_q4_0, q, i)); }
CK_INLINE void q4_0_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  out->a = load_halves(w + offsetof(ck_q4_0, d), stride, n);
}

CK_INLINE u8x32 q4_1_codes(const uint8_t *w, size_t i) { return nibbles16(MEMBER(ck_q4_1, q, i)); }
CK_INLINE void q4_1_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  out->a = load_halves(w + offsetof(ck_q4_1, d), stride, n);
  out->m = load_halves(w + offsetof(ck_q4_1, m), stride, n);
}

CK_INLINE u8x32 q5_0_codes(const uint8_t *w, size_t i) {
  return nibbles16(MEMBER(ck_q5_0, q, i)) | fifth_bits(MEMBER(ck_q5_0, qh, i));
}
CK_INLINE void q5_0_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  out->a = load_halves(w + offsetof(ck_q5_0, d), stride, n);
}

CK_INLINE u8x32 q5_1_codes(const uint8_t *w, size_t i) {
  return nibbles16(MEMBER(ck_q5_1, q, i)) | fifth_bits(MEMBER(ck_q5_1, qh, i));
}
CK_INLINE void q5_1_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  out->a = load_halves(w + offsetof(ck_q5_1, d), stride, n);
  out->m = load_halves(w + offsetof(ck_q5_1, m), stride, n);
}

CK_INLINE u8x32 q8_0_codes(const uint8_t *w, size_t i) {
  return load_u8x32(MEMBER(ck_q8_0, q, i));
}
CK_INLINE void q8_0_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  out->a = load_halves(w + offsetof(ck_q8_0, d), stride, n);
}

CK_INLINE u8x32 iq4_lookup(u8x32 indices) {
  return lookup16((i8x16){CK_IQ4_VALUES}, indices);
}

CK_INLINE u8x32 iq4_nl_codes(const uint8_t *w, size_t i) {
  return iq4_lookup(nibbles16(MEMBER(ck_iq4_nl, q, i)));
}
CK_INLINE void iq4_nl_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  out->a = load_halves(w + offsetof(ck_iq4_nl, d), stride, n);
}

// The values lie in -12 ... 12, so that 12 more makes them unsigned.
CK_INLINE u8x32 mxfp4_codes(const uint8_t *w, size_t i) {
  return lookup16((i8x16){CK_MXFP4_VALUES} + 12, nibbles16(MEMBER(ck_mxfp4, q, i)));
}
CK_INLINE void mxfp4_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  u8x8 exponents = {0};
  CK_UNROLL
  for (size_t i = 0; i < 8; i++) {
    if (i < n) exponents[i] = *(w + offsetof(ck_mxfp4, e) + i * stride);
  }
  // 2^(e - 128), as ck_mxfp4_scale_bits says it.
  const u32x8 e = __builtin_convertvector(exponents, u32x8);
  const u32x8 subnormal = (u32x8)(e < 2);
  const u32x8 small = ((u32x8){0} + 0x00200000) << (e & 1);
  out->a = (f32x8)((subnormal & small) | (~subnormal & (e - 1) << 23));
}

// Superblocks: one is the whole chunk.
#define SUPER(type) const type *b = (const type *)w

CK_INLINE u8x32 q2_k_codes(const uint8_t *w, size_t i) {
  SUPER(ck_q2_k);
  return bit_pairs(b->q, i);
}
CK_INLINE void q2_k_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  (void)stride, (void)n;
  SUPER(ck_q2_k);
  const u8x16 packed = load_u8x16(b->scales);
  out->a = splat_half(b->d);
  out->m = -splat_half(b->dmin);
  out->s = __builtin_convertvector(packed & 15, i16x16);
  out->n = __builtin_convertvector(packed >> 4, i16x16);
}

CK_INLINE u8x32 q3_k_codes(const uint8_t *w, size_t i) {
  SUPER(ck_q3_k);
  return bit_pairs(b->q, i) | bit_plane(b->hmask, i) << 2;
}
CK_INLINE void q3_k_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  (void)stride, (void)n;
  SUPER(ck_q3_k);
  const uint64_t low = load_u64(b->scales);
  const uint64_t high = load_u32(b->scales + 8);
  const uint64_t nibbles = 0x0f0f0f0f0f0f0f0f, pairs = 0x0303030303030303;
  const uint64_t halves[2] = {
      (low & nibbles) | ((high | high >> 2 << 32) & pairs) << 4,
      (low >> 4 & nibbles) | ((high >> 4 | high >> 6 << 32) & pairs) << 4,
  };
  out->a = splat_half(b->d);
  out->s = __builtin_convertvector(load_i8x16(halves), i16x16) - 32;
}

// The 6-bit scales and minima of Q4_K and Q5_K.
CK_INLINE void k_scales(const uint8_t *d, const uint8_t *dmin, const uint8_t *s,
                        chunk_scales *out) {
  const uint32_t first = load_u32(s), second = load_u32(s + 4), third = load_u32(s + 8);
  const uint32_t nibbles = 0x0f0f0f0f, pairs = 0x03030303, sixes = 0x3f3f3f3f;
  const uint64_t high_scales = (third & nibbles) | (first >> 6 & pairs) << 4;
  const uint64_t high_minima = (third >> 4 & nibbles) | (second >> 6 & pairs) << 4;
  out->a = splat_half(d) * floats_of_bytes((first & sixes) | high_scales << 32);
  out->m = -(splat_half(dmin) * floats_of_bytes((second & sixes) | high_minima << 32));
}

CK_INLINE u8x32 q4_k_codes(const uint8_t *w, size_t i) {
  SUPER(ck_q4_k);
  return nibbles32(b->q + i / 2 * 32, i % 2);
}
CK_INLINE void q4_k_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  (void)stride, (void)n;
  SUPER(ck_q4_k);
  k_scales(b->d, b->dmin, b->scales, out);
}

CK_INLINE u8x32 q5_k_codes(const uint8_t *w, size_t i) {
  SUPER(ck_q5_k);
  return nibbles32(b->q + i / 2 * 32, i % 2) | bit_plane(b->qh, i) << 4;
}
CK_INLINE void q5_k_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  (void)stride, (void)n;
  SUPER(ck_q5_k);
  k_scales(b->d, b->dmin, b->scales, out);
}

CK_INLINE u8x32 q6_k_codes(const uint8_t *w, size_t i) {
  SUPER(ck_q6_k);
  const u8x32 low = nibbles32(b->ql + i / 4 * 64 + i % 2 * 32, i % 4 / 2);
  return low | bit_pairs(b->qh, i) << 4;
}
CK_INLINE void q6_k_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  (void)stride, (void)n;
  SUPER(ck_q6_k);
  out->a = splat_half(b->d);
  out->s = __builtin_convertvector(load_i8x16(b->scales), i16x16);
}

CK_INLINE u8x32 iq4_xs_codes(const uint8_t *w, size_t i) {
  SUPER(ck_iq4_xs);
  return iq4_lookup(nibbles16(b->q + 16 * i));
}
CK_INLINE void iq4_xs_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  (void)stride, (void)n;
  SUPER(ck_iq4_xs);
  const u32x8 step = {0, 1, 2, 3, 4, 5, 6, 7};
  const u32x8 low = ((u32x8){0} + load_u32(b->scales_l)) >> step * 4 & 15;
  const u32x8 high = ((u32x8){0} + (uint32_t)ck_load_u16(b->scales_h)) >> step * 2 & 3;
  out->a = splat_half(b->d) * __builtin_convertvector((i32x8)(low | high << 4) - 32, f32x8);
}

// The digit (0 ... 2) that comes first after the bytes were multiplied by powers of three.
CK_INLINE u8x32 leading_trits(u8x32 bytes) {
  return __builtin_convertvector(__builtin_convertvector(bytes, u16x32) * 3 >> 8, u8x32);
}

CK_INLINE u8x32 tq1_0_codes(const uint8_t *w, size_t i) {
  SUPER(ck_tq1_0);
  static const uint8_t power[5] = {1, 3, 9, 27, 81};
  if (i < 5) return leading_trits(load_u8x32(b->q) * power[i]);
  const u8x16 rest = load_u8x16(b->q + 32);
  if (i < 7) {
    return leading_trits(CK_JOIN16(rest * power[2 * i - 10], rest * power[2 * i - 9]));
  }
  u8x4 last;
  memcpy(&last, b->qh, sizeof last);
  const u8x16 four = __builtin_shufflevector(last, last, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1,
                                             2, 3);
  const u8x16 powers = {1, 1, 1, 1, 3, 3, 3, 3, 9, 9, 9, 9, 27, 27, 27, 27};
  return leading_trits(CK_JOIN16(rest * power[4], four * powers));
}
CK_INLINE void tq1_0_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  (void)stride, (void)n;
  SUPER(ck_tq1_0);
  out->a = splat_half(b->d);
}

CK_INLINE u8x32 tq2_0_codes(const uint8_t *w, size_t i) {
  SUPER(ck_tq2_0);
  return bit_pairs(b->q, i);
}
CK_INLINE void tq2_0_scales(const uint8_t *w, size_t stride, size_t n, chunk_scales *out) {
  (void)stride, (void)n;
  SUPER(ck_tq2_0);
  out->a = splat_half(b->d);
}

#define FORMAT(name, layout, blocks, largest, offset) \
  static const vector_format name##_format = {        \
      layout, sizeof(ck_##name), blocks, largest, offset, name##_codes, name##_scales}

FORMAT(q4_0, CK_LAYOUT_PLAIN, 1, 15, 8);
FORMAT(q4_1, CK_LAYOUT_MIN, 1, 15, 0);
FORMAT(q5_0, CK_LAYOUT_PLAIN, 1, 31, 16);
FORMAT(q5_1, CK_LAYOUT_MIN, 1, 31, 0);
FORMAT(q8_0, CK_LAYOUT_PLAIN, 1, SIGNED_CODES, 0);
FORMAT(iq4_nl, CK_LAYOUT_PLAIN, 1, SIGNED_CODES, 0);
FORMAT(mxfp4, CK_LAYOUT_PLAIN, 1, 24, 12);
FORMAT(q2_k, CK_LAYOUT_GROUPED_MIN, 8, 3, 0);
FORMAT(q3_k, CK_LAYOUT_GROUPED, 8, 7, 4);
FORMAT(q4_k, CK_LAYOUT_MIN, 8, 15, 0);
FORMAT(q5_k, CK_LAYOUT_MIN, 8, 31, 0);
FORMAT(q6_k, CK_LAYOUT_GROUPED, 8, 63, 32);
FORMAT(iq4_xs, CK_LAYOUT_PLAIN, 8, SIGNED_CODES, 0);
FORMAT(tq1_0, CK_LAYOUT_PLAIN, 8, 2, 1);
FORMAT(tq2_0, CK_LAYOUT_PLAIN, 8, 3, 1);
