// Tensor types of a GGUF file and the layout of their blocks.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Numbers are those of the file format (ggml type ids).
typedef enum ck_type {
  CK_F32 = 0,
  CK_F16 = 1,
  CK_Q4_0 = 2,
  CK_Q4_1 = 3,
  CK_Q5_0 = 6,
  CK_Q5_1 = 7,
  CK_Q8_0 = 8,
  CK_Q2_K = 10,
  CK_Q3_K = 11,
  CK_Q4_K = 12,
  CK_Q5_K = 13,
  CK_Q6_K = 14,
  CK_IQ4_NL = 20,
  CK_IQ4_XS = 23,
  CK_BF16 = 30,
  CK_TQ1_0 = 34,
  CK_TQ2_0 = 35,
  CK_MXFP4 = 39,
  CK_TYPE_COUNT = 40,
} ck_type;

// One row of the type table. `block_values` is 0 for ids that have no kernels.
typedef struct ck_type_info {
  const char *name;
  size_t block_values;  // values in one block
  size_t block_bytes;   // bytes of one block
  bool is_float;        // F32, F16, BF16: multiplied with float activations
} ck_type_info;

// The row for `type`; NULL when this library has no kernels for it (any integer is allowed).
const ck_type_info *ck_type_info_for(int type);
