// The instructions of AMX and the conversion to bfloat16 in plain C, after the pseudocode of Intel's
// Architectures Software Developer's Manual, volume 2 (TDPBF16PS, TILELOADD, VCVTNE2PS2BF16).
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { EMULATED_TILES = 8, EMULATED_ROWS = 16, EMULATED_ROW_BYTES = 64 };

typedef struct emulated_tile_unit {
  uint8_t palette;  // 0: the tiles are not configured, and any use of them is the end
  uint8_t rows[EMULATED_TILES];
  uint16_t row_bytes[EMULATED_TILES];
  uint8_t bytes[EMULATED_TILES][EMULATED_ROWS][EMULATED_ROW_BYTES];
} emulated_tile_unit;

extern _Thread_local emulated_tile_unit emulated_tiles;  // in emulated_cpu.c

static inline void emulated_tile_loadconfig(const void *memory) {
  const uint8_t *from = memory;
  memset(&emulated_tiles, 0, sizeof emulated_tiles);
  emulated_tiles.palette = from[0];
  memcpy(emulated_tiles.row_bytes, from + 16, sizeof emulated_tiles.row_bytes);
  memcpy(emulated_tiles.rows, from + 48, sizeof emulated_tiles.rows);
}

static inline void emulated_tile_release(void) {
  memset(&emulated_tiles, 0, sizeof emulated_tiles);
}

static inline uint8_t (*emulated_tile(int tile))[EMULATED_ROW_BYTES] {
  if (emulated_tiles.palette != 1 || emulated_tiles.rows[tile] == 0) abort();
  return emulated_tiles.bytes[tile];
}

static inline void emulated_tile_zero(int tile) {
  memset(emulated_tile(tile), 0, sizeof emulated_tiles.bytes[tile]);
}

static inline void emulated_tile_loadd(int tile, const void *memory, size_t stride) {
  uint8_t(*rows)[EMULATED_ROW_BYTES] = emulated_tile(tile);
  emulated_tile_zero(tile);
  for (size_t r = 0; r < emulated_tiles.rows[tile]; r++)
    memcpy(rows[r], (const uint8_t *)memory + r * stride, emulated_tiles.row_bytes[tile]);
}

static inline void emulated_tile_stored(int tile, void *memory, size_t stride) {
  uint8_t(*rows)[EMULATED_ROW_BYTES] = emulated_tile(tile);
  for (size_t r = 0; r < emulated_tiles.rows[tile]; r++)
    memcpy((uint8_t *)memory + r * stride, rows[r], emulated_tiles.row_bytes[tile]);
}

static inline float emulated_flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

// Value i of a row of bfloat16.
static inline float emulated_from_bf16(const uint8_t *row, size_t i) {
  const uint32_t bits = (uint32_t)row[2 * i] << 16 | (uint32_t)row[2 * i + 1] << 24;
  float x;
  memcpy(&x, &bits, sizeof x);
  return emulated_flushed(x);
}

// Rows of a times columns of pairs of b, added to c: even and odd products are summed apart, each by
// one rounding a step; numbers too small for a normal exponent are zero.
static inline void emulated_tile_dpbf16ps(int c, int a, int b) {
  uint8_t(*sums)[EMULATED_ROW_BYTES] = emulated_tile(c);
  uint8_t(*left)[EMULATED_ROW_BYTES] = emulated_tile(a);
  uint8_t(*right)[EMULATED_ROW_BYTES] = emulated_tile(b);
  for (size_t m = 0; m < emulated_tiles.rows[c]; m++) {
    for (size_t n = 0; n < emulated_tiles.row_bytes[c] / sizeof(float); n++) {
      float even = 0, odd = 0, sum;
      for (size_t k = 0; k < emulated_tiles.row_bytes[a] / sizeof(float); k++) {
        even = emulated_flushed(fmaf(emulated_from_bf16(left[m], 2 * k),
                                     emulated_from_bf16(right[k], 2 * n), even));
        odd = emulated_flushed(fmaf(emulated_from_bf16(left[m], 2 * k + 1),
                                    emulated_from_bf16(right[k], 2 * n + 1), odd));
      }
      memcpy(&sum, sums[m] + n * sizeof sum, sizeof sum);
      sum = emulated_flushed(emulated_flushed(sum) + emulated_flushed(even + odd));
      memcpy(sums[m] + n * sizeof sum, &sum, sizeof sum);
    }
  }
}

#define _tile_loadconfig emulated_tile_loadconfig
#define _tile_release emulated_tile_release
#define _tile_zero emulated_tile_zero
#define _tile_loadd emulated_tile_loadd
#define _tile_stored emulated_tile_stored
#define _tile_dpbf16ps emulated_tile_dpbf16ps

// The nearest bfloat16, of two the even one.
static inline uint16_t emulated_to_bf16(float x) {
  uint32_t bits;
  x = emulated_flushed(x);
  memcpy(&bits, &x, sizeof bits);
  if (isnan(x)) return (uint16_t)(bits >> 16 | 0x40);
  const uint32_t below = bits & 0xffff, kept = bits >> 16;
  return (uint16_t)(kept + (below > 0x8000 || (below == 0x8000 && kept % 2 == 1)));
}

static inline __m512i emulated_cvtne2ps_pbh(__m512 high, __m512 low) {
  float from[32];
  uint16_t to[32];
  _mm512_storeu_ps(from, low);
  _mm512_storeu_ps(from + 16, high);
  for (size_t i = 0; i < 32; i++) to[i] = emulated_to_bf16(from[i]);
  return _mm512_loadu_si512(to);
}

#define __mmask16 simde__mmask16
#define __m512bh __m512i
#define _mm512_cvtne2ps_pbh emulated_cvtne2ps_pbh
