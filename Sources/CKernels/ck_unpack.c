#include "ck_unpack.h"

#include "ck_half.h"

// Every function below writes the members that its layout uses and no others.
#define BLOCK(type) const type *b = (const type *)block

static const int8_t iq4_values[16] = {CK_IQ4_VALUES};
static const int8_t mxfp4_values[16] = {CK_MXFP4_VALUES};

// Nibble j is the low half of byte j, nibble j + n the high half.
static void nibbles(const uint8_t *bytes, size_t n, int8_t *q) {
  for (size_t j = 0; j < n; j++) {
    q[j] = bytes[j] & 15;
    q[j + n] = (int8_t)(bytes[j] >> 4);
  }
}

static void q4_0(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_q4_0);
  out->a[0] = ck_load_half(b->d);
  nibbles(b->q, 16, out->q);
  for (size_t i = 0; i < 32; i++) out->q[i] -= 8;
}

static void q4_1(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_q4_1);
  out->a[0] = ck_load_half(b->d);
  out->m[0] = ck_load_half(b->m);
  nibbles(b->q, 16, out->q);
}

static void q5_0(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_q5_0);
  const uint32_t high = ck_load_u32(b->qh);
  out->a[0] = ck_load_half(b->d);
  nibbles(b->q, 16, out->q);
  for (size_t i = 0; i < 32; i++) out->q[i] += (int8_t)((high >> i & 1) * 16 - 16);
}

static void q5_1(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_q5_1);
  const uint32_t high = ck_load_u32(b->qh);
  out->a[0] = ck_load_half(b->d);
  out->m[0] = ck_load_half(b->m);
  nibbles(b->q, 16, out->q);
  for (size_t i = 0; i < 32; i++) out->q[i] += (int8_t)((high >> i & 1) * 16);
}

static void q8_0(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_q8_0);
  out->a[0] = ck_load_half(b->d);
  memcpy(out->q, b->q, sizeof b->q);
}

static void iq4_nl(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_iq4_nl);
  out->a[0] = ck_load_half(b->d);
  nibbles(b->q, 16, out->q);
  for (size_t i = 0; i < 32; i++) out->q[i] = iq4_values[out->q[i]];
}

static void mxfp4(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_mxfp4);
  out->a[0] = ck_float_from_bits(ck_mxfp4_scale_bits(b->e));
  nibbles(b->q, 16, out->q);
  for (size_t i = 0; i < 32; i++) out->q[i] = mxfp4_values[out->q[i]];
}

// Two bits a value: block 4n + j of 32 is bits 2j of bytes 32n ... 32n + 31.
static void bit_pairs(const uint8_t *bytes, int8_t *q) {
  for (size_t i = 0; i < CK_SUPER_VALUES; i++) {
    q[i] = bytes[i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
  }
}

static void q2_k(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_q2_k);
  const float d = ck_load_half(b->d);
  const float dmin = ck_load_half(b->dmin);
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) {
    out->a[i] = d;
    out->m[i] = -dmin;
  }
  for (size_t g = 0; g < 16; g++) {
    out->s[g] = b->scales[g] & 15;
    out->n[g] = (int8_t)(b->scales[g] >> 4);
  }
  bit_pairs(b->q, out->q);
}

static void q3_k(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_q3_k);
  const float d = ck_load_half(b->d);
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) out->a[i] = d;
  for (size_t g = 0; g < 16; g++) {
    const int low = b->scales[g % 8] >> (g / 8 * 4) & 15;
    const int high = b->scales[8 + g % 4] >> (g / 4 * 2) & 3;
    out->s[g] = (int8_t)((low | high << 4) - 32);
  }
  bit_pairs(b->q, out->q);
  for (size_t i = 0; i < CK_SUPER_VALUES; i++) {
    const bool high = b->hmask[i % 32] >> (i / 32) & 1;
    if (!high) out->q[i] -= 4;
  }
}

// The eight 6-bit scales and minima of Q4_K and Q5_K, multiplied out (both products are exact).
static void k_scales(const uint8_t *d, const uint8_t *dmin, const uint8_t *s, ck_unpacked *out) {
  for (size_t i = 0; i < 4; i++) {
    const int scale[2] = {s[i] & 63, (s[i + 8] & 15) | s[i] >> 6 << 4};
    const int minimum[2] = {s[i + 4] & 63, s[i + 8] >> 4 | s[i + 4] >> 6 << 4};
    for (size_t half = 0; half < 2; half++) {
      out->a[i + 4 * half] = ck_load_half(d) * (float)scale[half];
      out->m[i + 4 * half] = -(ck_load_half(dmin) * (float)minimum[half]);
    }
  }
}

static void q4_k(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_q4_k);
  k_scales(b->d, b->dmin, b->scales, out);
  for (size_t g = 0; g < 4; g++) nibbles(b->q + 32 * g, 32, out->q + 64 * g);
}

static void q5_k(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_q5_k);
  k_scales(b->d, b->dmin, b->scales, out);
  for (size_t g = 0; g < 4; g++) nibbles(b->q + 32 * g, 32, out->q + 64 * g);
  for (size_t i = 0; i < CK_SUPER_VALUES; i++) {
    out->q[i] += (int8_t)((b->qh[i % 32] >> (i / 32) & 1) * 16);
  }
}

static void q6_k(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_q6_k);
  const float d = ck_load_half(b->d);
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) out->a[i] = d;
  memcpy(out->s, b->scales, sizeof b->scales);
  for (size_t n = 0; n < 2; n++) nibbles(b->ql + 64 * n, 64, out->q + 128 * n);
  for (size_t i = 0; i < CK_SUPER_VALUES; i++) {
    const int high = b->qh[i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
    out->q[i] = (int8_t)((out->q[i] | high << 4) - 32);
  }
}

static void iq4_xs(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_iq4_xs);
  const float d = ck_load_half(b->d);
  const uint16_t scales_h = ck_load_u16(b->scales_h);
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) {
    const int low = b->scales_l[i / 2] >> (i % 2 * 4) & 15;
    const int high = scales_h >> (2 * i) & 3;
    out->a[i] = d * (float)((low | high << 4) - 32);
    nibbles(b->q + 16 * i, 16, out->q + 32 * i);
  }
  for (size_t i = 0; i < CK_SUPER_VALUES; i++) out->q[i] = iq4_values[out->q[i]];
}

// Digit n (most significant first) of a byte that holds base-3 digits as a fraction of 256, less 1.
static int8_t trit(uint8_t byte, size_t n) {
  static const uint8_t power[5] = {1, 3, 9, 27, 81};
  const uint8_t rest = (uint8_t)(byte * power[n]);
  return (int8_t)((rest * 3 >> 8) - 1);
}

static void tq1_0(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_tq1_0);
  const float d = ck_load_half(b->d);
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) out->a[i] = d;
  int8_t *q = out->q;
  for (size_t n = 0; n < 5; n++) {
    for (size_t j = 0; j < 32; j++) *q++ = trit(b->q[j], n);
  }
  for (size_t n = 0; n < 5; n++) {
    for (size_t j = 32; j < 48; j++) *q++ = trit(b->q[j], n);
  }
  for (size_t n = 0; n < 4; n++) {
    for (size_t j = 0; j < 4; j++) *q++ = trit(b->qh[j], n);
  }
}

static void tq2_0(const uint8_t *block, ck_unpacked *out) {
  BLOCK(ck_tq2_0);
  const float d = ck_load_half(b->d);
  for (size_t i = 0; i < CK_SUPER_BLOCKS; i++) out->a[i] = d;
  bit_pairs(b->q, out->q);
  for (size_t i = 0; i < CK_SUPER_VALUES; i++) out->q[i] -= 1;
}

#define SMALL(layout, name) {layout, 1, sizeof(ck_##name), name}
#define SUPER(layout, name) {layout, CK_SUPER_BLOCKS, sizeof(ck_##name), name}

static const ck_format formats[CK_TYPE_COUNT] = {
    [CK_Q4_0] = SMALL(CK_LAYOUT_PLAIN, q4_0),
    [CK_Q4_1] = SMALL(CK_LAYOUT_MIN, q4_1),
    [CK_Q5_0] = SMALL(CK_LAYOUT_PLAIN, q5_0),
    [CK_Q5_1] = SMALL(CK_LAYOUT_MIN, q5_1),
    [CK_Q8_0] = SMALL(CK_LAYOUT_PLAIN, q8_0),
    [CK_IQ4_NL] = SMALL(CK_LAYOUT_PLAIN, iq4_nl),
    [CK_MXFP4] = SMALL(CK_LAYOUT_PLAIN, mxfp4),
    [CK_Q2_K] = SUPER(CK_LAYOUT_GROUPED_MIN, q2_k),
    [CK_Q3_K] = SUPER(CK_LAYOUT_GROUPED, q3_k),
    [CK_Q4_K] = SUPER(CK_LAYOUT_MIN, q4_k),
    [CK_Q5_K] = SUPER(CK_LAYOUT_MIN, q5_k),
    [CK_Q6_K] = SUPER(CK_LAYOUT_GROUPED, q6_k),
    [CK_IQ4_XS] = SUPER(CK_LAYOUT_PLAIN, iq4_xs),
    [CK_TQ1_0] = SUPER(CK_LAYOUT_PLAIN, tq1_0),
    [CK_TQ2_0] = SUPER(CK_LAYOUT_PLAIN, tq2_0),
};

const ck_format *ck_format_for(ck_type type) {
  if ((int)type < 0 || type >= CK_TYPE_COUNT || formats[type].unpack == NULL) return NULL;
  return &formats[type];
}
