package import GGUF

internal import Foundation

extension ModelConfiguration {
  /// Architectures that can run, by their name in the file.
  package static var supportedArchitectures: [String] { ModelFamily.allCases.map(\.rawValue) }

  /// Reads and range-checks the hyper-parameters of a model file.
  ///
  /// - Throws: `unsupportedArchitecture`, `invalidHyperparameter` naming the key, `missingTensor`,
  ///   or `file` for a value of the wrong type.
  package init(_ file: GGUFFile) throws(InferenceError) {
    let reader = HyperparameterReader(file)
    let named = try reader.string("general.architecture")
    guard let named else {
      throw .invalidHyperparameter(
        key: "general.architecture", reason: "missing; this is not a model")
    }
    guard let family = ModelFamily(rawValue: named) else {
      throw .unsupportedArchitecture(name: named, supported: Self.supportedArchitectures)
    }
    let keys = HyperparameterReader(file, prefix: named)

    let layerCount = try keys.required("block_count", in: 1...512)
    let embeddingLength = try keys.required("embedding_length", in: 1...(1 << 17))
    let heads = try keys.perLayer("attention.head_count", layerCount, in: 1...1024)
    let keyValueHeads =
      try keys.optionalPerLayer("attention.head_count_kv", layerCount, in: 1...1024) ?? heads
    let feedForward = try keys.perLayer("feed_forward_length", layerCount, in: 1...(1 << 20))
    let headDim =
      try keys.integer("attention.key_length", in: 1...1024) ?? embeddingLength / heads[0]
    let valueDim = try keys.integer("attention.value_length", in: 1...1024) ?? headDim
    guard headDim > 0, headDim % 2 == 0, headDim == valueDim else {
      throw .invalidHyperparameter(
        key: "\(named).attention.key_length",
        reason: "head sizes \(headDim) and \(valueDim) must be equal and even")
    }

    architecture = named
    name = try reader.string("general.name")
    self.embeddingLength = embeddingLength
    vocabularySize = try Self.vocabularySize(file, embeddingLength: embeddingLength)
    trainedContextSize = try keys.required("context_length", in: 1...(1 << 24))
    normEpsilon = try keys.requiredFloat("attention.layer_norm_rms_epsilon", in: 0...1)
    ropes = try keys.ropes(family, headDim: headDim)
    activation = family.isGemma ? .gelu : .silu
    embeddingScale = family.isGemma ? Float(embeddingLength).squareRoot() : 1
    hasHeadNorms = family.hasHeadNorms
    hasPostNorms = family.isGemma
    logitSoftcap = try keys.softcap("final_logit_softcapping", default: family == .gemma2 ? 30 : 0)
    let attentionSoftcap = try keys.softcap(
      "attn_logit_softcapping", default: family == .gemma2 ? 50 : 0)
    let window = try keys.integer("attention.sliding_window", in: 0...(1 << 24))
    let pattern =
      try keys.integer("attention.sliding_window_pattern", in: 1...512) ?? family.defaultPattern

    layers = []
    for index in 0..<layerCount {
      guard heads[index] % keyValueHeads[index] == 0 else {
        throw .invalidHyperparameter(
          key: "\(named).attention.head_count_kv",
          reason: "\(heads[index]) heads do not divide into \(keyValueHeads[index]) groups")
      }
      let isLocal = family.isLocal(layer: index, pattern: pattern)
      layers.append(
        LayerConfiguration(
          heads: heads[index], keyValueHeads: keyValueHeads[index], headDim: headDim,
          feedForward: feedForward[index],
          window: isLocal ? window ?? family.defaultWindow : 0,
          rope: isLocal ? ropes.count - 1 : 0,
          attentionScale: Self.attentionScale(
            family, layerCount: layerCount, embeddingLength: embeddingLength, heads: heads[index],
            headDim: headDim),
          attentionSoftcap: attentionSoftcap))
    }
  }

  /// The vocabulary's size is that of the embedding table; `vocab_size` is often absent.
  private static func vocabularySize(
    _ file: GGUFFile, embeddingLength: Int
  ) throws(InferenceError) -> Int {
    let name = "token_embd.weight"
    guard let table = file.tensor(named: name) else { throw .missingTensor(name: name) }
    guard table.dimensions.count == 2, table.dimensions[0] == embeddingLength,
      (1...(1 << 24)).contains(table.dimensions[1])
    else {
      throw .tensorShape(
        name: name, expected: [embeddingLength, -1], found: table.dimensions)
    }
    return table.dimensions[1]
  }

  /// Scores are divided by the root of the head size, in the largest Gemma models by that of the
  /// embedding's share of a head (their `query_pre_attn_scalar`, which files do not carry).
  private static func attentionScale(
    _ family: ModelFamily, layerCount: Int, embeddingLength: Int, heads: Int, headDim: Int
  ) -> Float {
    let is27B =
      family == .gemma2 && layerCount == 46 || family == .gemma3 && layerCount == 62
    let size = is27B ? Double(embeddingLength) / Double(heads) : Double(headDim)
    return Float(1 / size.squareRoot())
  }
}
