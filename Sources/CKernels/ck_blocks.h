// The bytes of one block of every quantised type, as they lie in a file.
//
// All members are byte arrays, so a block may start at any address; "half" marks a little-endian
// IEEE float16. What the bytes mean is written in ck_unpack_scalar.c, once.
#pragma once

#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the kernels read little-endian blocks in place"
#endif

enum {
  CK_BLOCK_VALUES = 32,   // values of one activation block; the weight blocks are 1 or 8 of them
  CK_SUPER_VALUES = 256,  // values of one superblock
  CK_SUPER_BLOCKS = 8,    // blocks of 32 in a superblock
};

// Blocks of 32 values. In the nibble types byte j holds value j (low half) and j + 16 (high half).
typedef struct ck_q4_0 {
  uint8_t d[2];  // half
  uint8_t q[16];
} ck_q4_0;

typedef struct ck_q4_1 {
  uint8_t d[2];  // half
  uint8_t m[2];  // half
  uint8_t q[16];
} ck_q4_1;

typedef struct ck_q5_0 {
  uint8_t d[2];   // half
  uint8_t qh[4];  // bit i: the fifth bit of value i
  uint8_t q[16];
} ck_q5_0;

typedef struct ck_q5_1 {
  uint8_t d[2];  // half
  uint8_t m[2];  // half
  uint8_t qh[4];
  uint8_t q[16];
} ck_q5_1;

typedef struct ck_q8_0 {
  uint8_t d[2];  // half
  int8_t q[32];
} ck_q8_0;

typedef struct ck_iq4_nl {
  uint8_t d[2];   // half
  uint8_t q[16];  // indices into ck_iq4_values
} ck_iq4_nl;

typedef struct ck_mxfp4 {
  uint8_t e;      // power of two, biased
  uint8_t q[16];  // indices into ck_mxfp4_values
} ck_mxfp4;

// Superblocks of 256 values.
typedef struct ck_q2_k {
  uint8_t scales[16];  // of 16 values each: scale in the low half, minimum in the high half
  uint8_t q[64];
  uint8_t d[2];     // half
  uint8_t dmin[2];  // half
} ck_q2_k;

typedef struct ck_q3_k {
  uint8_t hmask[32];
  uint8_t q[64];
  uint8_t scales[12];  // sixteen 6-bit scales
  uint8_t d[2];        // half
} ck_q3_k;

typedef struct ck_q4_k {
  uint8_t d[2];        // half
  uint8_t dmin[2];     // half
  uint8_t scales[12];  // eight 6-bit scales and eight 6-bit minima
  uint8_t q[128];
} ck_q4_k;

typedef struct ck_q5_k {
  uint8_t d[2];        // half
  uint8_t dmin[2];     // half
  uint8_t scales[12];  // as in ck_q4_k
  uint8_t qh[32];
  uint8_t q[128];
} ck_q5_k;

typedef struct ck_q6_k {
  uint8_t ql[128];
  uint8_t qh[64];
  int8_t scales[16];  // of 16 values each
  uint8_t d[2];       // half
} ck_q6_k;

typedef struct ck_iq4_xs {
  uint8_t d[2];  // half
  uint8_t scales_h[2];
  uint8_t scales_l[4];
  uint8_t q[128];  // indices into ck_iq4_values
} ck_iq4_xs;

typedef struct ck_tq1_0 {
  uint8_t q[48];  // five base-3 digits a byte
  uint8_t qh[4];  // four base-3 digits a byte
  uint8_t d[2];   // half
} ck_tq1_0;

typedef struct ck_tq2_0 {
  uint8_t q[64];
  uint8_t d[2];  // half
} ck_tq2_0;

_Static_assert(sizeof(ck_q4_0) == 18, "block size of the file format");
_Static_assert(sizeof(ck_q4_1) == 20, "block size of the file format");
_Static_assert(sizeof(ck_q5_0) == 22, "block size of the file format");
_Static_assert(sizeof(ck_q5_1) == 24, "block size of the file format");
_Static_assert(sizeof(ck_q8_0) == 34, "block size of the file format");
_Static_assert(sizeof(ck_iq4_nl) == 18, "block size of the file format");
_Static_assert(sizeof(ck_mxfp4) == 17, "block size of the file format");
_Static_assert(sizeof(ck_q2_k) == 84, "block size of the file format");
_Static_assert(sizeof(ck_q3_k) == 110, "block size of the file format");
_Static_assert(sizeof(ck_q4_k) == 144, "block size of the file format");
_Static_assert(sizeof(ck_q5_k) == 176, "block size of the file format");
_Static_assert(sizeof(ck_q6_k) == 210, "block size of the file format");
_Static_assert(sizeof(ck_iq4_xs) == 136, "block size of the file format");
_Static_assert(sizeof(ck_tq1_0) == 54, "block size of the file format");
_Static_assert(sizeof(ck_tq2_0) == 66, "block size of the file format");

// Code books of the table types (published with the formats).
#define CK_IQ4_VALUES \
  -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113
// Doubled E2M1 floats; the sign is the fourth bit.
#define CK_MXFP4_VALUES 0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12
