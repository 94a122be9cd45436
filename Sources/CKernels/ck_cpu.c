#if defined(__linux__)
#define _GNU_SOURCE  // syscall
#endif

#include "ck_cpu.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

static const char *const names[CK_ISA_COUNT] = {
    [CK_ISA_SCALAR] = "scalar", [CK_ISA_AVX2] = "avx2",       [CK_ISA_AVX512] = "avx512",
    [CK_ISA_AMX] = "amx",       [CK_ISA_NEON] = "neon",     [CK_ISA_DOTPROD] = "dotprod",
    [CK_ISA_I8MM] = "i8mm",
};

const char *ck_isa_name(ck_isa isa) {
  return (unsigned)isa < CK_ISA_COUNT ? names[isa] : "unknown";
}

#if defined(__x86_64__)

// State components that the operating system saves for each thread (XCR0).
static uint64_t saved_state(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return ((uint64_t)high << 32) | low;
}

static bool has_bits(uint64_t value, uint64_t bits) { return (value & bits) == bits; }

// Linux hands out the tile registers on request, once for all threads of the process; AMX stays
// off where nobody asked or the answer was no.
static bool may_use_tiles(void) {
#if defined(__linux__)
  enum { REQUEST_STATE = 0x1023, TILE_DATA = 18 };  // ARCH_REQ_XCOMP_PERM of asm/prctl.h
  return syscall(SYS_arch_prctl, REQUEST_STATE, TILE_DATA) == 0;
#else
  return false;
#endif
}

// What AMX needs beyond AVX-512.
static bool has_tiles(void) {
  const uint32_t amx_edx = 1u << 22 | 1u << 24;  // leaf 7: AMX-BF16, AMX-TILE
  const uint32_t bf16_eax = 1u << 5;             // leaf 7.1: AVX512_BF16
  const uint64_t tile_state = 3u << 17;          // XTILECFG, XTILEDATA
  uint32_t a, b, c, d;
  if (!has_bits(saved_state(), tile_state)) return false;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has_bits(d, amx_edx)) return false;
  if (!__get_cpuid_count(7, 1, &a, &b, &c, &d) || !has_bits(a, bf16_eax)) return false;
  return may_use_tiles();
}

static bool detect(ck_isa isa) {
  enum { FMA = 1 << 12, OSXSAVE = 1 << 27, AVX = 1 << 28, F16C = 1 << 29 };  // leaf 1 ecx
  enum { BMI1 = 1 << 3, AVX2 = 1 << 5, BMI2 = 1 << 8 };                      // leaf 7 ebx
  const uint64_t avx512_ebx = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;     // F, DQ, BW, VL
  const uint64_t vnni_ecx = 1u << 11;
  const uint64_t ymm_state = 0x6;    // SSE and AVX registers
  const uint64_t zmm_state = 0xe6;   // and the mask registers and both halves of AVX-512's

  if (isa == CK_ISA_SCALAR) return true;
  if (isa == CK_ISA_AMX) return detect(CK_ISA_AVX512) && has_tiles();
  if (isa != CK_ISA_AVX2 && isa != CK_ISA_AVX512) return false;
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
  if (!has_bits(c, FMA | OSXSAVE | AVX | F16C)) return false;
  const uint64_t state = saved_state();
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  if (!has_bits(b, BMI1 | AVX2 | BMI2) || !has_bits(state, ymm_state)) return false;
  if (isa == CK_ISA_AVX2) return true;
  return has_bits(b, avx512_ebx) && has_bits(c, vnni_ecx) && has_bits(state, zmm_state);
}

#elif defined(__aarch64__)

#if defined(__APPLE__)
static bool has_feature(const char *name) {
  int value = 0;
  size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value != 0;
}
#endif

static bool has_dotprod(void) {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & (1ul << 20)) != 0;  // HWCAP_ASIMDDP
#elif defined(__APPLE__)
  return has_feature("hw.optional.arm.FEAT_DotProd");
#else
  return false;
#endif
}

static bool has_i8mm(void) {
#if defined(__linux__)
  return (getauxval(AT_HWCAP2) & (1ul << 13)) != 0;  // HWCAP2_I8MM
#elif defined(__APPLE__)
  return has_feature("hw.optional.arm.FEAT_I8MM");
#else
  return false;
#endif
}

static bool detect(ck_isa isa) {
  switch (isa) {
    case CK_ISA_SCALAR: return true;
    case CK_ISA_NEON: return true;  // part of the base instruction set
    case CK_ISA_DOTPROD: return has_dotprod();
    case CK_ISA_I8MM: return has_dotprod() && has_i8mm();
    default: return false;
  }
}

#else

static bool detect(ck_isa isa) { return isa == CK_ISA_SCALAR; }

#endif

bool ck_isa_available(ck_isa isa) {
  // Bit i says that isa i was asked for, bit i + 16 the answer: CPUID traps in virtual machines.
  static _Atomic uint32_t known = 0;
  if ((unsigned)isa >= CK_ISA_COUNT) return false;
  const uint32_t asked = 1u << isa;
  const uint32_t answer = 1u << (isa + 16);
  uint32_t bits = atomic_load_explicit(&known, memory_order_relaxed);
  if (bits & asked) return (bits & answer) != 0;
  const bool available = detect(isa);
  atomic_fetch_or_explicit(&known, asked | (available ? answer : 0), memory_order_relaxed);
  return available;
}

static ck_isa choose(void) {
  static const ck_isa best_first[] = {
      CK_ISA_AMX, CK_ISA_AVX512, CK_ISA_I8MM, CK_ISA_DOTPROD, CK_ISA_AVX2, CK_ISA_NEON};
  const char *forced = getenv("CK_FORCE");
  for (int isa = 0; forced != NULL && isa < CK_ISA_COUNT; isa++) {
    if (strcmp(forced, names[isa]) == 0 && ck_isa_available((ck_isa)isa)) return (ck_isa)isa;
  }
  for (size_t i = 0; i < sizeof best_first / sizeof best_first[0]; i++) {
    if (ck_isa_available(best_first[i])) return best_first[i];
  }
  return CK_ISA_SCALAR;
}

ck_isa ck_isa_active(void) {
  // Racing first calls compute the same answer, so the last store is as good as the first.
  static _Atomic int chosen = -1;
  int isa = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (isa < 0) {
    isa = (int)choose();
    atomic_store_explicit(&chosen, isa, memory_order_relaxed);
  }
  return (ck_isa)isa;
}
