// The table of one instruction set: CK_MATMUL_TABLE names it, CK_MATMUL_ISA says which.
#define MATMUL_ENTRY(name, type) [type] = matmul_##name,
#define DEQUANTIZE_ENTRY(name, type) [type] = dequantize_##name,

const ck_matmul_table CK_MATMUL_TABLE = {
    .isa = CK_MATMUL_ISA,
    .quantize_q8 = quantize_q8,
    .dequantize = {CK_BLOCK_TYPES(DEQUANTIZE_ENTRY) CK_FLOAT_TYPES(DEQUANTIZE_ENTRY)},
    .matmul = {CK_BLOCK_TYPES(MATMUL_ENTRY)},
    .matmul_float = {CK_FLOAT_TYPES(MATMUL_ENTRY)},
};
