// What a vector format says of its weights, as kernels ask for it; CK_WEIGHTS tells which bytes the
// dot products of an instruction set take.
#include "ck_formats_body.h"

#define WEIGHTS_U7 0  // unsigned below 128; or SIGNED_CODES, told by `largest`
#define WEIGHTS_U8 1  // any unsigned byte

#define FMA __builtin_elementwise_fma

CK_INLINE bool is_grouped(const vector_format *f) {
  return f->layout == CK_LAYOUT_GROUPED || f->layout == CK_LAYOUT_GROUPED_MIN;
}

CK_INLINE bool has_minimum(const vector_format *f) {
  return f->layout == CK_LAYOUT_MIN || f->layout == CK_LAYOUT_GROUPED_MIN;
}

// Bytes of eight blocks of 32 values.
CK_INLINE size_t chunk_bytes(const vector_format *f) { return f->bytes * (8 / f->blocks); }

// Codes as the dot products take them.
CK_INLINE u8x32 weights(const vector_format *f, const uint8_t *w, size_t i) {
  const u8x32 codes = f->codes(w, i);
  if (CK_WEIGHTS == WEIGHTS_U8 && f->largest == SIGNED_CODES) return codes ^ 128;
  return codes;
}

// What each of `weights` is too large by: its product with the activations' sum is subtracted.
CK_INLINE int excess(const vector_format *f) {
  if (CK_WEIGHTS == WEIGHTS_U8 && f->largest == SIGNED_CODES) return 128;
  return f->offset;
}
