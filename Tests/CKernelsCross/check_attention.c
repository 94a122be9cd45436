// Attention: near the scalar version, and the same bits however rows are put into calls.
#include <math.h>
#include <string.h>

#include "check.h"

enum { POSITIONS = 700, ROWS = 21 };

typedef struct inputs {
  size_t head_dim;
  float *q;  // [ROWS, head_dim]
  ck_kv_type kv;
  void *k, *v;  // kv [POSITIONS, head_dim]
  uint32_t first[ROWS], last[ROWS];
} inputs;

void *random_cached(generator *g, ck_kv_type kv, size_t n, float limit) {
  float *x = random_floats(g, n, limit);
  if (kv == CK_KV_F32) return x;
  uint16_t *halves = reserve(n, sizeof *halves);
  ck_float_table_for(CK_ISA_SCALAR)->to_f16(x, n, halves);
  free(x);
  return halves;
}

// Rows as they come: consecutive tokens in groups of `group` heads, with a window or without.
static inputs make_inputs(ck_kv_type kv, size_t head_dim, size_t group, size_t start,
                          size_t window) {
  generator g = {head_dim * 1009 + group * 17 + start + window + 1};
  inputs in = {.head_dim = head_dim, .q = random_floats(&g, ROWS * head_dim, 2), .kv = kv};
  in.k = random_cached(&g, kv, POSITIONS * head_dim, 2);
  in.v = random_cached(&g, kv, POSITIONS * head_dim, 2);
  for (size_t r = 0; r < ROWS; r++) {
    in.last[r] = (uint32_t)(start + r / group + 1);
    in.first[r] = window && in.last[r] > window ? in.last[r] - (uint32_t)window : 0;
  }
  return in;
}

static void free_inputs(inputs *in) { free(in->q), free(in->k), free(in->v); }

// Rows begin ..< end in one call.
static void attend(const ck_float_table *t, const inputs *in, size_t begin, size_t end,
                   float softcap, float *out) {
  const size_t dim = in->head_dim, rows = end - begin;
  float *scratch = reserve(ck_attention_scratch(rows, dim), sizeof *scratch);
  for (size_t i = 0; i < ck_attention_scratch(rows, dim); i++) scratch[i] = NAN;
  t->attention(&(ck_attention){
    .q = in->q + begin * dim, .q_stride = dim, .kv = in->kv, .k = in->k, .v = in->v,
    .first = in->first + begin, .last = in->last + begin, .rows = rows, .head_dim = dim,
    .scale = 1 / sqrtf((float)dim), .softcap = softcap,
    .out = out + begin * dim, .out_stride = dim, .scratch = scratch,
  });
  free(scratch);
}

static void check_case(const ck_float_table *t, ck_kv_type kv, size_t head_dim, size_t group,
                       size_t start, size_t window, float softcap) {
  inputs in = make_inputs(kv, head_dim, group, start, window);
  const size_t floats = ROWS * head_dim;
  float *expected = reserve(floats, sizeof(float)), *whole = reserve(floats, sizeof(float));
  float *pieces = reserve(floats, sizeof(float));
  attend(ck_float_table_for(CK_ISA_SCALAR), &in, 0, ROWS, softcap, expected);
  attend(t, &in, 0, ROWS, softcap, whole);
  float worst = 0;
  for (size_t i = 0; i < floats; i++) {
    const float difference = fabsf(expected[i] - whole[i]);
    if (!(difference <= worst)) worst = difference;  // NaN too
  }
  // Values lie in -2 ... 2. A score's error, about 1e-6 relative to |q| |k|, moves weights as much.
  CHECK(worst <= 6e-6f, "%s kv %d head_dim %zu group %zu start %zu window %zu softcap %g: %g",
        ck_isa_name(t->isa), kv, head_dim, group, start, window, (double)softcap, (double)worst);
  for (size_t step = 1; step < 8; step++) {
    for (size_t r = 0; r < ROWS; r += step)
      attend(t, &in, r, r + step < ROWS ? r + step : ROWS, softcap, pieces);
    CHECK(memcmp(whole, pieces, floats * sizeof(float)) == 0,
          "%s kv %d head_dim %zu group %zu start %zu window %zu: %zu rows a call",
          ck_isa_name(t->isa), kv, head_dim, group, start, window, step);
  }
  free(expected), free(whole), free(pieces);
  free_inputs(&in);
}

// Keys beyond a row's last do not reach it, not even as NaN times zero.
static void check_unseen_keys(const ck_float_table *t, ck_kv_type kv) {
  inputs in = make_inputs(kv, 64, 1, 60, 0);
  float *before = reserve(ROWS * 64, sizeof(float)), *after = reserve(ROWS * 64, sizeof(float));
  attend(t, &in, 0, ROWS, 0, before);
  const size_t seen = ROWS - 1;  // only the last row sees the last token's key
  // All bits set are NaN in both types.
  const size_t row = 64 * ck_kv_bytes(kv), offset = (60 + seen) * row;
  memset((char *)in.k + offset, 0xff, row);
  memset((char *)in.v + offset, 0xff, row);
  attend(t, &in, 0, ROWS, 0, after);
  CHECK(memcmp(before, after, seen * 64 * sizeof(float)) == 0, "%s unseen NaN",
        ck_isa_name(t->isa));
  CHECK(isnan(after[seen * 64]), "%s a row that sees NaN is NaN", ck_isa_name(t->isa));
  free(before), free(after);
  free_inputs(&in);
}

void check_attention(ck_isa isa) {
  const ck_float_table *t = ck_float_table_for(isa);
  if (!t) return;
  static const size_t dims[] = {1, 7, 8, 16, 24, 64, 80, 96, 100, 128, 256};
  static const size_t groups[] = {1, 2, 3, 4, 8};
  for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
    const size_t group = groups[d % (sizeof groups / sizeof *groups)];
    for (ck_kv_type kv = CK_KV_F16; kv <= CK_KV_F32; kv++) {
      check_case(t, kv, dims[d], group, 0, 0, 0);
      check_case(t, kv, dims[d], group, 250, 0, 0);
      check_case(t, kv, dims[d], group + 1, 300, 40, 0);
      check_case(t, kv, dims[d], 1, 510, 300, 3);
    }
  }
  check_unseen_keys(t, CK_KV_F16);
  check_unseen_keys(t, CK_KV_F32);
}
