// The table of one instruction set: CK_MATMUL_TABLE names it, CK_MATMUL_ISA says which.
#define MATMUL_ENTRY(name, type) [type] = matmul_##name,
#define GROUPS_ENTRY(name, type) [type] = matmul_groups_##name,
#define DEQUANTIZE_ENTRY(name, type) [type] = dequantize_##name,

#define MATMUL_ENTRIES \
    .quantize_q8 = quantize_q8, \
    .dequantize = {CK_BLOCK_TYPES(DEQUANTIZE_ENTRY) CK_FLOAT_TYPES(DEQUANTIZE_ENTRY)}, \
    .matmul = {CK_BLOCK_TYPES(MATMUL_ENTRY)}, \
    .matmul_groups = {CK_INTERLEAVED_TYPES(GROUPS_ENTRY)}, \
    .matmul_float = {CK_FLOAT_TYPES(MATMUL_ENTRY)},

const ck_matmul_table CK_MATMUL_TABLE = {.isa = CK_MATMUL_ISA, MATMUL_ENTRIES};
