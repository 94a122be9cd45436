internal import CKernels

/// The steps between products. Each leaves its result as the activations of the products named.
extension Compute {
  /// What is added to the residual stream: a result, and what is done to it before.
  struct Delta {
    var values: Matrix  // [tokens, embedding]; overwritten
    var bias: FloatBuffer?  // [embedding]
    var norm: FloatBuffer?  // [embedding]
  }

  /// x as it is.
  func pack(
    _ x: Matrix, for weights: WeightGroup, isWide: Bool = false
  ) throws(InferenceError) {
    try reserve(tokens: x.rows, columns: x.columns, for: weights, isWide: isWide)
    unsafe withActivations { out in
      var step = unsafe ck_pack(x: x.base, x_stride: x.stride, out: out)
      unsafe ck_par_pack(&context, &step)
    }
  }

  /// `x += delta`, then `x / rms(x) * weight`, row by row; x is the residual stream.
  func normalise(
    _ x: Matrix, adding delta: Delta? = nil, _ weight: FloatBuffer, epsilon: Float,
    for weights: WeightGroup, isWide: Bool = false
  ) throws(InferenceError) {
    precondition(weight.count == x.columns)
    try reserve(tokens: x.rows, columns: x.columns, for: weights, isWide: isWide)
    let scratch = unsafe try rowScratch(columns: x.columns)
    unsafe withActivations { out in
      var step = unsafe Self.step(x, delta, epsilon)
      unsafe step.weight = UnsafePointer(weight.base)
      unsafe step.out = out
      unsafe step.scratch = scratch
      unsafe ck_par_norm(&context, &step)
    }
  }

  /// `x += delta` alone.
  func add(_ delta: Delta, to x: Matrix, epsilon: Float) {
    var step = unsafe Self.step(x, delta, epsilon)
    unsafe ck_par_norm(&context, &step)
  }

  private static func step(_ x: Matrix, _ delta: Delta?, _ epsilon: Float) -> ck_norm {
    var step = unsafe ck_norm()
    unsafe step.x = x.base
    unsafe step.x_stride = x.stride
    unsafe step.tokens = x.rows
    unsafe step.cols = x.columns
    unsafe step.eps = epsilon
    guard let delta else { return unsafe step }
    precondition(delta.values.rows == x.rows && delta.values.columns == x.columns)
    precondition((delta.bias?.count ?? x.columns) == x.columns)
    precondition((delta.norm?.count ?? x.columns) == x.columns)
    unsafe step.delta = delta.values.base
    unsafe step.delta_stride = delta.values.stride
    unsafe step.delta_bias = delta.bias.map { unsafe UnsafePointer($0.base) }
    unsafe step.delta_weight = delta.norm.map { unsafe UnsafePointer($0.base) }
    return unsafe step
  }

  /// `activation(gate) * up`, element by element.
  func gate(
    _ activation: Activation, _ gate: Matrix, _ up: Matrix, for weights: WeightGroup
  ) throws(InferenceError) {
    precondition(gate.rows == up.rows && gate.columns == up.columns && gate.stride == up.stride)
    try reserve(tokens: gate.rows, columns: gate.columns, for: weights, isWide: true)
    let scratch = unsafe try rowScratch(columns: gate.columns)
    unsafe withActivations { out in
      var step = unsafe ck_gate(
        gelu: activation == .gelu, gate: gate.base, up: up.base, stride: gate.stride, out: out,
        scratch: scratch)
      unsafe ck_par_gate(&context, &step)
    }
  }

  private func reserve(
    tokens: Int, columns: Int, for weights: WeightGroup, isWide: Bool
  ) throws(InferenceError) {
    try activations.reserve(
      form(for: weights, tokens: tokens, isWide: isWide), tokens: tokens, columns: columns)
  }

  private func withActivations(_ body: (UnsafePointer<ck_activations>) -> Void) {
    unsafe withUnsafePointer(to: &activations.view) { unsafe body($0) }
  }

  /// Bias, norm and rotation of queries and keys; keys and values go into the cache.
  ///
  /// `q` is `[tokens, heads * headDim]`, `k` and `v` are `[tokens, kvHeads * headDim]`, of the
  /// tokens after those in the cache.
  func storeHeads(
    _ q: Matrix, _ k: Matrix, _ v: Matrix, _ weights: LayerWeights, _ layer: LayerConfiguration,
    _ rope: RoPETable, _ cache: KVCache, layerIndex: Int, epsilon: Float
  ) {
    let position = cache.count
    precondition(q.columns == layer.heads * layer.headDim && q.rows == k.rows && k.rows == v.rows)
    precondition(k.columns == layer.keyValueHeads * layer.headDim && v.columns == k.columns)
    precondition(k.stride == v.stride && rope.pairs * 2 <= layer.headDim)
    precondition(position + q.rows <= rope.filled)
    let (keys, values) = unsafe cache.mutableLayer(layerIndex, holding: position + q.rows)
    func pointer(_ buffer: FloatBuffer?) -> UnsafePointer<Float>? {
      unsafe buffer.map { unsafe UnsafePointer($0.base) }
    }
    var step = unsafe ck_heads_step(
      q: q.base, q_stride: q.stride, k: k.base, v: v.base, kv_stride: k.stride,
      heads: layer.heads, kv_heads: layer.keyValueHeads, head_dim: layer.headDim, tokens: q.rows,
      position: position, q_bias: pointer(weights.queryBias), k_bias: pointer(weights.keyBias),
      v_bias: pointer(weights.valueBias), q_norm: pointer(weights.queryNorm),
      k_norm: pointer(weights.keyNorm), eps: epsilon, cosine: rope.cosine.base,
      sine: rope.sine.base, pairs: rope.pairs, pairing: rope.pairing, kv: cache.type.kernelType,
      k_cache: keys, v_cache: values, capacity: cache.capacity)
    unsafe ck_par_heads(&context, &step)
  }
}
