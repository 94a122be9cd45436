// How loops are cut into parts for the pool. Every cut is along rows, tokens or whole blocks, so it
// cannot change a result.
#pragma once

#include <stddef.h>

static inline size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t larger(size_t a, size_t b) { return a > b ? a : b; }
static inline size_t ceiling(size_t n, size_t step) { return (n + step - 1) / step; }

// Fewer elements than this in one part do not pay for handing it to another thread.
enum { ELEMENTS_PER_PART = 8192 };

// How a loop over `count` items is cut into parts.
typedef struct cut {
  size_t items;  // in one part
  size_t parts;
} cut;

static inline cut cut_evenly(size_t count, size_t items) {
  items = larger(items, 1);
  return (cut){.items = items, .parts = ceiling(count, items)};
}

// Items [begin, end) of part `index`.
typedef struct span {
  size_t begin, end;
} span;

static inline span part_of(cut cut, size_t count, size_t index) {
  const size_t begin = index * cut.items;
  return (span){begin, smaller(begin + cut.items, count)};
}
