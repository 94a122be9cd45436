// What this machine can do at most, measured by loops that do nothing else: the limits to which a
// forward pass is compared.
#pragma once

#include <stddef.h>

#include "ck_pool.h"

typedef enum ck_peak {
  CK_PEAK_F32 = 0,  // multiply-adds of floats
  CK_PEAK_INT8,     // dot products of bytes, in vector registers
  CK_PEAK_TILES,    // products of bfloat16 in matrix tiles that are loaded from the first cache
  CK_PEAK_COUNT,
} ck_peak;

// The instructions that the measurement uses, "VNNI" for example: those of the instruction set in
// use. NULL where it has none.
const char *ck_peak_name(ck_peak what);

// Operations a second (a multiply-add counts two) of all the pool's threads together in a run of
// some milliseconds; 0 where ck_peak_name is NULL.
double ck_peak_rate(ck_pool *pool, ck_peak what);

// Bytes a second at which the pool's threads together read a buffer once, each a part of it.
double ck_read_rate(ck_pool *pool, const void *buffer, size_t bytes);
