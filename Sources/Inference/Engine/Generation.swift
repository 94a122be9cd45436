internal import ConstrainedDecoding
internal import Synchronization
internal import Tokenization

/// What a generation has cost so far.
public struct GenerationMetrics: Sendable, Equatable {
  /// Tokens of the prompt.
  public package(set) var promptTokens = 0
  /// Those of them that the KV cache already held; nil before the first step.
  public package(set) var cachedTokens: Int?
  /// Tokens of the response, those that a grammar prescribed among them; the one that ended the
  /// turn is not counted.
  public package(set) var responseTokens = 0
  /// Time spent on the prompt, up to the first token chosen.
  public package(set) var prefillTime = Duration.zero
  /// Time spent on the rest of the response.
  public package(set) var decodeTime = Duration.zero
  /// The seed of the draws.
  public package(set) var seed: UInt64 = 0
}

/// One running generation; the engine holds its slot for it until it ends or is let go.
final class Generation: Sendable {
  private struct State {
    var metrics = GenerationMetrics()
    var finish: FinishReason?
    var outcome: GrammarOutcome?
    /// Tokens of the response; those from `unread` on have not been handed to the reader.
    var ready: [TokenID] = []
    var unread = 0
    /// What the engine needs; not there while it is at work, nor after the end.
    var run: Run?
    var guideStart: Int?
  }

  let request: GenerationRequest
  private let state: Mutex<State>

  init(_ request: GenerationRequest, _ run: Run, seed: UInt64) {
    self.request = request
    var first = State()
    first.metrics.promptTokens = request.prompt.count
    first.metrics.seed = seed
    first.run = run
    if request.guide != nil, request.trigger == nil { first.guideStart = 0 }
    state = Mutex(first)
  }

  var finish: FinishReason? { state.withLock { $0.finish } }

  var outcome: GrammarOutcome? { state.withLock { $0.outcome } }

  var metrics: GenerationMetrics { state.withLock { $0.metrics } }

  /// Tokens of the response before the guide holds; nil where it does not hold yet.
  var guideStart: Int? { state.withLock { $0.guideStart } }

  /// Gives what the engine needs, which it puts back after a step.
  func takeRun() -> Run? { state.withLock { $0.finish == nil ? $0.run.take() : nil } }

  func putBack(_ run: Run) { state.withLock { if $0.finish == nil { $0.run = run } } }

  /// Says that the guide holds from here on.
  func beginGuide() { state.withLock { $0.guideStart = $0.metrics.responseTokens } }

  /// Whether the reader has had everything that there will be.
  var isRead: Bool { state.withLock { $0.finish != nil && $0.unread == $0.ready.count } }

  /// Changes what the generation has cost.
  func count(_ change: (inout GenerationMetrics) -> Void) {
    state.withLock { change(&$0.metrics) }
  }

  /// Adds tokens to the response.
  func deliver(_ tokens: some Sequence<TokenID>) {
    state.withLock { state in
      guard state.finish == nil else { return }
      let before = state.ready.count
      state.ready += tokens
      state.metrics.responseTokens += state.ready.count - before
    }
  }

  /// The next token for the reader, if there is one.
  func take() -> TokenID? {
    state.withLock { state in
      guard state.unread < state.ready.count else { return nil }
      let token = state.ready[state.unread]
      state.unread += 1
      if state.unread == state.ready.count {
        state.ready.removeAll(keepingCapacity: true)
        state.unread = 0
      }
      return token
    }
  }

  /// Says that the response is whole or goes no further; what is unread stays.
  func finish(_ reason: FinishReason, _ outcome: GrammarOutcome?) {
    state.withLock { state in
      guard state.finish == nil else { return }
      state.finish = reason
      state.outcome = outcome
      state.run = nil
    }
  }

  /// Ends the generation for its reader, unless it has had everything already.
  func end(_ reason: FinishReason) {
    state.withLock { state in
      guard state.finish == nil || state.unread < state.ready.count else { return }
      state.finish = reason
      state.outcome = nil
      state.run = nil
      state.ready = []
      state.unread = 0
    }
  }
}
