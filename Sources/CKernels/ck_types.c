#include "ck_types.h"

#include "ck_blocks.h"

#define ROW(type, label, block, values) \
  [type] = {.name = label, .block_values = values, .block_bytes = sizeof(block)}
#define FLOAT_ROW(type, label, bytes) \
  [type] = {.name = label, .block_values = 1, .block_bytes = bytes, .is_float = true}

static const ck_type_info table[CK_TYPE_COUNT] = {
    FLOAT_ROW(CK_F32, "F32", 4),
    FLOAT_ROW(CK_F16, "F16", 2),
    FLOAT_ROW(CK_BF16, "BF16", 2),
    ROW(CK_Q4_0, "Q4_0", ck_q4_0, CK_BLOCK_VALUES),
    ROW(CK_Q4_1, "Q4_1", ck_q4_1, CK_BLOCK_VALUES),
    ROW(CK_Q5_0, "Q5_0", ck_q5_0, CK_BLOCK_VALUES),
    ROW(CK_Q5_1, "Q5_1", ck_q5_1, CK_BLOCK_VALUES),
    ROW(CK_Q8_0, "Q8_0", ck_q8_0, CK_BLOCK_VALUES),
    ROW(CK_IQ4_NL, "IQ4_NL", ck_iq4_nl, CK_BLOCK_VALUES),
    ROW(CK_MXFP4, "MXFP4", ck_mxfp4, CK_BLOCK_VALUES),
    ROW(CK_Q2_K, "Q2_K", ck_q2_k, CK_SUPER_VALUES),
    ROW(CK_Q3_K, "Q3_K", ck_q3_k, CK_SUPER_VALUES),
    ROW(CK_Q4_K, "Q4_K", ck_q4_k, CK_SUPER_VALUES),
    ROW(CK_Q5_K, "Q5_K", ck_q5_k, CK_SUPER_VALUES),
    ROW(CK_Q6_K, "Q6_K", ck_q6_k, CK_SUPER_VALUES),
    ROW(CK_IQ4_XS, "IQ4_XS", ck_iq4_xs, CK_SUPER_VALUES),
    ROW(CK_TQ1_0, "TQ1_0", ck_tq1_0, CK_SUPER_VALUES),
    ROW(CK_TQ2_0, "TQ2_0", ck_tq2_0, CK_SUPER_VALUES),
};

const ck_type_info *ck_type_info_for(int type) {
  if (type < 0 || type >= CK_TYPE_COUNT || table[type].block_values == 0) return NULL;
  return &table[type];
}
