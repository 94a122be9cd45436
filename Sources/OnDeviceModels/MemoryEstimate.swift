public import GGUF
public import Inference

/// What a model will take of this machine's memory, from the file's header alone.
public struct MemoryEstimate: Sendable, Equatable {
  /// Bytes of the weights that are used where a file maps them, the model's or its cache.
  ///
  /// They are clean pages, which the system can drop and read again; but every token touches all
  /// of them.
  public var mapped: Int
  /// Bytes of the weights that are copied in another order, and whose pages of the file are not
  /// needed after that.
  public var copied: Int
  /// Tokens of context that the estimate is for.
  public var contextSize: Int
  /// Bytes of the KV cache when the context is full.
  public var keyValueCache: Int
  /// Bytes of logits, the intermediate results of one prefill chunk, and position tables.
  public var scratch: Int

  /// Bytes that the system cannot drop.
  public var dirty: Int { copied + keyValueCache + scratch }
  /// All of it.
  public var total: Int { mapped + dirty }

  /// The estimate for a model file at a context size.
  ///
  /// - Parameters:
  ///   - file: an open model file.
  ///   - contextSize: tokens; nil takes the default for the model.
  ///   - prefillChunk: tokens computed at once.
  ///   - weightLayout: where the weights will be.
  ///   - keyValueType: what keys and values are kept in.
  /// - Throws: `InferenceError` when the file is not a model that this engine can run.
  public init(
    file: GGUFFile, contextSize: Int? = nil, prefillChunk: Int = EngineOptions().prefillChunk,
    weightLayout: WeightLayout = EngineOptions().weightLayout,
    keyValueType: KeyValueType = EngineOptions().keyValueType
  ) throws(InferenceError) {
    let configuration = try ModelConfiguration(file)
    let limit = configuration.maximumContextSize
    if let contextSize, !(1...limit).contains(contextSize) {
      throw .contextTooLarge(requested: contextSize, limit: limit)
    }
    self.init(
      configuration, weightBytes: file.tensorByteCount, contextSize: contextSize,
      prefillChunk: prefillChunk, keyValueType: keyValueType)
    if weightLayout == .interleaved { copied = TransformerModel.interleavedByteCount(of: file) }
    mapped -= copied
  }

  package init(
    _ configuration: ModelConfiguration, weightBytes: Int, contextSize: Int?, prefillChunk: Int,
    keyValueType: KeyValueType
  ) {
    let contextSize = contextSize ?? configuration.defaultContextSize
    mapped = weightBytes
    copied = 0
    self.contextSize = contextSize
    keyValueCache = configuration.keyValueBytesPerToken(keyValueType) * contextSize
    // Floats of one token: residual stream and norm, queries and their result, keys and values,
    // both halves of the feed-forward.
    var widest = 0
    for layer in configuration.layers {
      let heads = 2 * (layer.heads + layer.keyValueHeads) * layer.headDim
      widest = max(widest, 2 * configuration.embeddingLength + heads + 2 * layer.feedForward)
    }
    let angles = configuration.ropes.reduce(0) { $0 + $1.dimensions } * contextSize
    let chunk = min(prefillChunk, contextSize) * widest
    scratch = 4 * (chunk + angles + configuration.vocabularySize)
  }
}

extension ModelConfiguration {
  /// The context size unless one is asked for.
  package var defaultContextSize: Int {
    min(trainedContextSize, EngineOptions.defaultContextLimit)
  }
}
