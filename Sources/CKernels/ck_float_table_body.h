// The table of the functions that the bodies define.
const ck_float_table CK_FLOAT_TABLE = {
  .isa = CK_FLOAT_ISA,
  .rms_norm = rms_norm,
  .rope = rope,
  .silu_mul = silu_mul,
  .gelu_mul = gelu_mul,
  .add = add,
  .scale = scale,
  .softcap = softcap,
  .to_f16 = to_f16,
  .from_f16 = from_f16,
  .argmax = argmax,
  .attention = attention,
  .attention_chunk = attention_chunk,
  .attention_merge = attention_merge,
  .attention_finish = attention_finish,
};
