// Counting of checks and seeded values for the kernel comparison.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "CKernels.h"

extern size_t checks_passed, checks_failed;

// Counts one check; describes it when it fails.
#define CHECK(condition, ...)                                                       \
  do {                                                                              \
    if (condition) {                                                                \
      checks_passed++;                                                              \
    } else {                                                                        \
      checks_failed++;                                                              \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);               \
      fprintf(stderr, __VA_ARGS__);                                                 \
      fputc('\n', stderr);                                                          \
    }                                                                               \
  } while (0)

// xorshift64*; the same values on every machine.
typedef struct generator {
  uint64_t state;
} generator;

static inline uint64_t next_bits(generator *g) {
  g->state ^= g->state >> 12;
  g->state ^= g->state << 25;
  g->state ^= g->state >> 27;
  return g->state * 0x2545f4914f6cdd1dull;
}

// Uniform in -limit ..< limit.
static inline float next_float(generator *g, float limit) {
  return ((float)(next_bits(g) >> 40) * 0x1p-23f - 1) * limit;
}

// Memory for n elements; ends the program when there is none. At least one byte is reserved.
static inline void *reserve(size_t n, size_t size) {
  void *p = calloc(n + 1, size);
  if (!p) {
    fputs("out of memory\n", stderr);
    exit(2);
  }
  return p;
}

static inline float *random_floats(generator *g, size_t n, float limit) {
  float *p = reserve(n, sizeof *p);
  for (size_t i = 0; i < n; i++) p[i] = next_float(g, limit);
  return p;
}

// Rows of random blocks whose values are finite.
uint8_t *random_rows(generator *g, const ck_matmul_table *scalar, ck_type type, size_t rows,
                     size_t cols);

// Quantised activations whose rows lie further apart than they are long; some blocks are zeros. With a
// rest of a 256th of their size, in every third block, if wanted.
ck_q8 quantised_rows(const ck_matmul_table *scalar, const float *x, size_t tokens, size_t cols,
                     bool rest);

// Keys or values: n elements of a type of cache, uniform in -limit ..< limit.
void *random_cached(generator *g, ck_kv_type kv, size_t n, float limit);

void check_matmul(ck_isa isa);
void check_tiles(ck_isa isa);
void check_floats(ck_isa isa);
void check_attention(ck_isa isa);
void check_pack(void);
void check_pool(void);
void check_parallel(ck_isa isa);
