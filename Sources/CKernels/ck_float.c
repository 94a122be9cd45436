#include "ck_float_tables.h"

#include <math.h>

size_t ck_attention_sum_stride(size_t head_dim) {
  return ck_padded_head(head_dim) + CK_FLOAT_LANES_MAX;
}

size_t ck_attention_scratch(size_t rows, size_t head_dim) {
  const size_t stride = ck_attention_block_stride(head_dim);
  const size_t block = CK_ATTENTION_BLOCK * stride;                  // keys or values in float32
  const size_t sums = 2 * rows * ck_attention_sum_stride(head_dim);  // of a chunk, and the total
  const size_t row = stride + CK_ATTENTION_BLOCK + CK_FLOAT_LANES_MAX;  // query, scores, weights
  return block + sums + rows * row;
}

void ck_attention_clear(size_t rows, size_t head_dim, float *total) {
  const size_t stride = ck_attention_sum_stride(head_dim);
  for (size_t r = 0; r < rows; r++) {
    float *row = total + r * stride;
    for (size_t d = 0; d < stride; d++) row[d] = 0;
    row[stride - 2] = -INFINITY;
  }
}

const ck_float_table *ck_float_table_for(ck_isa isa) {
  if (isa == CK_ISA_SCALAR) return &ck_float_table_scalar;
  if (!ck_isa_available(isa)) return NULL;
  switch (isa) {
#if defined(__x86_64__)
    case CK_ISA_AVX2: return &ck_float_table_avx2;
    case CK_ISA_AVX512:
    case CK_ISA_AMX: return &ck_float_table_avx512;
#elif defined(__aarch64__)
    case CK_ISA_NEON: return &ck_float_table_neon;
    case CK_ISA_DOTPROD:
    case CK_ISA_I8MM: return &ck_float_table_dotprod;
#endif
    default: return NULL;
  }
}
