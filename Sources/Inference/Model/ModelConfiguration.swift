internal import GGUF

/// The function between the two halves of a gated feed-forward layer.
package enum Activation: Sendable {
  case silu
  case gelu
}

/// One transformer layer's shape and the choices in which layers of a model differ.
package struct LayerConfiguration: Sendable {
  package var heads: Int
  package var keyValueHeads: Int
  package var headDim: Int
  package var feedForward: Int
  /// 0, or W, so that a token at position p sees positions p-W+1 to p.
  package var window = 0
  /// Which of the model's rotary embeddings this layer uses.
  package var rope = 0
  package var attentionScale: Float
  /// 0, or c: a score s becomes c * tanh(s / c).
  package var attentionSoftcap: Float = 0

  /// Bytes of the layer's keys and values of one token.
  package func keyValueBytesPerToken(_ type: KeyValueType) -> Int {
    2 * keyValueHeads * headDim * type.byteCount
  }
}

/// What a model's header says about its arithmetic; families differ in fields, not in code.
package struct ModelConfiguration: Sendable {
  package var architecture: String
  package var name: String?
  package var embeddingLength: Int
  package var vocabularySize: Int
  package var trainedContextSize: Int
  package var normEpsilon: Float
  package var layers: [LayerConfiguration]
  package var ropes: [RoPEConfiguration]
  package var activation = Activation.silu
  package var embeddingScale: Float = 1
  /// 0, or c: a logit l becomes c * tanh(l / c).
  package var logitSoftcap: Float = 0
  /// RMSNorm of every query and key head before RoPE.
  package var hasHeadNorms = false
  /// A second norm after attention and after the feed-forward, before the residual sum.
  package var hasPostNorms = false

  /// The largest context size that may be asked for: what the model was trained on.
  package var maximumContextSize: Int { trainedContextSize }

  /// Bytes of keys and values that one token takes in the cache.
  package func keyValueBytesPerToken(_ type: KeyValueType) -> Int {
    layers.reduce(0) { $0 + $1.keyValueBytesPerToken(type) }
  }
}
