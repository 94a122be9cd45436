#include "ck_interleave.h"

#include <string.h>

#include "ck_blocks.h"

// A member of a block, moved in units of two or four bytes.
typedef struct member {
  size_t offset, bytes, unit;
} member;

enum { MEMBERS_MAX = 5 };

// The members of one type; all of them together are the whole block.
typedef struct block_members {
  size_t bytes;  // of the block; 0: the type is not interleaved
  member members[MEMBERS_MAX];
} block_members;

#define MEMBER(type, name, unit) {offsetof(type, name), sizeof(((type *)0)->name), unit}

static const block_members types[CK_TYPE_COUNT] = {
    [CK_Q4_0] = {sizeof(ck_q4_0), {MEMBER(ck_q4_0, d, 2), MEMBER(ck_q4_0, q, 4)}},
    [CK_Q4_1] = {sizeof(ck_q4_1),
                 {MEMBER(ck_q4_1, d, 2), MEMBER(ck_q4_1, m, 2), MEMBER(ck_q4_1, q, 4)}},
    [CK_Q5_0] = {sizeof(ck_q5_0),
                 {MEMBER(ck_q5_0, d, 2), MEMBER(ck_q5_0, qh, 4), MEMBER(ck_q5_0, q, 4)}},
    [CK_Q5_1] = {sizeof(ck_q5_1),
                 {MEMBER(ck_q5_1, d, 2), MEMBER(ck_q5_1, m, 2), MEMBER(ck_q5_1, qh, 4),
                  MEMBER(ck_q5_1, q, 4)}},
    [CK_Q8_0] = {sizeof(ck_q8_0), {MEMBER(ck_q8_0, d, 2), MEMBER(ck_q8_0, q, 4)}},
    [CK_IQ4_NL] = {sizeof(ck_iq4_nl), {MEMBER(ck_iq4_nl, d, 2), MEMBER(ck_iq4_nl, q, 4)}},
    [CK_Q4_K] = {sizeof(ck_q4_k),
                 {MEMBER(ck_q4_k, d, 2), MEMBER(ck_q4_k, dmin, 2), MEMBER(ck_q4_k, scales, 4),
                  MEMBER(ck_q4_k, q, 4)}},
    [CK_Q5_K] = {sizeof(ck_q5_k),
                 {MEMBER(ck_q5_k, d, 2), MEMBER(ck_q5_k, dmin, 2), MEMBER(ck_q5_k, scales, 4),
                  MEMBER(ck_q5_k, qh, 4), MEMBER(ck_q5_k, q, 4)}},
    [CK_Q6_K] = {sizeof(ck_q6_k),
                 {MEMBER(ck_q6_k, ql, 4), MEMBER(ck_q6_k, qh, 4), MEMBER(ck_q6_k, scales, 4),
                  MEMBER(ck_q6_k, d, 2)}},
};

bool ck_can_interleave(ck_type type) {
  return (unsigned)type < CK_TYPE_COUNT && types[type].bytes != 0;
}

// One unit of all rows, from each row's byte `at`.
static inline uint8_t *interleave_unit(const uint8_t *block, size_t row_bytes, size_t at,
                                       const size_t unit, uint8_t *out) {
  for (size_t r = 0; r < CK_GROUP_ROWS; r++, out += unit) {
    memcpy(out, block + r * row_bytes + at, unit);
  }
  return out;
}

typedef uint32_t u32x4 __attribute__((vector_size(16)));

// Four units of four bytes of all rows: squares of four rows and four units are turned in registers.
static inline uint8_t *interleave_four(const uint8_t *block, size_t row_bytes, size_t at,
                                       uint8_t *out) {
  for (size_t r = 0; r < CK_GROUP_ROWS; r += 4) {
    u32x4 v[4], t[4];
    for (size_t i = 0; i < 4; i++) memcpy(&v[i], block + (r + i) * row_bytes + at, sizeof v[i]);
    for (size_t i = 0; i < 2; i++) {
      t[2 * i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 4, 1, 5);
      t[2 * i + 1] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 2, 6, 3, 7);
    }
    for (size_t i = 0; i < 2; i++) {
      v[2 * i] = __builtin_shufflevector(t[i], t[i + 2], 0, 1, 4, 5);
      v[2 * i + 1] = __builtin_shufflevector(t[i], t[i + 2], 2, 3, 6, 7);
    }
    for (size_t i = 0; i < 4; i++) memcpy(out + (i * CK_GROUP_ROWS + r) * 4, &v[i], sizeof v[i]);
  }
  return out + 4 * CK_GROUP_ROWS * 4;
}

static inline void interleave_member(const uint8_t *block, size_t row_bytes, size_t bytes,
                                     const size_t unit, uint8_t *out) {
  size_t at = 0;
  if (unit == 4) {
    for (; at + 16 <= bytes; at += 16) out = interleave_four(block, row_bytes, at, out);
  }
  for (; at < bytes; at += unit) out = interleave_unit(block, row_bytes, at, unit, out);
}

// Asks for a part of the rows that are likely to come next: hardware does not foresee a walk over sixteen
// rows at once. Asking for what is not there does no harm.
static inline void fetch(const uint8_t *p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(p + i, 0, 3);
}

void ck_interleave(ck_type type, const void *rows, size_t row_bytes, void *group) {
  const block_members *t = &types[type];
  uint8_t *out = group;
  for (size_t at = 0; at + t->bytes <= row_bytes; at += t->bytes) {
    const uint8_t *block = (const uint8_t *)rows + at;
    fetch((const uint8_t *)rows + CK_GROUP_ROWS * (row_bytes + at), CK_GROUP_ROWS * t->bytes);
    for (size_t i = 0; i < MEMBERS_MAX && t->members[i].bytes > 0; i++) {
      const member *m = &t->members[i];
      if (m->unit == 2) {
        interleave_member(block + m->offset, row_bytes, m->bytes, 2, out);
      } else {
        interleave_member(block + m->offset, row_bytes, m->bytes, 4, out);
      }
      out += CK_GROUP_ROWS * m->bytes;
    }
  }
}

void ck_interleaved_block(ck_type type, const void *group, size_t row, size_t block, void *out) {
  const block_members *t = &types[type];
  const uint8_t *in = (const uint8_t *)group + block * CK_GROUP_ROWS * t->bytes;
  for (size_t i = 0; i < MEMBERS_MAX && t->members[i].bytes > 0; i++) {
    const member *m = &t->members[i];
    for (size_t at = 0; at < m->bytes; at += m->unit, in += CK_GROUP_ROWS * m->unit) {
      memcpy((uint8_t *)out + m->offset + at, in + row * m->unit, m->unit);
    }
  }
}

void ck_interleaved_row(ck_type type, const void *group, size_t row_bytes, size_t row, void *out) {
  const size_t bytes = types[type].bytes;
  for (size_t b = 0; b < row_bytes / bytes; b++) {
    ck_interleaved_block(type, group, row, b, (uint8_t *)out + b * bytes);
  }
}
