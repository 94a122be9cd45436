public import Observation
internal import Synchronization

/// A conversation with a model, which keeps what was said.
///
/// One request at a time: a second one fails with ``Error/concurrentRequests`` while
/// ``isResponding`` is true. A request that fails or is cancelled leaves the transcript as it was,
/// unless ``transcriptErrorHandlingPolicy`` says otherwise. The model is loaded at the first
/// request, or by ``prewarm(promptPrefix:)``, never on the caller's thread.
///
/// A session with dynamic instructions or a profile asks these anew at each request; its transcript
/// then holds no instructions.
public final class LanguageModelSession: Sendable {
  struct State {
    var transcript: Transcript
    var usage = Usage()
    var contextUsage: ContextUsage?
    var isResponding = false
    var transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy?
    var historyPolicy: HistoryPolicy?
    var errorFamily = LanguageModelSession.defaultErrorFamily
    /// Entries that the model is no longer shown.
    var omitted: Set<String> = []
    var omittedEntries: [Transcript.Entry] = []
    /// The request that has the session, until it has ended.
    var run: ResponseRun?
    /// When all requests so far have ended.
    var end = Completion.reached
    /// The request that is being answered, where its prompt stands, and what was before.
    var begun: (run: ResponseRun, at: Int, contextUsage: ContextUsage?)?
    /// The executor of the model, held so that it stays loaded.
    var executor: (any ExecutorHolding)?
    /// The policy of the profile that holds.
    var profilePolicy: TranscriptErrorHandlingPolicy?
  }

  let plans: PlanSource
  let state: Mutex<State>
  /// What the session shares with its instructions, profiles and tools.
  public let properties = SessionPropertyValues()
  private let registrar = ObservationRegistrar()

  init(_ plans: PlanSource, _ transcript: Transcript) {
    self.plans = plans
    state = Mutex(State(transcript: transcript))
    properties.belong(to: self)
  }

  convenience init(
    _ model: any LanguageModel, _ tools: [any Tool], instructions: Instructions?
  ) {
    let toolbox = Toolbox(tools)
    let entry = Transcript.Instructions(
      segments: instructions?.segments ?? [], toolDefinitions: toolbox.definitions)
    let isNeeded = !entry.segments.isEmpty || !entry.toolDefinitions.isEmpty
    let plan = RequestPlan(model: model, toolbox: toolbox)
    self.init(.fixed(plan), Transcript(entries: isNeeded ? [.instructions(entry)] : []))
  }
}

extension LanguageModelSession: Observable {
  private func observed<Value, Result>(
    _ keyPath: any KeyPath<LanguageModelSession, Value> & Sendable,
    _ read: (borrowing State) -> Result
  ) -> Result {
    registrar.access(self, keyPath: keyPath)
    return state.withLock { read($0) }
  }

  func changing<Value, Result: Sendable>(
    _ keyPath: any KeyPath<LanguageModelSession, Value> & Sendable,
    _ change: (inout State) -> Result
  ) -> Result {
    registrar.withMutation(of: self, keyPath: keyPath) { state.withLock { change(&$0) } }
  }
}

// MARK: Properties

extension LanguageModelSession {
  /// All that was said, in order.
  ///
  /// A request adds its prompt when it begins, calls and outputs of tools as they are there, and
  /// the response when it is whole. Setting the transcript while a request is being answered ends
  /// the request with ``Error/transcriptMutationWhileResponding``.
  public var transcript: Transcript {
    get { observed(\.transcript) { $0.transcript } }
    set {
      let run = changing(\.transcript) { state in
        state.transcript = newValue
        // What the request does from here on is no longer part of the transcript.
        defer { state.begun = nil }
        return state.begun?.run
      }
      run?.cancel(Error.transcriptMutationWhileResponding)
    }
  }

  /// Whether a request is being answered.
  public var isResponding: Bool { observed(\.isResponding) { $0.isResponding } }

  /// What all requests together have cost, also those that failed.
  public var usage: Usage { observed(\.usage) { $0.usage } }

  /// How the context window is filled, as of the last request; nil before the first one.
  ///
  /// Only models that count say so; those on this device do.
  public var contextUsage: ContextUsage? { observed(\.contextUsage) { $0.contextUsage } }

  /// What becomes of the transcript when a request fails; nil reverts it.
  public var transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy? {
    get { observed(\.transcriptErrorHandlingPolicy) { $0.transcriptErrorHandlingPolicy } }
    set {
      changing(\.transcriptErrorHandlingPolicy) { $0.transcriptErrorHandlingPolicy = newValue }
    }
  }

  /// What of a long history the model is still shown; nil shows all, and fails where it is too long.
  public var historyPolicy: HistoryPolicy? {
    get { observed(\.historyPolicy) { $0.historyPolicy } }
    set { changing(\.historyPolicy) { $0.historyPolicy = newValue } }
  }

  /// The entries of the transcript that the model was not shown at the last request.
  public var omittedEntries: [Transcript.Entry] {
    observed(\.omittedEntries) { $0.omittedEntries }
  }

  /// Which types of errors requests of this session throw.
  public var errorFamily: ErrorFamily {
    get { observed(\.errorFamily) { $0.errorFamily } }
    set { changing(\.errorFamily) { $0.errorFamily = newValue } }
  }
}
