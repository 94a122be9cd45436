// Multiplies interleaved weights a number of times, for a count of the instructions that takes.
//
// Usage: count-instructions ISA TYPE TOKENS CALLS
// Without calls it prints how many products of a weight with an activation one call makes.
#include <string.h>

#include "check.h"

enum { ROWS = CK_GROUP_ROWS, COLS = 1024 };

static const ck_matmul_table *table_named(const char *name) {
  for (int isa = 0; isa < CK_ISA_COUNT; isa++)
    if (strcmp(ck_isa_name((ck_isa)isa), name) == 0) return ck_matmul_table_for((ck_isa)isa);
  return NULL;
}

static int type_named(const char *name) {
  for (int type = 0; type < CK_TYPE_COUNT; type++) {
    const ck_type_info *info = ck_type_info_for(type);
    if (info && strcmp(info->name, name) == 0 && ck_can_interleave((ck_type)type)) return type;
  }
  return -1;
}

int main(int argc, char **argv) {
  const ck_matmul_table *t = argc == 5 ? table_named(argv[1]) : NULL;
  const int type = argc == 5 ? type_named(argv[2]) : -1;
  const long tokens = argc == 5 ? atol(argv[3]) : 0, calls = argc == 5 ? atol(argv[4]) : 0;
  if (!t || type < 0 || tokens < 1 || tokens > 1024) {
    fputs("usage: count-instructions ISA TYPE TOKENS CALLS\n", stderr);
    return 2;
  }
  if (calls == 0) printf("%ld\n", ROWS * COLS * tokens);
  // Which values they are does not change the count.
  const ck_type_info *info = ck_type_info_for(type);
  const size_t row_bytes = COLS / info->block_values * info->block_bytes, n = (size_t)tokens;
  uint8_t *w = reserve(ROWS, row_bytes);
  float *y = reserve(n * ROWS, sizeof *y);
  const ck_q8 x = {reserve(n * COLS, 1), reserve(n * COLS / 32, sizeof(float)),
                   reserve(n * COLS / 16, sizeof(int16_t)), n, COLS, COLS, 0};
  for (size_t i = 0; i < n * COLS / 32; i++) x.scale[i] = 1;  // a block of scale 0 would be skipped
  for (long i = 0; i < calls; i++) t->matmul_groups[type](w, row_bytes, ROWS, &x, y, ROWS);
  free(w), free(y), free(x.q), free(x.scale), free(x.sum);
  return 0;
}
