// Helpers that the vector bodies share, and the x86 intrinsics.
#pragma once

#define CK_INLINE static inline __attribute__((always_inline))

// The trip count is a constant once the function around it is inlined.
#define CK_UNROLL _Pragma("clang loop unroll(full)")

#if defined(__x86_64__)
#if defined(CK_EMULATE)
// Intrinsics in plain C, so that tests can run instructions this machine does not have.
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/f16c.h>
#include <simde/x86/fma.h>
#else
#include <immintrin.h>
#endif
#endif
