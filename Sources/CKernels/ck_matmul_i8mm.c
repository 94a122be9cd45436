// NEON with dot products and with products of matrices of bytes: 2 rows x 8 values with 2 tokens.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "ck_matmul_tables.h"
#include "ck_simd.h"
#include "ck_vector.h"

#pragma clang attribute push(__attribute__((target("dotprod,i8mm"))), apply_to = function)

#define CK_MATMUL_ISA CK_ISA_I8MM
#define CK_MATMUL_TABLE ck_matmul_table_i8mm

#include "ck_matmul_dotprod_body.h"

// One token has nothing to share a matrix with: it keeps to dot products.
#define CK_TOKEN_PAIRS 1

// Four values of eight rows become eight values of two rows: a register holds rows 2p and 2p + 1.
CK_INLINE void turn_pairs(u8x32 w[8]) {
  CK_UNROLL
  for (size_t j = 0; j < 8; j += 2) {
    const u32x8 a = (u32x8)w[j], b = (u32x8)w[j + 1];
    w[j] = (u8x32)__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    w[j + 1] = (u8x32)__builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }
}

CK_INLINE void panel_dot_pair(const u8x32 *w, size_t n, const int8_t *x, const int8_t *y,
                              i32x8 dots[2]) {
  int32x4_t sums[4];  // of rows 2p and 2p + 1: x y x y
  CK_UNROLL
  for (size_t p = 0; p < 4; p++) sums[p] = vdupq_n_s32(0);
  CK_UNROLL
  for (size_t j = 0; j < n; j += 4) {
    const int64x2_t a = vreinterpretq_s64_s8(vld1q_s8(x + 4 * j));
    const int64x2_t b = vreinterpretq_s64_s8(vld1q_s8(y + 4 * j));
    const int8x16_t tokens[2] = {vreinterpretq_s8_s64(vzip1q_s64(a, b)),
                                 vreinterpretq_s8_s64(vzip2q_s64(a, b))};
    CK_UNROLL
    for (size_t half = 0; half < 2; half++) {
      const int8_t *rows = (const int8_t *)&w[j + 2 * half];
      CK_UNROLL
      for (size_t p = 0; p < 4; p++) {
        sums[p] = vmmlaq_s32(sums[p], vld1q_s8(rows + 16 * p), tokens[half]);
      }
    }
  }
  dots[0] = CK_JOIN4((i32x4)vuzp1q_s32(sums[0], sums[1]), (i32x4)vuzp1q_s32(sums[2], sums[3]));
  dots[1] = CK_JOIN4((i32x4)vuzp2q_s32(sums[0], sums[1]), (i32x4)vuzp2q_s32(sums[2], sums[3]));
}

#include "ck_matmul_neon_body.h"

#pragma clang attribute pop

#endif
