// Floats into stored blocks: the way back from dequantisation, with the least squared error that a
// search of scales finds. The same floats give the same bytes on every machine.
#pragma once

#include "ck_matmul.h"
#include "ck_pool.h"
#include "ck_types.h"

// Packs n values (a multiple of the block) into blocks. False where a value is not finite or larger
// than the type can hold; the blocks are then of no use.
typedef bool (*ck_pack_fn)(const float *x, size_t n, void *blocks);

// The packer of a type: F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K; else NULL.
ck_pack_fn ck_pack_for(int type);

// Random numbers around 0 with standard deviation `deviation`, close to normally distributed and
// never further than 2 sqrt(3) of it away. Number k of a seed is always the same.
typedef struct ck_noise {
  uint64_t seed;
  float deviation;
} ck_noise;

void ck_noise_fill(const ck_noise *noise, uint64_t first, size_t n, float *out);

// Values to pack, split over a pool. They come from stored blocks, or are noise.
typedef struct ck_repack {
  const void *source;  // count values of type `from`; NULL: noise
  ck_type from;
  ck_noise noise;
  uint64_t first;  // the number of the first value of noise
  ck_type to;
  void *out;       // count values of type `to`
  size_t count;    // a multiple of both blocks
  float *scratch;  // CK_REPACK_VALUES for each thread of the pool
} ck_repack;

enum { CK_REPACK_VALUES = 8192 };

// A value that could not be packed.
typedef struct ck_refusal {
  size_t index;  // `count` of the job where all could
  float value;
} ck_refusal;

// The first value that is not finite or too large for its type. Both types must be ones that can be
// read and written.
ck_refusal ck_par_repack(ck_pool *pool, const ck_matmul_table *table, const ck_repack *job);
