// Products of bytes with the dot product extension, for ck_matmul_neon_body.h.

CK_INLINE int32x4_t dot16(const uint8_t *w, const int8_t *x) {
  return vdotq_s32(vdupq_n_s32(0), vld1q_s8((const int8_t *)w), vld1q_s8(x));
}

// Four codes of each row with lane `k` of the activations, which must be a literal.
#define PANEL_STEP(k)                                              \
  do {                                                             \
    const int8_t *codes = (const int8_t *)&w[j + (k)];             \
    low = vdotq_laneq_s32(low, vld1q_s8(codes), four, k);          \
    high = vdotq_laneq_s32(high, vld1q_s8(codes + 16), four, k);   \
  } while (0)

CK_INLINE i32x8 panel_dot(const u8x32 *w, size_t n, const int8_t *x, int largest, i32x8 start) {
  (void)largest;
  int32x4_t low = (int32x4_t)CK_LOW4(start), high = (int32x4_t)CK_HIGH4(start);
  CK_UNROLL
  for (size_t j = 0; j < n; j += 4) {
    const int8x16_t four = vld1q_s8(x + 4 * j);
    PANEL_STEP(0);
    PANEL_STEP(1);
    PANEL_STEP(2);
    PANEL_STEP(3);
  }
  return CK_JOIN4((i32x4)low, (i32x4)high);
}
