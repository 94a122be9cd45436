// Exact conversion of stored floats, without any instruction set extension.
#pragma once

#include <stdint.h>
#include <string.h>

static inline float ck_float_from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint16_t ck_load_u16(const uint8_t *p) {
  return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t ck_load_u32(const uint8_t *p) {
  uint32_t value;
  memcpy(&value, p, sizeof value);
  return value;
}

// The float32 of a float16; subnormals, infinities and NaN payloads included.
static inline float ck_half_to_float(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  const uint32_t magnitude = half & 0x7fff;
  // A half's exponent sits 13 bits lower and its bias is 112 smaller. Subnormals are
  // magnitude * 2^-24, which float32 represents exactly.
  if (magnitude < 0x0400) {
    const float value = (float)magnitude * 0x1p-24f;
    return sign ? -value : value;
  }
  const uint32_t bias = magnitude >= 0x7c00 ? 2 * 112 : 112;
  return ck_float_from_bits(sign | ((magnitude << 13) + (bias << 23)));
}

static inline float ck_load_half(const uint8_t *p) { return ck_half_to_float(ck_load_u16(p)); }

// The bits of the float32 2^(e - 128); the first two are subnormal.
static inline uint32_t ck_mxfp4_scale_bits(uint8_t e) {
  return e < 2 ? (uint32_t)0x00200000 << e : (uint32_t)(e - 1) << 23;
}
