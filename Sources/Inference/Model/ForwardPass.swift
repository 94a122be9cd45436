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
    precision: MatmulPrecision = .quantized, keyValueType: KeyValueType = .float16
  ) throws(InferenceError) {
    self.model = model
    cache = try KVCache(model.configuration, capacity: contextSize, type: keyValueType)
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
    for rope in ropes { rope.fill(to: position + tokens.count) }

    let x = scratch.hidden.rows(0..<tokens.count)  // [tokens, embedding]
    try compute.embed(
      tokens, model.weights.embedding, scale: configuration.embeddingScale, into: x)
    var rows = x
    var delta: Compute.Delta?
    for index in configuration.layers.indices {
      let isLast = index == configuration.layers.count - 1
      try attention(x, adding: delta, layer: index)
      // After the last layer's keys and values only the wanted tokens matter.
      if isLast { rows = wantedRows(x, wanted) }
      guard rows.rows > 0 else { break }
      delta = try feedForward(rows, layer: index, skipping: x.rows - rows.rows)
    }
    if rows.rows > 0 { try project(rows, adding: delta) }
    cache.advance(by: tokens.count)
  }

  private func wantedRows(_ x: Matrix, _ wanted: LogitsWanted) -> Matrix {
    switch wanted {
    case .none: x.rows(0..<0)
    case .last: x.rows(x.rows - 1..<x.rows)
    case .all: x
    }
  }

  /// x += delta; queries, keys and values of norm(x); keys and values go into the cache.
  private func attention(
    _ x: Matrix, adding delta: Compute.Delta?, layer index: Int
  ) throws(InferenceError) {
    let configuration = model.configuration
    let layer = configuration.layers[index]
    let weights = model.weights.layers[index]
    let query = scratch.matrix(scratch.query, x.rows, layer.heads * layer.headDim)
    let key = scratch.matrix(scratch.key, x.rows, layer.keyValueHeads * layer.headDim)
    let value = scratch.matrix(scratch.value, x.rows, layer.keyValueHeads * layer.headDim)

    try compute.normalise(
      x, adding: delta, weights.attentionNorm, epsilon: configuration.normEpsilon,
      for: weights.heads)
    try compute.multiply(weights.heads, into: query, key, value)
    compute.storeHeads(
      query, key, value, weights, layer, ropes[layer.rope], cache, layerIndex: index,
      epsilon: configuration.normEpsilon)
  }

  /// x += Wo · attention, for all tokens but the first `skipped`; what the feed-forward network
  /// adds to x after that is returned.
  ///
  /// The network is Wdown · (activation(Wgate·norm(x)) * Wup·norm(x)).
  private func feedForward(
    _ x: Matrix, layer index: Int, skipping skipped: Int
  ) throws(InferenceError) -> Compute.Delta {
    let configuration = model.configuration
    let layer = configuration.layers[index]
    let weights = model.weights.layers[index]
    let epsilon = configuration.normEpsilon
    let heads = layer.heads * layer.headDim
    let query = scratch.matrix(scratch.query, skipped + x.rows, heads).rows(
      skipped..<skipped + x.rows)
    let attended = scratch.matrix(scratch.attended, x.rows, heads)
    let result = scratch.result.rows(0..<x.rows)  // [tokens, embedding]
    // They take the place of queries, keys, values and what attention made of them.
    let gate = scratch.matrix(scratch.gate, x.rows, layer.feedForward)
    let up = scratch.matrix(scratch.up, x.rows, layer.feedForward)

    // Attention takes the precision of the products around it.
    let isTiled = compute.form(for: weights.output, tokens: x.rows, isWide: false) == CK_FORM_TILES
    try compute.attend(
      query, cache, layer, layerIndex: index, position: cache.count + skipped, isTiled: isTiled,
      into: attended)
    try compute.pack(attended, for: weights.output)
    try compute.multiply(weights.output, into: result)
    try compute.normalise(
      x, adding: .init(values: result, bias: weights.outputBias, norm: weights.postAttentionNorm),
      weights.feedForwardNorm, epsilon: epsilon, for: weights.gated)
    try compute.multiplyGated(configuration.activation, weights, gate: gate, up: up)
    try compute.multiply(weights.down, into: result)
    return .init(values: result, bias: nil, norm: weights.postFeedForwardNorm)
  }

  /// logits = softcap(Wout · norm(x + delta)).
  private func project(_ x: Matrix, adding delta: Compute.Delta?) throws(InferenceError) {
    let configuration = model.configuration
    let output = model.weights.output
    if logits.buffer.count < x.rows * configuration.vocabularySize {
      logits = Matrix(
        try FloatBuffer(count: x.rows * configuration.vocabularySize, purpose: "logits"),
        rows: x.rows, columns: configuration.vocabularySize)
    }
    logits = Matrix(logits.buffer, rows: x.rows, columns: configuration.vocabularySize)
    try compute.normalise(
      x, adding: delta, model.weights.outputNorm, epsilon: configuration.normEpsilon,
      for: output, isWide: true)
    try compute.multiply(output, into: logits)
    compute.softcap(logits, cap: configuration.logitSoftcap)
  }

  /// Lends one wanted row of logits, to be changed at will until the next run.
  package func withLogits<R>(
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
  let result: Matrix  // [tokens, embedding] what a layer adds to it
  private let parts: FloatBuffer
  // Where in `parts` attention has
  let query = 0  // [tokens, heads * headDim]
  let key: Int  // [tokens, kvHeads * headDim]
  let value: Int  // [tokens, kvHeads * headDim]
  let attended: Int  // [tokens, heads * headDim]
  // and the feed-forward network, which comes when they are used up, in their place
  let gate = 0  // [tokens, feedForward]
  let up: Int  // [tokens, feedForward]

  init(_ configuration: ModelConfiguration, tokens: Int) throws(InferenceError) {
    func buffer(_ count: Int) throws(InferenceError) -> FloatBuffer {
      try FloatBuffer(count: count, purpose: "a chunk of \(tokens) tokens")
    }
    let size = configuration.embeddingLength
    let heads = configuration.layers.map { $0.heads * $0.headDim }.max() ?? 0
    let keys = configuration.layers.map { $0.keyValueHeads * $0.headDim }.max() ?? 0
    let width = configuration.layers.map(\.feedForward).max() ?? 0
    self.tokens = tokens
    hidden = Matrix(try buffer(tokens * size), rows: tokens, columns: size)
    result = Matrix(try buffer(tokens * size), rows: tokens, columns: size)
    key = tokens * heads
    value = key + tokens * keys
    attended = value + tokens * keys
    up = tokens * width
    parts = try buffer(max(attended + tokens * heads, 2 * tokens * width))
  }

  func matrix(_ offset: Int, _ rows: Int, _ columns: Int) -> Matrix {
    Matrix(parts, offset: offset, rows: rows, columns: columns)
  }
}
