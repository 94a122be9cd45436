import Foundation
import FoundationModels

/// A model of another provider, made of nothing but what the framework offers.
struct EchoModel: LanguageModel {
  var prefix = ""

  var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities(capabilities: [.guidedGeneration, .toolCalling, .reasoning])
  }
  var executorConfiguration: Executor.Configuration { .init(prefix: prefix) }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {
      var prefix: String
    }

    typealias Model = EchoModel

    let prefix: String

    init(configuration: Configuration) throws { prefix = configuration.prefix }

    func prewarm(model: EchoModel, transcript: Transcript) {}

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: EchoModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      var question = ""
      for case .prompt(let prompt) in request.transcript {
        question = prompt.segments.compactMap { segment in
          if case .text(let text) = segment { text.content } else { nil }
        }.joined()
      }
      if request.generationOptions.toolCallingMode == .required,
        let tool = request.enabledToolDefinitions.first
      {
        await channel.send(
          .toolCalls(
            entryID: "calls",
            action: .toolCall(
              id: "1", name: tool.name, action: .appendArguments(question, tokenCount: 3))))
        return
      }
      if request.contextOptions.reasoningLevel != nil {
        await channel.send(.reasoning(action: .appendText("Hm.", tokenCount: 1)))
        await channel.send(.reasoning(action: .updateSignature(Data([1]), tokenCount: 1)))
      }
      let answer = request.schema == nil ? prefix + question : question
      await channel.send(.response(action: .appendText(answer, tokenCount: 2)))
      await channel.send(.response(entryID: nil, action: .updateMetadata(["id": "echo"])))
      await channel.send(
        .response(
          action: .updateUsage(
            input: .init(totalTokenCount: 10, cachedTokenCount: 4),
            output: .init(totalTokenCount: 2, reasoningTokenCount: 0))))
    }
  }
}

extension LanguageModel where Self == EchoModel {
  /// For code that says `model: .echo`.
  static var echo: EchoModel { EchoModel() }
}
