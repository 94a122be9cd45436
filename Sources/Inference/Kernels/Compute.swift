internal import CKernels

/// How products with quantised weights are done.
public enum MatmulPrecision: Sendable {
  /// Activations quantised to 8 bits, integer dot products: the fast way.
  case quantized
  /// Weights expanded to float32 and multiplied by the system's BLAS: the exact way.
  case float
}

/// The steps of a forward pass on this CPU: shapes are checked here, work is done in C.
///
/// Owns the worker pool and the scratch that kernels need. One step at a time: it belongs to
/// whoever runs the forward pass, never to two threads at once.
@safe
final class Compute: @unchecked Sendable {
  let threads: Int
  let precision: MatmulPrecision
  var context: ck_context
  let kernels: Kernels
  private var quantized = QuantizedScratch()
  private var wideScratch: FloatBuffer
  private var attentionScratch: FloatBuffer
  var panels: [FloatBuffer] = []

  /// Compute on `threads` threads with the best instruction set of this CPU.
  ///
  /// - Throws: `threads` when the pool cannot be made, `outOfMemory`.
  init(threads: Int, precision: MatmulPrecision) throws(InferenceError) {
    let limit = Int(CK_POOL_MAX_THREADS)
    guard threads >= 1, threads <= limit, let pool = unsafe ck_pool_create(threads) else {
      throw .threads(requested: threads, limit: limit)
    }
    let isa = ck_isa_active()
    guard let matmul = unsafe ck_matmul_table_for(isa), let floats = unsafe ck_float_table_for(isa),
      let kernels = unsafe Kernels(floats.pointee)
    else {
      unsafe ck_pool_destroy(pool)
      throw .threads(requested: threads, limit: limit)
    }
    Self.makeBLASSingleThreaded()
    self.threads = threads
    self.precision = precision
    self.kernels = kernels
    unsafe context = ck_context(pool: pool, matmul: matmul, floats: floats)
    attentionScratch = try FloatBuffer(count: 0, purpose: "attention scratch")
    wideScratch = try FloatBuffer(count: 0, purpose: "wide product")
  }

  deinit { unsafe ck_pool_destroy(context.pool) }

  /// Several products of one input: `y = x · Wᵀ` for each pair of weights and result.
  ///
  /// `x` is `[tokens, columns]`, weights are `[rows, columns]`, a result is `[tokens, rows]`.
  func multiply(_ x: Matrix, _ products: [(WeightMatrix, Matrix)]) throws(InferenceError) {
    guard x.rows > 0 else { return }
    var isQuantized = false
    for (weights, y) in products {
      precondition(weights.columns == x.columns && weights.rows == y.columns && x.rows == y.rows)
      if weights.isFloat && x.rows < Self.blasTokens {
        multiplyFloat(weights, x, y)
      } else if weights.isFloat || precision == .float {
        try multiplyBLAS(weights, x, y)
      } else {
        if !isQuantized { try quantize(x) }
        isQuantized = true
        unsafe ck_par_matmul(
          &context, weights.type, weights.base, weights.rowBytes, weights.rows, &quantized.view,
          y.base, y.stride)
      }
    }
  }

  /// One product of an input with two bytes for each activation: about 15 bits instead of 7.
  ///
  /// For the inputs that lose most by rounding: the gated activations, which have outliers, and
  /// the last norm, whose error reaches the logits undamped. Weights are read once for both bytes,
  /// so a product that waits for memory costs the same as a narrow one.
  func multiplyWide(_ x: Matrix, _ weights: WeightMatrix, into y: Matrix) throws(InferenceError) {
    guard !weights.isFloat, precision == .quantized, x.rows > 0 else {
      return try multiply(x, [(weights, y)])
    }
    precondition(weights.columns == x.columns && weights.rows == y.columns && x.rows == y.rows)
    let needed = x.rows * (x.columns + 2 * y.columns)
    if wideScratch.count < needed {
      wideScratch = try FloatBuffer(count: needed, purpose: "wide product")
    }
    try quantized.reserve(tokens: 2 * x.rows, columns: x.columns)
    let halves = Matrix(
      wideScratch, offset: x.rows * x.columns, rows: 2 * x.rows, columns: y.columns)
    unsafe ck_par_quantize_wide(
      &context, x.base, x.stride, &quantized.view, wideScratch.base)
    unsafe ck_par_matmul(
      &context, weights.type, weights.base, weights.rowBytes, weights.rows, &quantized.view,
      halves.base, halves.stride)
    copy(halves.rows(0..<x.rows), to: y)
    add(halves.rows(x.rows..<2 * x.rows), to: y)
  }

  private func copy(_ x: Matrix, to y: Matrix) {
    for row in 0..<x.rows {
      unsafe (y.base + row * y.stride).update(from: x.base + row * x.stride, count: x.columns)
    }
  }

  /// From how many tokens on float weights go to BLAS: below it the product is memory traffic.
  private static let blasTokens = 8

  private func multiplyFloat(_ weights: WeightMatrix, _ x: Matrix, _ y: Matrix) {
    unsafe ck_par_matmul_float(
      &context, weights.type, weights.base, weights.rowBytes, weights.rows, weights.columns,
      x.base, x.stride, x.rows, y.base, y.stride)
  }

  private func quantize(_ x: Matrix) throws(InferenceError) {
    try quantized.reserve(tokens: x.rows, columns: x.columns)
    unsafe ck_par_quantize(&context, x.base, x.stride, &quantized.view)
  }

  /// `y = x / rms(x) * weight`, row by row; `y` may be `x`.
  func rmsNorm(_ x: Matrix, _ weight: FloatBuffer, epsilon: Float, into y: Matrix) {
    precondition(weight.count == x.columns && x.columns == y.columns && x.rows == y.rows)
    unsafe ck_par_rms_norm(
      &context, x.base, x.stride, weight.base, x.columns, epsilon, x.rows, y.base, y.stride)
  }

  /// RMSNorm of every head on its own, in place; `x` is `[tokens, heads * headDim]`.
  func headNorm(_ x: Matrix, _ weight: FloatBuffer, epsilon: Float) {
    let heads = x.columns / weight.count
    precondition(heads * weight.count == x.columns)
    for token in 0..<x.rows {
      let row = Matrix(
        x.buffer, offset: x.offset + token * x.stride, rows: heads, columns: weight.count)
      for head in 0..<heads {
        let values = unsafe row.base + head * weight.count
        unsafe kernels.rmsNorm(values, weight.base, weight.count, epsilon, values)
      }
    }
  }

  /// `gate = activation(gate) * up`, element by element.
  func gate(_ activation: Activation, _ gate: Matrix, _ up: Matrix) {
    precondition(gate.rows == up.rows && gate.columns == up.columns)
    precondition(gate.stride == gate.columns && up.stride == up.columns)
    unsafe ck_par_gated_activation(
      &context, activation == .gelu, gate.base, up.base, gate.rows * gate.columns)
  }

  /// `y += x`, row by row.
  func add(_ x: Matrix, to y: Matrix) {
    precondition(x.rows == y.rows && x.columns == y.columns)
    for row in 0..<x.rows {
      unsafe kernels.add(x.base + row * x.stride, x.columns, y.base + row * y.stride)
    }
  }

  /// Adds one row to every row of `y`.
  func add(bias: FloatBuffer, to y: Matrix) {
    precondition(bias.count == y.columns)
    for row in 0..<y.rows { unsafe kernels.add(bias.base, bias.count, y.base + row * y.stride) }
  }

  /// `y *= factor`.
  func scale(_ y: Matrix, by factor: Float) {
    guard factor != 1 else { return }
    for row in 0..<y.rows { unsafe kernels.scale(factor, y.columns, y.base + row * y.stride) }
  }

  /// `y = cap * tanh(y / cap)`; a cap of 0 means none.
  func softcap(_ y: Matrix, cap: Float) {
    guard cap > 0 else { return }
    for row in 0..<y.rows { unsafe kernels.softcap(cap, y.columns, y.base + row * y.stride) }
  }

  /// Copies the embedding rows of `tokens` (checked against the vocabulary) into `x`.
  func embed(_ tokens: Span<Int32>, _ table: WeightMatrix, into x: Matrix) {
    precondition(tokens.count == x.rows && table.columns == x.columns)
    for index in tokens.indices {
      let token = Int(tokens[index])
      precondition(token >= 0 && token < table.rows)
      unsafe ck_par_dequantize(
        &context, table.type, table.base + token * table.rowBytes, table.rowBytes, 1,
        table.columns, x.base + index * x.stride)
    }
  }

  /// Rotates the heads of `x` (`[tokens, heads * headDim]`) for consecutive positions.
  func rotate(_ x: Matrix, headDim: Int, _ table: RoPETable, position: Int) {
    precondition(x.columns % headDim == 0 && table.pairs * 2 <= headDim)
    precondition(position + x.rows <= table.positions)
    for row in 0..<x.rows {
      let angle = (position + row) * table.pairs
      unsafe kernels.rope(
        x.base + row * x.stride, x.columns / headDim, headDim, table.pairs,
        table.cosine.base + angle, table.sine.base + angle, table.pairing)
    }
  }

  /// Attention of consecutive tokens over one layer of the cache, which already holds their keys.
  ///
  /// `q` and `out` are `[tokens, heads * headDim]`.
  func attend(
    _ q: Matrix, _ cache: KVCache, _ layer: LayerConfiguration, layerIndex: Int, position: Int,
    into out: Matrix
  ) throws(InferenceError) {
    precondition(q.columns == layer.heads * layer.headDim && out.columns == q.columns)
    let (keys, values) = unsafe cache.layer(layerIndex, holding: position + q.rows)
    let needed = unsafe ck_layer_attention_scratch(
      context.pool, layer.heads, layer.keyValueHeads, layer.headDim, q.rows)
    if attentionScratch.count < needed {
      attentionScratch = try FloatBuffer(count: needed, purpose: "attention scratch")
    }
    var arguments = unsafe ck_layer_attention(
      q: q.base, q_stride: q.stride, k: keys, v: values, capacity: cache.capacity,
      heads: layer.heads, kv_heads: layer.keyValueHeads, head_dim: layer.headDim, tokens: q.rows,
      position: position, window: layer.window, scale: layer.attentionScale,
      softcap: layer.attentionSoftcap, out: out.base, out_stride: out.stride,
      scratch: attentionScratch.base)
    unsafe ck_par_attention(&context, &arguments)
  }

  /// Index of the largest value of one row, the lowest among equals.
  func argmax(_ x: Matrix, row: Int) -> Int {
    precondition(row >= 0 && row < x.rows && x.columns > 0)
    return unsafe kernels.argmax(x.base + row * x.stride, x.columns)
  }
}
