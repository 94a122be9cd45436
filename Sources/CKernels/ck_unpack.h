// The meaning of every quantised block: what dequantisation and the scalar products share.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ck_blocks.h"
#include "ck_types.h"

// How the values of a block come from its parts (k: value, k/32 and k/16: its block and group).
typedef enum ck_layout {
  CK_LAYOUT_PLAIN,         // x = a[k/32] * q[k]
  CK_LAYOUT_MIN,           // x = a[k/32] * q[k] + m[k/32]
  CK_LAYOUT_GROUPED,       // x = a[k/32] * s[k/16] * q[k]
  CK_LAYOUT_GROUPED_MIN,   // x = a[k/32] * s[k/16] * q[k] + m[k/32] * n[k/16]
} ck_layout;

// One block taken apart. A block of 32 values fills the first block of each array.
typedef struct ck_unpacked {
  int8_t q[CK_SUPER_VALUES];
  float a[CK_SUPER_BLOCKS];
  float m[CK_SUPER_BLOCKS];
  int8_t s[2 * CK_SUPER_BLOCKS];
  int8_t n[2 * CK_SUPER_BLOCKS];
} ck_unpacked;

// How to take blocks of one type apart.
typedef struct ck_format {
  ck_layout layout;
  size_t blocks;  // blocks of 32 values in one block of the type: 1 or 8
  size_t bytes;   // of one block of the type
  void (*unpack)(const uint8_t *block, ck_unpacked *out);
} ck_format;

// The format of a block type; NULL for float types and unknown ones.
const ck_format *ck_format_for(ck_type type);
