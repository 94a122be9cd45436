// Packing gives the same bytes on every machine: their checksums, written down once.
#include "check.h"

enum { VALUES = 8192 };

// FNV-1a.
static uint64_t checksum(const uint8_t *bytes, size_t n) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < n; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

typedef struct expectation {
  ck_type type;
  uint64_t checksum;
} expectation;

static const expectation expectations[] = {
    {CK_F32, 0xb15d36d5c556564fu},
    {CK_F16, 0x6493935ea3750f61u},
    {CK_BF16, 0x5d8e53fb3915e343u},
    {CK_Q4_0, 0xdf2f376d241cd20du},
    {CK_Q4_1, 0x8dacefbb7492c4f1u},
    {CK_Q5_0, 0x44a663041241647eu},
    {CK_Q5_1, 0x566ac104b6b0452bu},
    {CK_Q8_0, 0x650b98d3a4d294e7u},
    {CK_Q4_K, 0x573c28cc3540ae45u},
    {CK_Q5_K, 0xf6e3c8e89b8442ebu},
    {CK_Q6_K, 0x318e46e46f19a9c7u},
};

void check_pack(void) {
  float *x = reserve(VALUES, sizeof *x);
  uint8_t *blocks = reserve(VALUES, sizeof *x);
  const ck_noise noise = {.seed = 1, .deviation = 1};
  ck_noise_fill(&noise, 0, VALUES, x);
  for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
    const expectation *e = expectations + i;
    const ck_type_info *info = ck_type_info_for((int)e->type);
    CHECK(ck_pack_for((int)e->type)(x, VALUES, blocks), "%s", info->name);
    const uint64_t found = checksum(blocks, VALUES / info->block_values * info->block_bytes);
    CHECK(found == e->checksum, "%s has %llx", info->name, (unsigned long long)found);
  }
  free(x);
  free(blocks);
}
