package import Tokenization
internal import Synchronization

/// Why a response ended.
public enum FinishReason: Sendable, Equatable {
  /// The model ended its turn.
  case endOfTurn
  /// This stop string was reached; it is not part of the text.
  case stopString(String)
  /// The limit on response tokens was reached.
  case tokenLimit
  /// The context window is full.
  case contextFull
  /// The caller cancelled.
  case cancelled
}

/// What a generation starts from.
package struct GenerationRequest: Sendable {
  /// The whole prompt; what the KV cache already holds of it is not computed again.
  package var prompt: [TokenID]
  package var sampling: SamplingOptions
  /// Response tokens at most; nil leaves only the context window as a limit.
  package var maximumTokens: Int?
  /// Tokens that end the response; they are not part of it.
  package var endTokens: Set<TokenID>

  package init(
    prompt: [TokenID], sampling: SamplingOptions = SamplingOptions(), maximumTokens: Int? = nil,
    endTokens: Set<TokenID> = []
  ) {
    self.prompt = prompt
    self.sampling = sampling
    self.maximumTokens = maximumTokens
    self.endTokens = endTokens
  }
}

/// What a generation has cost so far.
public struct GenerationMetrics: Sendable, Equatable {
  /// Tokens of the prompt.
  public package(set) var promptTokens = 0
  /// Those of them that the KV cache already held; nil before the first step.
  public package(set) var cachedTokens: Int?
  /// Tokens generated, the one that ended the turn not counted.
  public package(set) var responseTokens = 0
  /// Time spent on the prompt.
  public package(set) var prefillTime = Duration.zero
  /// Time spent on the response.
  public package(set) var decodeTime = Duration.zero
  /// The seed of the draws.
  public package(set) var seed: UInt64 = 0
}

/// One running generation; the engine holds its slot for it until it ends or is let go.
final class Generation: Sendable {
  struct State {
    var sampler: SamplerChain
    var metrics = GenerationMetrics()
    var finish: FinishReason?
    /// The last token drawn, not yet computed; nil while the prompt is.
    var pending: TokenID?
  }

  let request: GenerationRequest
  let state: Mutex<State>

  init(_ request: GenerationRequest, _ sampler: SamplerChain) {
    self.request = request
    var first = State(sampler: sampler)
    first.metrics.promptTokens = request.prompt.count
    first.metrics.seed = sampler.seed
    state = Mutex(first)
  }

  var finish: FinishReason? { state.withLock { $0.finish } }

  /// Ends the generation unless it has ended already.
  func end(_ reason: FinishReason) {
    state.withLock { if $0.finish == nil { $0.finish = reason } }
  }
}
