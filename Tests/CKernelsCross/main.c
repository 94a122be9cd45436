// Compares every kernel of every instruction set that runs here with the scalar one, and checks
// the worker pool. Prints "N passed, N failed".
//
// Usage: check-kernels [ISA | threads]
//   ISA      fails too when that instruction set is not the one chosen here
//   threads  only the pool and the parallel steps
#include <string.h>

#include "check.h"

size_t checks_passed, checks_failed;

static void check_isa(ck_isa isa) {
  printf("%s\n", ck_isa_name(isa));
  check_matmul(isa);
  check_tiles(isa);
  // The extensions for bytes have the float kernels of NEON, AMX those of AVX-512.
  if (isa == CK_ISA_DOTPROD || isa == CK_ISA_I8MM || isa == CK_ISA_AMX) return;
  check_floats(isa);
  check_attention(isa);
}

int main(int argc, char **argv) {
  const char *wanted = argc > 1 ? argv[1] : NULL;
  const bool only_threads = wanted && strcmp(wanted, "threads") == 0;
  for (int isa = 0; isa < CK_ISA_COUNT; isa++) {
    if (!ck_isa_available((ck_isa)isa)) continue;
    if (isa != CK_ISA_SCALAR && !only_threads) check_isa((ck_isa)isa);
    check_parallel((ck_isa)isa);
  }
  if (wanted && !only_threads)
    CHECK(strcmp(wanted, ck_isa_name(ck_isa_active())) == 0, "%s is not chosen here", wanted);
  if (!only_threads) check_pack();
  check_pool();
  printf("%zu passed, %zu failed\n", checks_passed, checks_failed);
  return checks_failed == 0 ? 0 : 1;
}
