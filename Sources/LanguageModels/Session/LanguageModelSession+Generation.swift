internal import Foundation
internal import Observation
internal import Synchronization

// What a model is asked.

extension LanguageModelSession {
  /// What the model is asked next for a request that has begun.
  ///
  /// - Throws: ``LanguageModelError`` for what the model cannot do; what a transform of the history
  ///   throws; `CancellationError` where the transcript is no longer that of the request.
  func generationRequest(
    for run: ResponseRun, _ plan: RequestPlan
  ) throws -> LanguageModelExecutorGenerationRequest {
    let request = run.request
    let options = plan.options(for: request)
    let isAllowed = options.toolCallingMode != .disallowed
    var generation = LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: try shownTranscript(for: run, plan),
      enabledTools: isAllowed ? plan.toolbox.definitions : [], schema: request.schema,
      generationOptions: options, contextOptions: plan.contextOptions(for: request),
      metadata: request.metadata)
    generation.needsRoomForResponse = state.withLock { $0.oldestTurns(before: run) != nil }
    try check(generation, plan.model)
    let executor = plan.model.sharedExecutor()
    state.withLock { state in
      state.executor = executor
      state.profilePolicy = plan.transcriptErrorHandlingPolicy
    }
    return generation
  }

  private func check(
    _ request: LanguageModelExecutorGenerationRequest, _ model: any LanguageModel
  ) throws {
    func need(_ capability: LanguageModelCapabilities.Capability, _ reason: String) throws {
      guard !model.capabilities.contains(capability) else { return }
      throw LanguageModelError.unsupportedCapability(
        .init(capability: capability, debugDescription: reason))
    }
    if let schema = request.schema {
      try need(.guidedGeneration, "The request has a schema, which the model cannot follow.")
      try check(schema)
    }
    for definition in request.enabledToolDefinitions {
      try need(.toolCalling, "The session has tools, which the model cannot call.")
      try check(definition.parameters)
    }
    if request.generationOptions.toolCallingMode == .required,
      request.enabledToolDefinitions.isEmpty
    {
      throw LanguageModelError.unsupportedCapability(
        .init(
          capability: .toolCalling,
          debugDescription: "The request requires calls of tools, and the session has no tools."))
    }
    if request.contextOptions.reasoningLevel != nil {
      try need(.reasoning, "The request sets a level of reasoning, and the model does not reason.")
    }
    let hasAttachment = request.transcript.contains { entry in
      entry.segments.contains { if case .attachment = $0 { true } else { false } }
    }
    if hasAttachment {
      try need(.vision, "The transcript has an image, which the model cannot look at.")
    }
  }

  private func check(_ schema: GenerationSchema) throws {
    guard let problem = schema.problem else { return }
    throw LanguageModelError.unsupportedGenerationGuide(
      .init(schemaName: problem.schemaName, debugDescription: problem.description))
  }

  /// The transcript as the model is shown it.
  private func shownTranscript(for run: ResponseRun, _ plan: RequestPlan) throws -> Transcript {
    let (transcript, start, omitted, policy) = try state.withLock { state in
      guard let begun = state.begun, begun.run === run else { throw CancellationError() }
      return (state.transcript, begun.at, state.omitted, state.historyPolicy)
    }
    let historyStart = min(transcript.history.startIndex, start)
    let history = Array(transcript[historyStart..<start])
    var shown =
      switch policy?.kind {
      case nil: history
      case .dropOldestTurns: history.filter { !omitted.contains($0.id) }
      case .transform(let transform): try transform(history)
      }
    for transform in plan.hooks.historyTransforms { shown = transform(shown) }
    let ids = Set(shown.map(\.id))
    let left = history.filter { !ids.contains($0.id) }
    if left != state.withLock({ $0.omittedEntries }) {
      changing(\.omittedEntries) { $0.omittedEntries = left }
    }
    var whole = transcript
    whole.replaceSubrange(historyStart..<start, with: shown)
    if let instructions = plan.instructionsEntry { whole.insert(instructions, at: 0) }
    return whole
  }

  /// Leaves out more of the history, where the policy says so and there is more.
  func omitOldestTurns(before run: ResponseRun) -> Bool {
    state.withLock { state in
      guard let oldest = state.oldestTurns(before: run) else { return false }
      state.omitted.formUnion(oldest)
      return true
    }
  }
}

extension LanguageModelSession.State {
  /// What the policy allows to leave out next; nil where it allows nothing or nothing is left.
  fileprivate func oldestTurns(before run: ResponseRun) -> [String]? {
    guard case .dropOldestTurns(let count)? = historyPolicy?.kind, let begun, begun.run === run
    else { return nil }
    let history = transcript[..<begun.at].dropFirst(transcript.history.startIndex)
      .filter { !omitted.contains($0.id) }
    guard !history.isEmpty else { return nil }
    var turns = 0
    let oldest = history.prefix { entry in
      if case .prompt = entry { turns += 1 }
      return turns <= count
    }
    return oldest.map(\.id)
  }
}

extension LanguageModelSession {
  /// Gets the model ready for a request that comes soon, and returns at once.
  ///
  /// It is loaded, and reads instructions, tools and what is known of the prompt. This pays if the
  /// request is at least a second away. A model that cannot be made ready says so at the request.
  ///
  /// - Parameter promptPrefix: how the prompt will begin.
  public func prewarm(promptPrefix: Prompt? = nil) {
    var transcript = state.withLock { $0.transcript }
    if let promptPrefix {
      transcript.append(.prompt(Transcript.Prompt(segments: promptPrefix.segments)))
    }
    // Making an executor may take time; the caller may be the main thread.
    Task.detached { [transcript] in await self.prewarm(transcript) }
  }

  private func prewarm(_ transcript: Transcript) async {
    let plan = await SessionPropertyValues.$current.withValue(properties) { await plans.plan() }
    let executor = plan.model.sharedExecutor()
    state.withLock { $0.executor = executor }
    var transcript = transcript
    if let instructions = plan.instructionsEntry { transcript.insert(instructions, at: 0) }
    try? plan.model.prewarm(transcript)
  }
}
