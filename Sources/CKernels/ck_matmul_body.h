// Products of quantised weights, shared by all instruction sets.
//
// An instruction set file defines, before it includes this:
//
//   CK_ROWS                      rows of a panel: 8 or 16; ixr, fxr, bxr: vectors of CK_ROWS
//                                int32, float, and 4 * CK_ROWS bytes
//   CK_WEIGHTS                   which bytes its dot products take as weights, see ck_weights_body.h
//   lookup16(table, indices)     table[index] for 32 indices
//   lane_lookup16(table, indices)  the same for a vector of bxr
//   row_dot(w, x, largest)       32 products in 8 sums: 0-3 of the first 16, 4-7 of the others
//   half_totals(p)               sums 0-3 and 4-7 of p[0 ... 3]: 4 of first halves, 4 of second
//   pair_dot(a, b)               a[2i] * b[2i] + a[2i+1] * b[2i+1]
//   panel_dot(w, n, x, largest, start)  start plus n * 4 products for each row; lane r of w[j]
//                                holds the four codes of row r that belong to x[4j ... 4j+3]
//
// and, where its panel_dot takes any signed bytes, CK_SIGNED_CODES 1; and with CK_TOKEN_PAIRS 1 too,
// where two tokens at once cost less than one and one:
//
//   turn_pairs(w)                the codes w[0 ... 7] as panel_dot_pair takes them
//   panel_dot_pair(w, n, x, y, dots)  panel_dot of turned codes with x and with y
//
// and with CK_STRIPS 1, where an activation fetched once for several vectors of rows pays:
//
//   panel_dot_rows(a, b, n, x, dots)  panel_dot of the codes a and of b, added to dots; or
//   unsigned_products(x, w)      with CK_BIASED 1: x[2i] * w[2i] + x[2i+1] * w[2i+1] of unsigned bytes
//                                x and signed bytes w
//
// All float arithmetic happens here and follows the order written in ck_matmul_scalar.c. There the
// unit is a block's whole integer sum, so the width of the vectors does not show in the result.
#include "ck_matmul_tables.h"
#include "ck_weights_body.h"
#include "ck_lanes_body.h"

#include "ck_matmul_row_body.h"
#include "ck_tokens_body.h"
#include "ck_matmul_panel_body.h"
#include "ck_groups_body.h"

// Panels where tokens share the work of taking them apart, then single rows. Which path computes
// a result does not show in its bits.
CK_INLINE void matmul(const vector_format *f, const void *w, size_t row_bytes, size_t rows,
                      const ck_q8 *x, float *y, size_t y_stride) {
  const uint8_t *weights = w;
  size_t row = 0;
  if (x->tokens > 1) {
    for (; row + CK_ROWS <= rows; row += CK_ROWS) {
      for (size_t t = 0; t < x->tokens; t += TOKEN_TILE) {
        const size_t tokens = x->tokens - t < TOKEN_TILE ? x->tokens - t : TOKEN_TILE;
        panel_product(f, weights + row * row_bytes, row_bytes, x, t, tokens,
                      y + t * y_stride + row, y_stride);
      }
    }
  }
  for (; row + QUAD <= rows; row += QUAD) {
    for (size_t t = 0; t < x->tokens; t++) {
      quad_product(f, weights + row * row_bytes, row_bytes, x, t, y + t * y_stride + row);
    }
  }
  for (; row < rows; row++) {
    for (size_t t = 0; t < x->tokens; t++) {
      y[t * y_stride + row] = row_product(f, weights + row * row_bytes, x, t);
    }
  }
}

#define BLOCK_TYPE(name, type)                                                            \
  static void matmul_##name(const void *w, size_t row_bytes, size_t rows, const ck_q8 *x, \
                            float *y, size_t y_stride) {                                  \
    matmul(&name##_format, w, row_bytes, rows, x, y, y_stride);                           \
  }
CK_BLOCK_TYPES(BLOCK_TYPE)
