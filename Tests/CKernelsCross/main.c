// Compares every kernel of every instruction set that runs here with the scalar one, and checks
// the worker pool. Prints "N passed, N failed".
//
// Usage: check-kernels [ISA | threads]
//   ISA      fails too when that instruction set is not available
//   threads  only the pool and the parallel steps
#include <string.h>

#include "check.h"

size_t checks_passed, checks_failed;

static void check_isa(ck_isa isa) {
  printf("%s\n", ck_isa_name(isa));
  check_matmul(isa);
  // The dot product extension has the float kernels of NEON.
  if (isa == CK_ISA_DOTPROD) return;
  check_floats(isa);
  check_attention(isa);
}

int main(int argc, char **argv) {
  const char *wanted = argc > 1 ? argv[1] : "scalar";
  const bool only_threads = strcmp(wanted, "threads") == 0;
  bool found = only_threads;
  for (int isa = 0; isa < CK_ISA_COUNT; isa++) {
    if (!ck_isa_available((ck_isa)isa)) continue;
    if (strcmp(wanted, ck_isa_name((ck_isa)isa)) == 0) found = true;
    if (isa != CK_ISA_SCALAR && !only_threads) check_isa((ck_isa)isa);
  }
  CHECK(found, "%s is not available here", wanted);
  if (!only_threads) check_pack();
  check_pool();
  check_parallel(ck_isa_active());
  printf("%zu passed, %zu failed\n", checks_passed, checks_failed);
  return checks_failed == 0 ? 0 : 1;
}
