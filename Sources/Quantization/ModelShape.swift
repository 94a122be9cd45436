/// The sizes of a model of architecture `llama`.
package struct ModelShape: Equatable, Sendable {
  package var layers: Int
  package var embedding: Int
  package var heads: Int
  package var keyValueHeads: Int
  package var feedForward: Int
  package var vocabulary: Int
  /// Whether the embedding table also makes the logits.
  package var isTied: Bool
  package var context: Int
  package var ropeBase: Float

  package init(
    layers: Int, embedding: Int, heads: Int, keyValueHeads: Int, feedForward: Int,
    vocabulary: Int, isTied: Bool = false, context: Int = 8192, ropeBase: Float = 10_000
  ) {
    self.layers = layers
    self.embedding = embedding
    self.heads = heads
    self.keyValueHeads = keyValueHeads
    self.feedForward = feedForward
    self.vocabulary = vocabulary
    self.isTied = isTied
    self.context = context
    self.ropeBase = ropeBase
  }

  /// The shapes that have a name.
  package static let named: [(name: String, shape: ModelShape)] = [
    (
      "1.1b",
      ModelShape(
        layers: 22, embedding: 2048, heads: 32, keyValueHeads: 4, feedForward: 5632,
        vocabulary: 32_000)
    ),
    (
      "3b",
      ModelShape(
        layers: 28, embedding: 3072, heads: 24, keyValueHeads: 8, feedForward: 8192,
        vocabulary: 128_256, isTied: true, ropeBase: 500_000)
    ),
  ]

  /// - Throws: `invalidShape` where the sizes do not belong together or are beyond any model.
  func check() throws(QuantizationError) {
    let sizes = [
      ("layers", layers, 1...512), ("embedding", embedding, 2...1 << 20),
      ("heads", heads, 1...4096),
      ("kv-heads", keyValueHeads, 1...4096), ("ffn", feedForward, 1...1 << 22),
      ("vocabulary", vocabulary, RandomVocabulary.smallest...1 << 22),
      ("context", context, 1...1 << 24),
    ]
    for (name, size, range) in sizes where !range.contains(size) {
      throw .invalidShape(
        reason: "\(name) is \(size), not from \(range.lowerBound) to \(range.upperBound)")
    }
    guard embedding.isMultiple(of: 2 * heads) else {
      throw .invalidShape(
        reason: "an embedding of \(embedding) does not divide into \(heads) heads of even size")
    }
    guard heads.isMultiple(of: keyValueHeads) else {
      throw .invalidShape(reason: "\(heads) heads do not divide into \(keyValueHeads) groups")
    }
  }
}
