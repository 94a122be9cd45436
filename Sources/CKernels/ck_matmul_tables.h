// The tables of all instruction sets and what they agree on.
#pragma once

#include "ck_matmul.h"

// Calls X(name, type) for every type that has blocks.
#define CK_BLOCK_TYPES(X)                                                               \
  X(q4_0, CK_Q4_0) X(q4_1, CK_Q4_1) X(q5_0, CK_Q5_0) X(q5_1, CK_Q5_1) X(q8_0, CK_Q8_0)  \
  X(iq4_nl, CK_IQ4_NL) X(mxfp4, CK_MXFP4) X(q2_k, CK_Q2_K) X(q3_k, CK_Q3_K)             \
  X(q4_k, CK_Q4_K) X(q5_k, CK_Q5_K) X(q6_k, CK_Q6_K) X(iq4_xs, CK_IQ4_XS)               \
  X(tq1_0, CK_TQ1_0) X(tq2_0, CK_TQ2_0)

// Calls X(name, type) for every type whose rows can be interleaved.
#define CK_INTERLEAVED_TYPES(X)                                                         \
  X(q4_0, CK_Q4_0) X(q4_1, CK_Q4_1) X(q5_0, CK_Q5_0) X(q5_1, CK_Q5_1) X(q8_0, CK_Q8_0)  \
  X(iq4_nl, CK_IQ4_NL) X(q4_k, CK_Q4_K) X(q5_k, CK_Q5_K) X(q6_k, CK_Q6_K)

// Calls X(name, type) for every type that is multiplied as floats.
#define CK_FLOAT_TYPES(X) X(f32, CK_F32) X(f16, CK_F16) X(bf16, CK_BF16)

// Quantised activations lie in -127 ... 127; a block whose largest magnitude is below
// CK_Q8_SMALLEST becomes zeros, since 127 divided by it could overflow.
#define CK_Q8_LARGEST 127.0f
#define CK_Q8_SMALLEST 0x1p-120f

extern const ck_matmul_table ck_matmul_table_scalar;
#if defined(__x86_64__)
extern const ck_matmul_table ck_matmul_table_avx2;
extern const ck_matmul_table ck_matmul_table_avx512;
extern const ck_matmul_table ck_matmul_table_amx;
extern const ck_tile_table ck_tile_table_amx;
#elif defined(__aarch64__)
extern const ck_matmul_table ck_matmul_table_neon;
extern const ck_matmul_table ck_matmul_table_dotprod;
extern const ck_matmul_table ck_matmul_table_i8mm;
#endif
