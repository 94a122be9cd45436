// Prefill: CK_ROWS rows are taken apart once, a chunk at a time, for a tile of tokens.
// Part of ck_matmul_body.h.

// One chunk of CK_ROWS rows, turned so that a lane belongs to a row. Tokens share the work.
typedef struct panel {
  bxr codes[8][8];  // [block, k / 4]
  fxr a[8], m[8];
  ixr s[16], n[16];
} panel;

// Stores lane i of 8 rows' vectors in rows 8g ... of column i.
CK_INLINE void store_columns(u32x8 v[8], size_t g, void *columns) {
  transpose_u32x8(v);
  CK_UNROLL
  for (size_t i = 0; i < 8; i++) {
    memcpy((uint8_t *)columns + (i * CK_ROWS + 8 * g) * sizeof(uint32_t), &v[i], sizeof v[i]);
  }
}

// Turns 8 rows' vectors of 16 small integers.
CK_INLINE void store_group_columns(const i16x16 v[8], size_t g, ixr columns[16]) {
  u32x8 half[2][8];
  CK_UNROLL
  for (size_t r = 0; r < 8; r++) {
    half[0][r] = (u32x8)__builtin_convertvector(CK_LOW8(v[r]), i32x8);
    half[1][r] = (u32x8)__builtin_convertvector(CK_HIGH8(v[r]), i32x8);
  }
  store_columns(half[0], g, columns);
  store_columns(half[1], g, columns + 8);
}

CK_INLINE void fill_panel_scales(const vector_format *f, const uint8_t *w, size_t row_bytes,
                                 size_t n, size_t g, panel *p) {
  u32x8 a[8], m[8];
  i16x16 s[8], minima[8];
  CK_UNROLL
  for (size_t r = 0; r < 8; r++) {
    chunk_scales scales;
    memset(&scales, 0, sizeof scales);
    f->scales(w + r * row_bytes, f->bytes, n, &scales);
    a[r] = (u32x8)scales.a;
    m[r] = (u32x8)scales.m;
    s[r] = scales.s;
    minima[r] = scales.n;
  }
  store_columns(a, g, p->a);
  if (has_minimum(f)) store_columns(m, g, p->m);
  if (is_grouped(f)) store_group_columns(s, g, p->s);
  if (is_grouped(f) && has_minimum(f)) store_group_columns(minima, g, p->n);
}

CK_INLINE void fill_panel_codes(const vector_format *f, const uint8_t *w, size_t row_bytes,
                                size_t i, size_t g, bxr codes[8]) {
  u32x8 v[8];
  CK_UNROLL
  for (size_t r = 0; r < 8; r++) v[r] = (u32x8)weights(f, w + r * row_bytes, i);
  store_columns(v, g, codes);
}

// Takes apart the first n blocks of the chunks at w, w + row_bytes, ...
CK_INLINE void fill_panel(const vector_format *f, const uint8_t *w, size_t row_bytes, size_t n,
                          panel *p) {
  for (size_t g = 0; g < CK_ROWS / 8; g++, w += 8 * row_bytes) {
    fill_panel_scales(f, w, row_bytes, n, g, p);
    CK_UNROLL
    for (size_t i = 0; i < 8; i++) {
      if (i < n) fill_panel_codes(f, w, row_bytes, i, g, p->codes[i]);
    }
  }
}

// CK_ROWS rows with up to TOKEN_TILE tokens.
CK_INLINE void panel_product(const vector_format *f, const uint8_t *w, size_t row_bytes,
                             const ck_q8 *x, size_t token, size_t tokens, float *y,
                             size_t y_stride) {
  const size_t blocks = x->cols / CK_BLOCK_VALUES;
  fxr lanes[8][TOKEN_TILE];
  panel p;
  chunk_sums sums[TOKEN_TILE];
  for (size_t first = 0; first < blocks; first += 8, w += chunk_bytes(f)) {
    const size_t n = f->blocks == 8 || blocks - first >= 8 ? 8 : blocks - first;
    const size_t at = token * (x->stride / CK_BLOCK_VALUES) + first;
    fill_panel(f, w, row_bytes, n, &p);
    fill_sums(f, x, at, n, tokens, sums);
    for (size_t i = 0; i < 8; i++) {
      if (i >= n) {
        if (first == 0) clear_lane(lanes[i], tokens);
        continue;
      }
      lane_block block = {.a = p.a[i], .m = p.m[i]};
      memcpy(block.codes, p.codes[i], sizeof block.codes);
      memcpy(block.s, p.s + 2 * i, sizeof block.s);
      memcpy(block.n, p.n + 2 * i, sizeof block.n);
      block_product(f, &block, i, x, at + i, tokens, sums, first == 0 ? no_sums : lanes[i],
                    lanes[i]);
    }
  }
  store_tile(lanes, tokens, y, y_stride);
}
