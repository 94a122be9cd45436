public import Inference

/// How one response is made.
public struct GenerationOptions: Sendable, Equatable {
  /// How each token is chosen.
  public var sampling: SamplingOptions
  /// Response tokens at most; nil leaves only the context window as a limit.
  public var maximumResponseTokens: Int?
  /// Time from the first step on, at most; nil sets no limit.
  public var timeLimit: Duration?
  /// Texts that end the response and are not part of it; not together with a grammar.
  public var stopStrings: [String]
  /// What the response is held to; a limit that comes near closes it by the shortest legal way.
  public var grammar: ResponseGrammar?

  /// The defaults sample moderately and stop where the model ends its turn.
  public init(
    sampling: SamplingOptions = SamplingOptions(), maximumResponseTokens: Int? = nil,
    timeLimit: Duration? = nil, stopStrings: [String] = [], grammar: ResponseGrammar? = nil
  ) {
    self.sampling = sampling
    self.maximumResponseTokens = maximumResponseTokens
    self.timeLimit = timeLimit
    self.stopStrings = stopStrings
    self.grammar = grammar
  }
}
