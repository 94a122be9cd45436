/// Generation options in a saved transcript.
struct SavedOptions: Codable {
  private struct Sampling: Codable {
    enum Kind: String, Codable {
      case greedy, topK, probabilityThreshold
    }

    var type: Kind
    var k: Int?
    var threshold: Double?
    var seed: UInt64?
  }

  private var samplingMode: Sampling?
  private var temperature: Double?
  private var maximumResponseTokens: Int?
  private var toolCallingMode: String?

  init(_ options: GenerationOptions) {
    samplingMode = options.samplingMode.map { mode in
      switch mode.kind {
      case .greedy: Sampling(type: .greedy)
      case .randomTopK(let k, let seed): Sampling(type: .topK, k: k, seed: seed)
      case .randomProbabilityThreshold(let threshold, let seed):
        Sampling(type: .probabilityThreshold, threshold: threshold, seed: seed)
      }
    }
    temperature = options.temperature
    maximumResponseTokens = options.maximumResponseTokens
    toolCallingMode = options.toolCallingMode?.kind.rawValue
  }

  var options: GenerationOptions {
    GenerationOptions(
      samplingMode: samplingMode.map { mode in
        switch mode.type {
        case .greedy: .greedy
        case .topK: .random(top: mode.k ?? 1, seed: mode.seed)
        case .probabilityThreshold:
          .random(probabilityThreshold: mode.threshold ?? 1, seed: mode.seed)
        }
      },
      temperature: temperature, maximumResponseTokens: maximumResponseTokens,
      toolCallingMode: toolCallingMode.flatMap(GenerationOptions.ToolCallingMode.init))
  }
}

/// Context options in a saved transcript.
struct SavedContextOptions: Codable {
  private var includeSchemaInPrompt: Bool?
  private var reasoningLevel: String?

  init(_ options: ContextOptions) {
    includeSchemaInPrompt = options.includeSchemaInPrompt
    reasoningLevel = options.reasoningLevel?.name
  }

  var options: ContextOptions {
    ContextOptions(
      includeSchemaInPrompt: includeSchemaInPrompt,
      reasoningLevel: reasoningLevel.map(ContextOptions.ReasoningLevel.init))
  }
}
