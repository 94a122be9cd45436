// NEON, which every aarch64 has.
#if defined(__aarch64__)

#include "ck_float_tables.h"
#include "ck_simd.h"

#include <arm_neon.h>

#define CK_FLOAT_ISA CK_ISA_NEON
#define CK_FLOAT_TABLE ck_float_table_neon
#define VF_LANES 4
// Rows of queries that share a load of keys or values: 4 x 4 sums in 32 registers.
#define VF_TILE_ROWS 4
#define VF_REGISTERS 32

typedef float32x4_t vf;

CK_INLINE vf vf_load(const float *p) { return vld1q_f32(p); }
CK_INLINE void vf_store(float *p, vf x) { vst1q_f32(p, x); }
CK_INLINE vf vf_load_f16(const uint16_t *p) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}
CK_INLINE void vf_store_f16(uint16_t *p, vf x) {
  vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(x)));
}
CK_INLINE vf vf_set(float x) { return vdupq_n_f32(x); }
CK_INLINE vf vf_add(vf x, vf y) { return vaddq_f32(x, y); }
CK_INLINE vf vf_sub(vf x, vf y) { return vsubq_f32(x, y); }
CK_INLINE vf vf_mul(vf x, vf y) { return vmulq_f32(x, y); }
CK_INLINE vf vf_div(vf x, vf y) { return vdivq_f32(x, y); }
CK_INLINE vf vf_fma(vf x, vf y, vf z) { return vfmaq_f32(z, x, y); }
CK_INLINE vf vf_larger(vf x, vf y) { return vbslq_f32(vcgtq_f32(x, y), x, y); }
CK_INLINE vf vf_smaller(vf x, vf y) { return vbslq_f32(vcltq_f32(x, y), x, y); }
CK_INLINE vf vf_power_of_2(vf rounded) {
  const int32x4_t exponent = vshlq_n_s32(vreinterpretq_s32_f32(rounded), 23);
  return vreinterpretq_f32_s32(vaddq_s32(exponent, vdupq_n_s32(127 << 23)));
}
CK_INLINE vf vf_abs(vf x) { return vabsq_f32(x); }
CK_INLINE vf vf_with_sign(vf magnitude, vf sign) {
  return vbslq_f32(vdupq_n_u32(0x80000000), sign, magnitude);
}

CK_INLINE void vf_sum4(vf a, vf b, vf c, vf d, float *sums) {
  vst1q_f32(sums, vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d)));
}

CK_INLINE float vf_largest(vf x) { return vmaxvq_f32(x); }

CK_INLINE void vf_load_pairs(const float *p, vf *even, vf *odd) {
  const float32x4x2_t pairs = vld2q_f32(p);
  *even = pairs.val[0];
  *odd = pairs.val[1];
}
CK_INLINE void vf_store_pairs(float *p, vf even, vf odd) {
  const float32x4x2_t pairs = {{even, odd}};
  vst2q_f32(p, pairs);
}

#include "ck_float_body.h"
#include "ck_attention_body.h"
#include "ck_float_table_body.h"

// The dot product extension has nothing for floats.
#undef CK_FLOAT_ISA
#undef CK_FLOAT_TABLE
#define CK_FLOAT_ISA CK_ISA_DOTPROD
#define CK_FLOAT_TABLE ck_float_table_dotprod
#include "ck_float_table_body.h"

#endif
