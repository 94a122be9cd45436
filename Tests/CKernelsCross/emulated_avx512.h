// The intrinsics of AVX-512 in plain C: those of SIMDe, and the ones that its version 0.7.4 lacks.
#pragma once

#define SIMDE_NO_NATIVE  // or its types meet those of the compiler
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <math.h>
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/fma.h>
#include <string.h>

static inline __m512 emulated_cvtph_ps(__m256i halves) {
  _Float16 from[16];
  float to[16];
  memcpy(from, &halves, sizeof from);
  for (int i = 0; i < 16; i++) to[i] = from[i];
  return _mm512_loadu_ps(to);
}

static inline __m256i emulated_cvtps_ph(__m512 floats) {
  float from[16];
  _Float16 to[16];
  __m256i halves;
  _mm512_storeu_ps(from, floats);
  for (int i = 0; i < 16; i++) to[i] = (_Float16)from[i];
  memcpy(&halves, to, sizeof halves);
  return halves;
}

static inline __m512i emulated_cvtps_epi32(__m512 floats) {
  float from[16];
  int32_t to[16];
  _mm512_storeu_ps(from, floats);
  for (int i = 0; i < 16; i++)
    to[i] = fabsf(from[i]) < 0x1p31f ? (int32_t)nearbyintf(from[i]) : INT32_MIN;
  return _mm512_loadu_si512(to);
}

static inline __m512 emulated_cvtepi32_ps(__m512i integers) {
  int32_t from[16];
  float to[16];
  memcpy(from, &integers, sizeof from);
  for (int i = 0; i < 16; i++) to[i] = (float)from[i];
  return _mm512_loadu_ps(to);
}

#undef _MM_FROUND_TO_NEAREST_INT
#define _MM_FROUND_TO_NEAREST_INT 0
#define _mm512_cvtph_ps(x) emulated_cvtph_ps(x)
#define _mm512_cvtps_ph(x, rounding) emulated_cvtps_ph(x)
#define _mm512_cvtps_epi32(x) emulated_cvtps_epi32(x)
#define _mm512_cvtepi32_ps(x) emulated_cvtepi32_ps(x)

#include "emulated_tiles.h"
