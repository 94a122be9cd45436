// What the AMX files share.
#pragma once

#include "ck_float.h"

enum { CK_TILE_BYTES = 64 };  // of one row of a tile

// Makes this thread's tiles ready, all of 16 rows of 64 bytes, and lets go of them.
void ck_tiles_begin(void);
void ck_tiles_end(void);

// Puts lane i of two vectors side by side: lanes 2i and 2i + 1 of the result.
extern const uint16_t ck_pair_order[32];

size_t ck_attention_tiles_scratch(size_t rows, size_t head_dim);
void ck_attention_tiles(const ck_attention *a);
