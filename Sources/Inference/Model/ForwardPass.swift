internal import CKernels

/// One sequence's state: its KV cache, and the scratch that a chunk of tokens needs.
///
/// Not safe to use from two threads at once; the engine's thread owns it.
package final class ForwardPass {
  package let model: TransformerModel
  package let cache: KVCache
  /// Logits of the last call, `[wanted tokens, vocabulary]`.
  package private(set) var logits: Matrix

  private let compute: Compute
  private let ropes: [RoPETable]
  private var scratch: Scratch

  /// An empty sequence with room for `contextSize` tokens.
  ///
  /// - Throws: `contextTooLarge`, `outOfMemory`, `threads`.
  package init(
    _ model: TransformerModel, contextSize: Int, threads: Int,
    precision: MatmulPrecision = .quantized
  ) throws(InferenceError) {
    self.model = model
    cache = try KVCache(model.configuration, capacity: contextSize)
    compute = try Compute(threads: threads, precision: precision)
    var ropes: [RoPETable] = []
    for rope in model.configuration.ropes {
      ropes.append(try RoPETable(rope, positions: contextSize))
    }
    self.ropes = ropes
    scratch = try Scratch(model.configuration, tokens: 1)
    logits = Matrix(
      try FloatBuffer(count: model.configuration.vocabularySize, purpose: "logits"), rows: 1,
      columns: model.configuration.vocabularySize)
  }

  /// Runs `tokens` after those in the cache and leaves the wanted logits in `logits`.
  ///
  /// - Throws: `invalidToken` or `contextSizeExceeded` before any work, `outOfMemory`.
  package func run(_ tokens: Span<Int32>, wanted: LogitsWanted) throws(InferenceError) {
    let configuration = model.configuration
    for index in tokens.indices
    where tokens[index] < 0 || Int(tokens[index]) >= configuration.vocabularySize {
      throw .invalidToken(
        id: Int(tokens[index]), vocabularySize: configuration.vocabularySize)
    }
    let position = cache.count
    guard position + tokens.count <= cache.capacity else {
      throw .contextSizeExceeded(
        contextSize: cache.capacity, tokenCount: position + tokens.count)
    }
    guard !tokens.isEmpty else { return }
    if scratch.tokens < tokens.count {
      scratch = try Scratch(configuration, tokens: tokens.count)
    }

    let x = scratch.hidden.rows(0..<tokens.count)  // [tokens, embedding]
    compute.embed(tokens, model.weights.embedding, into: x)
    compute.scale(x, by: configuration.embeddingScale)
    for index in configuration.layers.indices {
      try attention(x, layer: index, position: position)
      try feedForward(x, layer: index)
    }
    cache.advance(by: tokens.count)
    switch wanted {
    case .none: break
    case .last: try project(x.rows(tokens.count - 1..<tokens.count))
    case .all: try project(x)
    }
  }

  /// Adds Wo · attention(RoPE(Wq·norm(x)), RoPE(Wk·norm(x)), Wv·norm(x)) to x.
  private func attention(
    _ x: Matrix, layer index: Int, position: Int
  ) throws(InferenceError) {
    let configuration = model.configuration
    let layer = configuration.layers[index]
    let weights = model.weights.layers[index]
    let epsilon = configuration.normEpsilon
    let normed = scratch.normed.rows(0..<x.rows)  // [tokens, embedding]
    let query = scratch.matrix(\.query, x.rows, layer.heads * layer.headDim)
    let key = scratch.matrix(\.key, x.rows, layer.keyValueHeads * layer.headDim)
    let value = scratch.matrix(\.value, x.rows, layer.keyValueHeads * layer.headDim)
    let attended = scratch.matrix(\.attended, x.rows, layer.heads * layer.headDim)

    compute.rmsNorm(x, weights.attentionNorm, epsilon: epsilon, into: normed)
    try compute.multiply(
      normed, [(weights.query, query), (weights.key, key), (weights.value, value)])
    if let bias = weights.queryBias { compute.add(bias: bias, to: query) }
    if let bias = weights.keyBias { compute.add(bias: bias, to: key) }
    if let bias = weights.valueBias { compute.add(bias: bias, to: value) }
    if let norm = weights.queryNorm { compute.headNorm(query, norm, epsilon: epsilon) }
    if let norm = weights.keyNorm { compute.headNorm(key, norm, epsilon: epsilon) }
    compute.rotate(query, headDim: layer.headDim, ropes[layer.rope], position: position)
    compute.rotate(key, headDim: layer.headDim, ropes[layer.rope], position: position)

    cache.store(key, value, layer: index, compute.kernels)
    try compute.attend(
      query, cache, layer, layerIndex: index, position: position, into: attended)

    try compute.multiply(attended, [(weights.output, normed)])
    if let bias = weights.outputBias { compute.add(bias: bias, to: normed) }
    if let norm = weights.postAttentionNorm {
      compute.rmsNorm(normed, norm, epsilon: epsilon, into: normed)
    }
    compute.add(normed, to: x)
  }

  /// Adds Wdown · (activation(Wgate·norm(x)) * Wup·norm(x)) to x.
  private func feedForward(_ x: Matrix, layer index: Int) throws(InferenceError) {
    let configuration = model.configuration
    let weights = model.weights.layers[index]
    let width = configuration.layers[index].feedForward
    let epsilon = configuration.normEpsilon
    let normed = scratch.normed.rows(0..<x.rows)  // [tokens, embedding]
    let gate = scratch.matrix(\.gate, x.rows, width)
    let up = scratch.matrix(\.up, x.rows, width)

    compute.rmsNorm(x, weights.feedForwardNorm, epsilon: epsilon, into: normed)
    try compute.multiply(normed, [(weights.gate, gate), (weights.up, up)])
    compute.gate(configuration.activation, gate, up)
    try compute.multiplyWide(gate, weights.down, into: normed)
    if let norm = weights.postFeedForwardNorm {
      compute.rmsNorm(normed, norm, epsilon: epsilon, into: normed)
    }
    compute.add(normed, to: x)
  }

  /// logits = softcap(Wout · norm(x)), for the rows of `x` that are wanted.
  private func project(_ x: Matrix) throws(InferenceError) {
    let configuration = model.configuration
    if logits.buffer.count < x.rows * configuration.vocabularySize {
      logits = Matrix(
        try FloatBuffer(count: x.rows * configuration.vocabularySize, purpose: "logits"),
        rows: x.rows, columns: configuration.vocabularySize)
    }
    logits = Matrix(logits.buffer, rows: x.rows, columns: configuration.vocabularySize)
    let normed = scratch.normed.rows(0..<x.rows)
    compute.rmsNorm(
      x, model.weights.outputNorm, epsilon: configuration.normEpsilon, into: normed)
    try compute.multiplyWide(normed, model.weights.output, into: logits)
    compute.softcap(logits, cap: configuration.logitSoftcap)
  }

  /// Lends one wanted row of logits, to be changed at will until the next run.
  func withLogits<R>(
    row: Int, _ body: (inout MutableSpan<Float>) throws(InferenceError) -> R
  ) throws(InferenceError) -> R {
    try logits.withMutableRow(row, body)
  }

  /// Refuses logits that are no numbers, which a damaged file can give.
  ///
  /// - Throws: `unusableLogits` with the position of the first such row.
  package func checkLogits() throws(InferenceError) {
    for row in 0..<logits.rows {
      let isUsable = logits.withRow(row) { values in
        var sum: Float = 0
        for index in values.indices { sum += values[index] * 0 }
        return sum == 0
      }
      guard isUsable else {
        throw .unusableLogits(
          position: cache.count - logits.rows + row, reason: "one is infinite or not a number")
      }
    }
  }

  /// Index of the largest logit of one wanted row, the lowest among equals.
  package func argmax(row: Int = 0) -> Int { compute.argmax(logits, row: row) }
}

/// Intermediate results of one chunk, reused by every layer.
private struct Scratch {
  let tokens: Int
  let hidden: Matrix  // [tokens, embedding] the residual stream
  let normed: Matrix  // [tokens, embedding]
  let query: FloatBuffer  // [tokens, heads * headDim]
  let key: FloatBuffer  // [tokens, kvHeads * headDim]
  let value: FloatBuffer  // [tokens, kvHeads * headDim]
  let attended: FloatBuffer  // [tokens, heads * headDim]
  let gate: FloatBuffer  // [tokens, feedForward]
  let up: FloatBuffer  // [tokens, feedForward]

  init(_ configuration: ModelConfiguration, tokens: Int) throws(InferenceError) {
    func buffer(_ columns: Int) throws(InferenceError) -> FloatBuffer {
      try FloatBuffer(count: tokens * columns, purpose: "a chunk of \(tokens) tokens")
    }
    let size = configuration.embeddingLength
    let heads = configuration.layers.map { $0.heads * $0.headDim }.max() ?? 0
    let keys = configuration.layers.map { $0.keyValueHeads * $0.headDim }.max() ?? 0
    let width = configuration.layers.map(\.feedForward).max() ?? 0
    self.tokens = tokens
    hidden = Matrix(try buffer(size), rows: tokens, columns: size)
    normed = Matrix(try buffer(size), rows: tokens, columns: size)
    query = try buffer(heads)
    key = try buffer(keys)
    value = try buffer(keys)
    attended = try buffer(heads)
    gate = try buffer(width)
    up = try buffer(width)
  }

  func matrix(_ buffer: KeyPath<Scratch, FloatBuffer>, _ rows: Int, _ columns: Int) -> Matrix {
    Matrix(self[keyPath: buffer], rows: rows, columns: columns)
  }
}
