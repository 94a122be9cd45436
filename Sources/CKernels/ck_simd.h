// Helpers that the vector bodies share, and the x86 intrinsics.
#pragma once

#define CK_INLINE static inline __attribute__((always_inline))

// The trip count is a constant once the function around it is inlined.
#define CK_UNROLL _Pragma("clang loop unroll(full)")

#if defined(__x86_64__)
#if defined(CK_EMULATE)
#include "emulated_avx512.h"  // of the tests: the intrinsics in plain C
#else
#include <immintrin.h>
#endif
#endif
