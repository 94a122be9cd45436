internal import CKernels
internal import GGUF

/// How products with quantised weights are done.
public enum MatmulPrecision: Sendable {
  /// Activations of 8 bits, or bfloat16 where the CPU has matrix units: the fast way.
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
  /// The input of the next products, left there by `pack`, `normalise` or `gate`.
  var activations: Activations
  private var nextActivations: Activations
  private var rowScratch: FloatBuffer
  private var tileScratch: FloatBuffer
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
    self.threads = threads
    self.precision = precision
    self.kernels = kernels
    unsafe context = ck_context(pool: pool, matmul: matmul, floats: floats)
    activations = try Activations()
    nextActivations = try Activations()
    rowScratch = try FloatBuffer(count: 0, purpose: "scratch")
    tileScratch = try FloatBuffer(count: 0, purpose: "scratch")
    attentionScratch = try FloatBuffer(count: 0, purpose: "scratch")
  }

  deinit { unsafe ck_pool_destroy(context.pool) }

  /// Room for one row a thread.
  func rowScratch(columns: Int) throws(InferenceError) -> UnsafeMutablePointer<Float> {
    unsafe try Self.grow(&rowScratch, to: ck_rows_scratch(context.pool, columns))
  }

  /// Room for the weights that the threads expand into tiles; rows of `rowBytes` at most.
  func tileScratch(
    columns: Int, rowBytes: Int
  ) throws(InferenceError) -> UnsafeMutablePointer<UInt16> {
    let values = unsafe ck_tile_scratch(context.pool, columns, rowBytes)
    let start = unsafe try Self.grow(&tileScratch, to: (values + 1) / 2)
    return unsafe UnsafeMutableRawPointer(start).assumingMemoryBound(to: UInt16.self)
  }

  private static func grow(
    _ buffer: inout FloatBuffer, to count: Int
  ) throws(InferenceError) -> UnsafeMutablePointer<Float> {
    if buffer.count < count { buffer = try FloatBuffer(count: count, purpose: "scratch") }
    return unsafe buffer.base
  }

  /// Lets `body` fill other activations from the present ones, which they then replace.
  func replaceActivations(
    _ body: (inout Activations) throws(InferenceError) -> Void
  ) throws(InferenceError) {
    try body(&nextActivations)
    swap(&activations, &nextActivations)
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

  /// Copies the embedding rows of `tokens` (checked against the vocabulary) into `x`, times
  /// `scale`.
  func embed(
    _ tokens: Span<Int32>, _ table: WeightMatrix, scale: Float, into x: Matrix
  ) throws(InferenceError) {
    precondition(tokens.count == x.rows && table.columns == x.columns)
    for index in tokens.indices {
      precondition(tokens[index] >= 0 && Int(tokens[index]) < table.rows)
    }
    let scratch = unsafe try rowScratch(columns: x.columns)
    unsafe tokens.withUnsafeBufferPointer { tokens in
      var step = unsafe ck_embed(
        table: table.description, cols: x.columns, tokens: tokens.baseAddress,
        count: tokens.count, scale: scale, out: x.base, out_stride: x.stride, scratch: scratch)
      unsafe ck_par_embed(&context, &step)
    }
  }

  /// Attention of consecutive tokens over one layer of the cache, which already holds their keys.
  ///
  /// `q` and `out` are `[tokens, heads * headDim]`; the first token's position is `position`.
  /// `isTiled` says that matrix units may round queries, keys and values to bfloat16, which they do
  /// with float16 only.
  func attend(
    _ q: Matrix, _ cache: KVCache, _ layer: LayerConfiguration, layerIndex: Int, position: Int,
    isTiled: Bool, into out: Matrix
  ) throws(InferenceError) {
    precondition(q.columns == layer.heads * layer.headDim && out.columns == q.columns)
    let (keys, values) = unsafe cache.layer(layerIndex, holding: position + q.rows)
    var arguments = unsafe ck_layer_attention(
      q: q.base, q_stride: q.stride, kv: cache.type.kernelType, k: keys, v: values,
      capacity: cache.capacity, heads: layer.heads, kv_heads: layer.keyValueHeads,
      head_dim: layer.headDim, tokens: q.rows, position: position, window: layer.window,
      scale: layer.attentionScale, softcap: layer.attentionSoftcap,
      tiles: isTiled && cache.type == .float16, out: out.base, out_stride: out.stride, scratch: nil)
    let needed = unsafe ck_layer_attention_scratch(&context, &arguments)
    unsafe arguments.scratch = try Self.grow(&attentionScratch, to: needed)
    unsafe ck_par_attention(&context, &arguments)
  }

  /// Copies a slice of the rows of `weights` into `storage`, interleaved.
  func interleave(
    _ weights: WeightMatrix, _ slice: Range<Int>, into storage: WeightStorage, at offset: Int,
    of file: GGUFFile
  ) {
    unsafe weights.interleave(slice, into: storage, at: offset, of: file, pool: context.pool)
  }

  /// Index of the largest value of one row, the lowest among equals.
  func argmax(_ x: Matrix, row: Int) -> Int {
    precondition(row >= 0 && row < x.rows && x.columns > 0)
    return unsafe kernels.argmax(x.base + row * x.stride, x.columns)
  }
}
