internal import Synchronization

/// One request on its way from the prompt to the end of the response.
///
/// The work is done in a task of its own, so that it can be ended from outside; whoever asks waits
/// for it. A streamed response is computed as it is read.
final class ResponseRun: Sendable {
  private struct State {
    var task: Task<ResponseState, any Error>?
    var assembler: ResponseAssembler
    /// The entries of earlier passes, with outputs of tools.
    var entries: [Transcript.Entry] = []
    /// What earlier passes have cost.
    var usage = LanguageModelSession.Usage()
    var lastContent: GeneratedContent?
    /// The entries as the reader has seen them.
    var readEntries: [Transcript.Entry] = []
    var readers = 0
    var hasBeenRead = false
    var isAbandoned = false
    /// Why the run was ended from outside, if not because nobody wants it any more.
    var cause: (any Error)?
    var isOver = false
  }

  private let session: LanguageModelSession
  let request: SessionRequest
  /// The request as it stands in the transcript.
  let entry: Transcript.Entry
  private let snapshots: Handoff<ResponseState>?
  private let id = GenerationID()
  private let state: Mutex<State>
  /// When this run may begin: the session gives it its place at once, but two must not work at a
  /// time.
  private let turn: Completion
  /// When the next run of the session may begin.
  let end = Completion()

  init(
    _ session: LanguageModelSession, _ request: SessionRequest, turn: Completion, isStreamed: Bool
  ) {
    self.session = session
    self.request = request
    entry = request.entry
    self.turn = turn
    snapshots = isStreamed ? Handoff() : nil
    state = Mutex(State(assembler: ResponseAssembler(schema: request.schema)))
  }

  // MARK: Asking

  /// The whole response, made without any snapshots.
  func response() async throws -> ResponseState {
    let task = start()
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      cancel()
    }
  }

  /// The next snapshot of the response, or nil when it is whole.
  func nextSnapshot(isolation actor: isolated (any Actor)?) async throws -> ResponseState? {
    _ = start()
    let snapshot = try await withTaskCancellationHandler {
      try await snapshots?.next(isolation: actor)
    } onCancel: {
      cancel()
    }
    if let snapshot { state.withLock { $0.readEntries = Array(snapshot.entries) } }
    return snapshot
  }

  private func start() -> Task<ResponseState, any Error> {
    state.withLock { state in
      if let task = state.task { return task }
      let task = Task { try await self.perform() }
      if state.isAbandoned { task.cancel() }
      state.task = task
      return task
    }
  }

  // MARK: Ending from outside

  /// Stops the work; the run ends with `cause`, or with `CancellationError`.
  func cancel(_ cause: (any Error)? = nil) {
    snapshots?.discard()
    let task = state.withLock { state in
      if state.cause == nil { state.cause = cause }
      return state.task
    }
    task?.cancel()
  }

  /// Whether nobody reads the response now, though somebody did.
  var isDetached: Bool {
    state.withLock { $0.isAbandoned || ($0.hasBeenRead && $0.readers == 0) }
  }

  /// Somebody reads the response.
  func attach() {
    state.withLock { state in
      state.readers += 1
      state.hasBeenRead = true
    }
    session.runDidAttach(self)
  }

  /// One reader has stopped; the run waits for another.
  func detach() {
    let read: [Transcript.Entry]? = state.withLock { state in
      state.readers -= 1
      return state.readers == 0 && !state.isOver ? state.readEntries : nil
    }
    guard let read else { return }
    session.publish(read, of: self)
    session.runDidDetach(self)
  }

  /// Nobody will ask for more: the run ends, and what was read of the response stays.
  func abandon() {
    let isUnused = state.withLock { state in
      state.isAbandoned = true
      return state.task == nil && !state.isOver
    }
    cancel()
    if isUnused { _ = start() }
  }
}

// MARK: Working

extension ResponseRun {
  @concurrent
  private func perform() async throws -> ResponseState {
    var result: Result<ResponseState, any Error>
    do {
      await turn.wait()
      try Task.checkCancellation()
      session.begin(self)
      result = .success(
        try await SessionPropertyValues.$current.withValue(session.properties) {
          try await passes()
        })
    } catch {
      result = .failure(reason(for: error))
    }
    let read: [Transcript.Entry]? = state.withLock { state in
      state.isOver = true
      return state.isAbandoned && !state.readEntries.isEmpty ? state.readEntries : nil
    }
    result = session.end(self, result, read ?? entriesSoFar, usage, isPartlyRead: read != nil)
    snapshots?.finish(result.map { _ in })
    end.reach(after: turn)
    return try result.get()
  }

  private func reason(for error: any Error) -> any Error {
    if let cause = state.withLock({ $0.cause }) { return cause }
    return Task.isCancelled ? CancellationError() : error
  }

  /// Asks the model and calls tools, until it answers without calling any.
  private func passes() async throws -> ResponseState {
    let plan = await session.plans.activatedPlan()
    if case .prompt(let prompt) = entry { try await plan.hooks.tell(prompt) }
    while true {
      let plan = try await pass()
      try Task.checkCancellation()
      let (entries, calls) = try state.withLock { state in
        (state.assembler.entries, try state.assembler.toolCalls())
      }
      try await plan.hooks.tell(entries, isLast: calls.isEmpty)
      if calls.isEmpty {
        let whole = try finalState()
        showEnd(whole)
        return whole
      }
      session.publish(entriesSoFar, of: self)
      let outputs = try await plan.toolbox.outputs(of: calls, plan.hooks)
      state.withLock { state in
        state.entries += state.assembler.entries + outputs.map(Transcript.Entry.toolOutput)
        state.usage = state.usage + state.assembler.usage
        state.assembler = ResponseAssembler(schema: request.schema)
      }
      session.publish(entriesSoFar, of: self)
    }
  }

  /// Asks the model once; with less of the history where that is allowed and the window too small.
  private func pass() async throws -> RequestPlan {
    while true {
      let plan = await session.plans.activatedPlan()
      let generation = try session.generationRequest(for: self, plan)
      do {
        try await plan.model.respond(
          to: generation, streamingInto: LanguageModelExecutorGenerationChannel(self))
        return plan
      } catch let error as LanguageModelError {
        guard case .contextSizeExceeded = error, state.withLock({ $0.assembler.isEmpty }),
          session.omitOldestTurns(before: self)
        else { throw error }
      }
    }
  }

  private func finalState() throws -> ResponseState {
    let content = try state.withLock { state in
      let content = state.assembler.responseContent(id: id, hasEnded: true)
      guard request.schema != nil else {
        return content ?? GeneratedContent(kind: .string(""), id: id)
      }
      guard let content, content.isComplete else {
        throw GeneratedContent.ParsingError(
          rawContent: state.assembler.responseText ?? "",
          debugDescription: "the response ends before the value does")
      }
      return content
    }
    try request.check(content)
    return ResponseState(content: content, entries: entriesSoFar[...], usage: usage)
  }

  /// Shows the reader a value that only the end of the response has made whole, such as a number.
  private func showEnd(_ whole: ResponseState) {
    guard request.schema != nil, whole.content != state.withLock({ $0.lastContent }) else { return }
    _ = snapshots?.enqueue(whole)
  }

  /// Takes one event of the executor, and waits while the reader is behind.
  func receive(_ event: LanguageModelExecutorGenerationChannel.Event) async {
    let ticket = state.withLock { state in
      guard !state.isOver else { return Int?.none }
      guard case .response = state.assembler.apply(event), let snapshots,
        let content = state.assembler.responseContent(id: id, hasEnded: false),
        content != state.lastContent
      else { return nil }
      state.lastContent = content
      let entries = state.entries + state.assembler.entries
      return snapshots.enqueue(
        ResponseState(
          content: content, entries: entries[...], usage: state.usage + state.assembler.usage))
    }
    if case .contextUsage(let usage) = event.kind { session.setContextUsage(usage, of: self) }
    await snapshots?.untilTaken(ticket)
  }

  private var entriesSoFar: [Transcript.Entry] {
    state.withLock { $0.entries + $0.assembler.entries }
  }

  private var usage: LanguageModelSession.Usage {
    state.withLock { $0.usage + $0.assembler.usage }
  }
}
