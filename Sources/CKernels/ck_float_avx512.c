// AVX-512 F, BW, VL and DQ.
#if defined(__x86_64__)

#include "ck_float_tables.h"
#include "ck_simd.h"

#if !defined(CK_EMULATE)
#pragma clang attribute push(                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c"))),     \
    apply_to = function)
#endif

#define CK_FLOAT_ISA CK_ISA_AVX512
#define CK_FLOAT_TABLE ck_float_table_avx512
#include "ck_vf_avx512.h"
#include "ck_float_body.h"
#include "ck_attention_body.h"
#include "ck_float_table_body.h"

#if !defined(CK_EMULATE)
#pragma clang attribute pop
#endif

#endif
