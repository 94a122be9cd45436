internal import ConstrainedDecoding
internal import Foundation
internal import Inference
internal import LanguageModels
internal import Tokenization

/// Answers one request of a session.
struct Responder: Sendable {
  let host: ModelHost
  let request: LanguageModelExecutorGenerationRequest
  let options: OnDeviceLanguageModel.Options

  typealias Channel = LanguageModelExecutorGenerationChannel

  /// Sends the response, and how the context window is filled before and after it.
  nonisolated(nonsending) func respond(into channel: Channel) async throws {
    // The place is taken before anything else, so that requests are answered as they come.
    let place = host.turns.enter()
    defer { place.leave() }
    let loaded = try await host.model()
    let prompt = try await loaded.composer.prompt(for: request)
    await channel.send(.contextUsage(prompt.usage))
    try checkRoom(prompt.usage)
    let shape = try ResponseShape(of: request, loaded.toolCalls, loaded.model.tokenizer)
    let generation = try await generationRequest(prompt, shape, loaded)
    try await place.wait()
    let stream = try await loaded.model.engine.generate(generation)
    var sender = ResponseSender(channel: channel, place: place, stream: stream)
    var reader = ResponseReader(shape, loaded.toolCalls, loaded.model.tokenizer)
    var tokens: [TokenID] = []
    for try await token in stream {
      tokens.append(token)
      try await sender.send(reader.append(token, guideStart: stream.guideStart), tokens: 1)
    }
    try await sender.send(reader.finish(guideStart: stream.guideStart), tokens: 0)
    try await sender.finish()
    var usage = prompt.usage
    usage.responses += stream.metrics.responseTokens
    await channel.send(.contextUsage(usage))
    if let written = sender.written(reader.writtenText, tokens, hasSchema: request.schema != nil),
      sender.calls.isEmpty || !loaded.toolCalls.isOfTemplate
    {
      await loaded.composer.remember(written)
    }
    try checkEnd(of: stream, contextSize: usage.contextSize)
    if reader.isCallMissing { throw cutCall(reader.writtenText) }
  }

  private func generationRequest(
    _ prompt: ComposedPrompt, _ shape: ResponseShape, _ loaded: LoadedModel
  ) async throws -> GenerationRequest {
    let tokenizer = loaded.model.tokenizer
    var generation = GenerationRequest(
      prompt: prompt.tokens, sampling: sampling(loaded),
      maximumTokens: request.generationOptions.maximumResponseTokens,
      timeLimit: options.timeLimit, endTokens: tokenizer.vocabulary.endOfGeneration,
      trigger: shape.trigger)
    generation.mayInterleave = true
    if let grammar = shape.grammar {
      generation.guide = GrammarGuide(
        grammar: try await loaded.model.compile(grammar), tokenizer: tokenizer)
    }
    return generation
  }

  /// How tokens are chosen: as the request says, else as the model's options or makers say.
  private func sampling(_ loaded: LoadedModel) -> SamplingOptions {
    var sampling = options.sampling ?? loaded.recommendedSampling ?? SamplingOptions()
    switch request.generationOptions.samplingMode?.kind {
    case nil: break
    case .greedy: sampling.temperature = 0
    case .randomTopK(let count, let seed):
      (sampling.topK, sampling.topP, sampling.minP) = (max(1, count), 1, 0)
      sampling.seed = seed
    case .randomProbabilityThreshold(let threshold, let seed):
      // A sum of 0, or one that a `Float` takes for 0, is reached by the likeliest token alone.
      let sum = threshold >= 0 ? max(Float(threshold), .leastNonzeroMagnitude) : Float(threshold)
      (sampling.topK, sampling.topP, sampling.minP) = (0, sum, 0)
      sampling.seed = seed
    }
    if let temperature = request.generationOptions.temperature,
      request.generationOptions.samplingMode?.kind != .greedy
    {
      sampling.temperature = Float(temperature)
    }
    return sampling
  }

  /// Refuses a prompt that leaves little room, where less of the history could be shown.
  ///
  /// - Throws: `LanguageModelError.contextSizeExceeded`.
  private func checkRoom(_ usage: LanguageModelSession.ContextUsage) throws {
    guard request.needsRoomForResponse else { return }
    let wanted = request.generationOptions.maximumResponseTokens ?? usage.contextSize / 4
    let room = min(wanted, usage.contextSize / 2)
    guard usage.free < room else { return }
    throw LanguageModelError.contextSizeExceeded(
      .init(
        contextSize: usage.contextSize, tokenCount: usage.used + room,
        debugDescription: "The prompt leaves too little room for the response."))
  }

  /// The error of a response that should be a call and ends before it is one.
  private func cutCall(_ text: String) -> GeneratedContent.ParsingError {
    GeneratedContent.ParsingError(
      rawContent: text,
      debugDescription: "the response ends before the call of a tool does; allow more tokens")
  }

  /// - Throws: `LanguageModelError.contextSizeExceeded` where the window was too small for the
  ///   response.
  private func checkEnd(of stream: TokenStream, contextSize: Int) throws {
    guard stream.finishReason == .contextFull, stream.outcome != .complete else { return }
    throw LanguageModelError.contextSizeExceeded(
      .init(
        contextSize: contextSize,
        tokenCount: stream.metrics.promptTokens + stream.metrics.responseTokens + 1,
        debugDescription: "The response has filled the window before its end."))
  }

  /// An error as sessions know it.
  static func sessionError(
    for error: any Error, _ entries: [Transcript.Entry], schemaName: String? = nil
  ) -> any Error {
    func unsupportedGuide(_ reason: String) -> LanguageModelError {
      .unsupportedGenerationGuide(
        .init(schemaName: schemaName, debugDescription: reason))
    }
    switch error {
    case let problem as SchemaProblem: return unsupportedGuide(problem.description)
    case let error as GrammarError: return unsupportedGuide(error.problem)
    case InferenceError.grammar(let error): return unsupportedGuide(error.problem)
    case InferenceError.contextSizeExceeded(let contextSize, let tokenCount):
      return LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: contextSize, tokenCount: tokenCount,
          debugDescription: "The prompt alone does not fit; nothing was computed."))
    case ChatTemplateError.cancelled: return CancellationError()
    case let error as ChatTemplateError:
      return LanguageModelError.unsupportedTranscriptContent(
        .init(
          unsupportedContent: entries, debugDescription: error.description))
    default: return error
    }
  }
}

/// Sends a response to its session, with what it has cost.
struct ResponseSender {
  let channel: LanguageModelExecutorGenerationChannel
  let place: TurnQueue.Place
  let stream: TokenStream
  let responseID = UUID().uuidString
  let callsID = UUID().uuidString
  /// The calls so far.
  private(set) var calls: [(id: String, name: String, arguments: String)] = []
  /// The text so far.
  private var text = ""
  /// Tokens that no event has told of.
  private var untold = 0

  init(
    channel: LanguageModelExecutorGenerationChannel, place: TurnQueue.Place, stream: TokenStream
  ) {
    self.channel = channel
    self.place = place
    self.stream = stream
  }

  /// Sends what was read.
  ///
  /// - Throws: `CancellationError`.
  nonisolated(nonsending) mutating func send(
    _ events: [CallReader.Event], tokens: Int
  ) async throws {
    untold += tokens
    for event in events {
      if text.isEmpty, calls.isEmpty { try await sendUsage(isWhole: false, of: event) }
      switch event {
      case .text(let piece):
        text += piece
        try await pass(
          .response(entryID: responseID, action: .appendText(piece, tokenCount: untold)))
      case .arguments(let index, let name, let text):
        // Identifiers of nine letters and digits are what the strictest templates take.
        if index == calls.count { calls.append((Self.identifier(), name, "")) }
        calls[index].arguments += text
        try await pass(
          .toolCalls(
            entryID: callsID,
            action: .toolCall(
              id: calls[index].id, name: name,
              action: .appendArguments(text, tokenCount: untold))))
      }
      untold = 0
    }
  }

  /// Sends the totals.
  ///
  /// - Throws: `CancellationError`.
  nonisolated(nonsending) mutating func finish() async throws {
    try await sendUsage(isWhole: true, of: nil)
  }

  private nonisolated(nonsending) func sendUsage(
    isWhole: Bool, of event: CallReader.Event?
  ) async throws {
    let metrics = stream.metrics
    let input = LanguageModelSession.Usage.Input(
      totalTokenCount: metrics.promptTokens, cachedTokenCount: metrics.cachedTokens ?? 0)
    let output = LanguageModelSession.Usage.Output(
      totalTokenCount: isWhole ? metrics.responseTokens : 0, reasoningTokenCount: 0)
    let isCall = if case .arguments? = event { true } else { event == nil && !calls.isEmpty }
    if isCall {
      try await pass(
        .toolCalls(entryID: callsID, action: .updateUsage(input: input, output: output)))
    } else {
      try await pass(
        .response(entryID: responseID, action: .updateUsage(input: input, output: output)))
    }
  }

  /// Sends an event; meanwhile somebody else may have the engine if the reader takes long.
  private nonisolated(nonsending) func pass(
    _ event: LanguageModelExecutorGenerationChannel.Event
  ) async throws {
    let channel = channel
    try await place.pausing { await channel.send(event) }
  }

  /// How the entries were written; nil where they do not say all of it.
  ///
  /// - Parameters:
  ///   - whole: the text of the response with the marks around calls.
  ///   - tokens: all its tokens.
  ///   - hasSchema: whether the text is a value.
  /// - Returns: the response, to be remembered.
  func written(_ whole: String, _ tokens: [TokenID], hasSchema: Bool) -> WrittenResponse? {
    var response = WrittenResponse(entryIDs: [], contents: [], text: whole, tokens: tokens)
    if !text.isEmpty {
      let value = hasSchema ? try? GeneratedContent(json: text) : GeneratedContent(text)
      guard let value else { return nil }
      response.entryIDs.append(responseID)
      response.contents.append(value)
    }
    if !calls.isEmpty {
      var contents: [(name: String, arguments: GeneratedContent)] = []
      for call in calls {
        guard let arguments = try? GeneratedContent(json: call.arguments) else { return nil }
        contents.append((call.name, arguments))
      }
      response.entryIDs.append(callsID)
      response.contents.append(.calls(contents))
    }
    return response.entryIDs.isEmpty ? nil : response
  }

  private static func identifier() -> String {
    String((0..<9).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "x" })
  }
}
