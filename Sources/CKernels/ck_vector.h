// Vectors that the compiler maps to whatever registers the target has, for the bodies that all
// instruction sets share. Include inside the target attribute of an instruction set file.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ck_simd.h"

// Wide vectors pass between functions of one file only, mostly inlined ones.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_VECTOR(type, lanes) \
  typedef type __attribute__((vector_size(sizeof(type) * (lanes))))

CK_VECTOR(uint8_t, 4) u8x4;
CK_VECTOR(uint8_t, 8) u8x8;
CK_VECTOR(uint8_t, 16) u8x16;
CK_VECTOR(uint8_t, 32) u8x32;
CK_VECTOR(uint8_t, 64) u8x64;
CK_VECTOR(int8_t, 8) i8x8;
CK_VECTOR(int8_t, 16) i8x16;
CK_VECTOR(int8_t, 32) i8x32;
CK_VECTOR(uint16_t, 8) u16x8;
CK_VECTOR(uint16_t, 16) u16x16;
CK_VECTOR(uint16_t, 32) u16x32;
CK_VECTOR(int16_t, 8) i16x8;
CK_VECTOR(int16_t, 16) i16x16;
CK_VECTOR(uint32_t, 8) u32x8;
CK_VECTOR(uint32_t, 16) u32x16;
CK_VECTOR(int32_t, 4) i32x4;
CK_VECTOR(int32_t, 8) i32x8;
CK_VECTOR(int32_t, 16) i32x16;
CK_VECTOR(float, 4) f32x4;
CK_VECTOR(float, 8) f32x8;
CK_VECTOR(float, 16) f32x16;
CK_VECTOR(_Float16, 8) f16x8;
CK_VECTOR(_Float16, 16) f16x16;

// Loads from any address; `bytes` may be fewer than the vector holds, the rest is zero.
#define CK_LOADS(vector)                                              \
  CK_INLINE vector load_##vector(const void *p) {                     \
    vector v;                                                         \
    memcpy(&v, p, sizeof v);                                          \
    return v;                                                         \
  }                                                                   \
  CK_INLINE vector load_part_##vector(const void *p, size_t bytes) {  \
    vector v = {0};                                                   \
    memcpy(&v, p, bytes);                                             \
    return v;                                                         \
  }
CK_LOADS(u8x16)
CK_LOADS(u8x32)
CK_LOADS(i8x16)
CK_LOADS(u16x16)
CK_LOADS(i16x16)
CK_LOADS(f32x8)
CK_LOADS(f32x16)

CK_INLINE uint32_t load_u32(const void *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
CK_INLINE uint64_t load_u64(const void *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

// Concatenates two vectors of n lanes.
#define CK_JOIN4(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define CK_JOIN8(a, b) \
  __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define CK_JOIN16(a, b)                                                                       \
  __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, \
                          18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)

// Lanes of a vector of 8 or 16.
#define CK_LOW4(v) __builtin_shufflevector(v, v, 0, 1, 2, 3)
#define CK_HIGH4(v) __builtin_shufflevector(v, v, 4, 5, 6, 7)
#define CK_LOW8(v) __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7)
#define CK_HIGH8(v) __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)
#define CK_EVEN8(v) __builtin_shufflevector(v, v, 0, 2, 4, 6, 8, 10, 12, 14)
#define CK_ODD8(v) __builtin_shufflevector(v, v, 1, 3, 5, 7, 9, 11, 13, 15)

// Rows become columns: v[i] lane j <-> v[j] lane i.
CK_INLINE void transpose_u32x8(u32x8 v[8]) {
  u32x8 t[8];
  CK_UNROLL
  for (size_t i = 0; i < 8; i += 2) {  // 2 x 2
    t[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  CK_UNROLL
  for (size_t i = 0; i < 8; i += 4) {  // of 2 x 2
    CK_UNROLL
    for (size_t j = i; j < i + 2; j++) {
      v[j] = __builtin_shufflevector(t[j], t[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      v[j + 2] = __builtin_shufflevector(t[j], t[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  CK_UNROLL
  for (size_t j = 0; j < 4; j++) {  // of 4 x 4
    t[j] = __builtin_shufflevector(v[j], v[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    t[j + 4] = __builtin_shufflevector(v[j], v[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  memcpy(v, t, sizeof t);
}

// Bit j of byte i <-> bit i of byte j.
CK_INLINE uint64_t transpose_bits(uint64_t bytes) {
  const uint64_t one = (bytes ^ bytes >> 7) & 0x00aa00aa00aa00aa;  // 2 x 2
  bytes ^= one ^ one << 7;
  const uint64_t two = (bytes ^ bytes >> 14) & 0x0000cccc0000cccc;  // of 2 x 2
  bytes ^= two ^ two << 14;
  const uint64_t four = (bytes ^ bytes >> 28) & 0x00000000f0f0f0f0;  // of 4 x 4
  return bytes ^ four ^ four << 28;
}
