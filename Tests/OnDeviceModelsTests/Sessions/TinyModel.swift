import Foundation
import Inference
import LanguageModels
import OnDeviceModels
import TestSupport
import Testing

/// A tiny model with random weights: what it says is noise, so that only guides give it a shape.
enum TinyModel {
  static let path = TestData.fixtures.appending(path: "arch/llama.gguf")
    .path(percentEncoded: false)

  /// Tests that look at what is loaded or cached take a context size of their own, and with it a
  /// loaded model of their own.
  static func model(
    contextSize: Int? = nil, sampling: SamplingOptions = .greedy, timeLimit: Duration? = nil
  ) -> OnDeviceLanguageModel {
    OnDeviceLanguageModel(
      file: path,
      options: .init(
        contextSize: contextSize, threads: 1, sampling: sampling, template: .chatML,
        timeLimit: timeLimit))
  }

  /// The same file without sessions, for expected values.
  static func plain(contextSize: Int? = nil) async throws -> OnDeviceModel {
    try await OnDeviceModel.load(
      file: path, options: EngineOptions(contextSize: contextSize, threads: 1), template: .chatML)
  }

  /// Samples far off from what the model would say.
  static func hot(_ seed: UInt64) -> SamplingOptions {
    SamplingOptions(temperature: 4, topK: 0, topP: 1, minP: 0, seed: seed)
  }
}

extension Transcript {
  /// The kinds of the entries, for short.
  var kinds: [String] {
    map { entry in
      switch entry {
      case .instructions: "instructions"
      case .prompt: "prompt"
      case .toolCalls: "toolCalls"
      case .toolOutput: "toolOutput"
      case .response: "response"
      case .reasoning: "reasoning"
      }
    }
  }
}

/// At most so many tokens.
func atMost(_ tokens: Int) -> LanguageModels.GenerationOptions {
  LanguageModels.GenerationOptions(maximumResponseTokens: tokens)
}
