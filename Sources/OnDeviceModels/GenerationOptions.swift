public import Inference

/// How one response is made.
public struct GenerationOptions: Sendable, Equatable {
  /// How each token is chosen.
  public var sampling: SamplingOptions
  /// Response tokens at most; nil leaves only the context window as a limit.
  public var maximumResponseTokens: Int?
  /// Texts that end the response and are not part of it.
  public var stopStrings: [String]

  /// The defaults sample moderately and stop where the model ends its turn.
  public init(
    sampling: SamplingOptions = SamplingOptions(), maximumResponseTokens: Int? = nil,
    stopStrings: [String] = []
  ) {
    self.sampling = sampling
    self.maximumResponseTokens = maximumResponseTokens
    self.stopStrings = stopStrings
  }
}
