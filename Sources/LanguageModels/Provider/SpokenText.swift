/// A model that says what it is given, so that a known text can be read like any response.
struct SpokenText: LanguageModel {
  let text: String
  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([]) }
  var executorConfiguration: Executor.Configuration { .init() }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {}

    init(configuration: Configuration) {}

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: SpokenText,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      await channel.send(.response(action: .appendText(model.text, tokenCount: 0)))
    }
  }
}

extension LanguageModelSession.ResponseStream<String> {
  /// A stream of one text that is known.
  init(saying text: String) {
    self = LanguageModelSession(model: SpokenText(text: text)).streamResponse(to: "")
  }
}
