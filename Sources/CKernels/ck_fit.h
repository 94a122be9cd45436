// Finding the scale, or scale and minimum, that a group of values loses least with.
#pragma once

#include <stddef.h>

// The numbers that codes of a group can have.
typedef struct ck_codes {
  float lowest, highest;
} ck_codes;

// value = scale * code + minimum
typedef struct ck_line {
  float scale, minimum;
} ck_line;

// Codes of n values (a multiple of 8) on a line, as floats: the nearest ones. A scale of 0 gives
// code 0, or the one nearest to it.
void ck_fit_codes(const float *x, size_t n, ck_codes codes, ck_line line, float *out);

// The sum of squared differences that those codes leave.
float ck_fit_error(const float *x, size_t n, ck_codes codes, ck_line line);

// The value of the largest magnitude, the first of several.
float ck_extreme(const float *x, size_t n);

// The best scale that a search finds for values without a minimum; of either sign.
float ck_fit_scale(const float *x, size_t n, ck_codes codes);

// The best line that a search finds, codes being from 0 on; the minimum is at most `ceiling`.
ck_line ck_fit_line(const float *x, size_t n, float highest, float ceiling);
