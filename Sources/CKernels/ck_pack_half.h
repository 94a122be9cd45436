// Float32 to the stored 16-bit floats, rounded to nearest even, without any instruction set extension.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ck_half.h"

static inline uint32_t ck_float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline void ck_store_u16(uint8_t *p, uint16_t value) {
  p[0] = (uint8_t)value;
  p[1] = (uint8_t)(value >> 8);
}

// The float16 next to a value; infinite from 65520 on.
static inline uint16_t ck_half_from_float(float value) {
  const uint32_t bits = ck_float_bits(value);
  const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x7f800000) return sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00);
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Subnormal: a multiple of 2^-24. Adding 1.5 * 2^-1 leaves exactly those in the low bits.
    const float sum = ck_float_from_bits(magnitude) + 0.75f;
    return sign | (uint16_t)(ck_float_bits(sum) - ck_float_bits(0.75f));
  }
  const uint32_t odd = magnitude >> 13 & 1;
  return sign | (uint16_t)((magnitude - (112u << 23) + 0xfff + odd) >> 13);
}

// The same, stored; gives the value that it has then.
static inline float ck_store_half(uint8_t *p, float value) {
  const uint16_t half = ck_half_from_float(value);
  ck_store_u16(p, half);
  return ck_half_to_float(half);
}

static inline float ck_rounded_to_half(float value) {
  return ck_half_to_float(ck_half_from_float(value));
}

// A value that has become a scale: neither too large for a float16 nor not a number.
static inline bool ck_is_finite(float value) {
  return (ck_float_bits(value) & 0x7f800000) != 0x7f800000;
}
