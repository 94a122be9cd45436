// Compares every kernel of every instruction set that runs here with the scalar one.
// Prints "N passed, N failed"; fails when a check fails or when the instruction set named as the
// argument is not available.
#include <string.h>

#include "check.h"

size_t checks_passed, checks_failed;

int main(int argc, char **argv) {
  bool found = argc < 2;
  check_pool();
  for (int isa = 0; isa < CK_ISA_COUNT; isa++) {
    if (!ck_isa_available((ck_isa)isa)) continue;
    const char *name = ck_isa_name((ck_isa)isa);
    if (argc >= 2 && strcmp(argv[1], name) == 0) found = true;
    printf("%s\n", name);
    check_matmul((ck_isa)isa);
    check_floats((ck_isa)isa);
    check_attention((ck_isa)isa);
    check_parallel((ck_isa)isa);
  }
  if (!found) {
    fprintf(stderr, "no kernels for %s here\n", argv[1]);
    checks_failed++;
  }
  printf("%zu passed, %zu failed\n", checks_passed, checks_failed);
  return checks_failed == 0 ? 0 : 1;
}
