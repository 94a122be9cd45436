/// How a response is made; whatever is nil is left to the model.
public struct GenerationOptions: Sendable, Equatable {
  /// How each token is chosen.
  public var samplingMode: SamplingMode?
  /// How bold the choice is: 0 takes the likeliest token, 1 leaves the distribution as it is.
  public var temperature: Double?
  /// Tokens of the response at most; nil leaves only the context window as a limit.
  ///
  /// A response that reaches the limit ends there; that is no error.
  public var maximumResponseTokens: Int?
  /// Whether the model may or must call tools; nil means that it may.
  public var toolCallingMode: ToolCallingMode?

  /// How each token is chosen; what version 26 called ``samplingMode``.
  public var sampling: SamplingMode? {
    get { samplingMode }
    set { samplingMode = newValue }
  }

  /// Options without a word about tools.
  public init(
    samplingMode: SamplingMode? = nil, temperature: Double? = nil, maximumResponseTokens: Int? = nil
  ) {
    self.samplingMode = samplingMode
    self.temperature = temperature
    self.maximumResponseTokens = maximumResponseTokens
  }

  /// Options by the names of version 26.
  public init(
    sampling: SamplingMode?, temperature: Double? = nil, maximumResponseTokens: Int? = nil
  ) {
    self.init(
      samplingMode: sampling, temperature: temperature,
      maximumResponseTokens: maximumResponseTokens)
  }

  /// Options that also say whether tools are called.
  public init(
    samplingMode: SamplingMode? = nil, temperature: Double? = nil,
    maximumResponseTokens: Int? = nil, toolCallingMode: ToolCallingMode?
  ) {
    self.init(
      samplingMode: samplingMode, temperature: temperature,
      maximumResponseTokens: maximumResponseTokens)
    self.toolCallingMode = toolCallingMode
  }
}

extension GenerationOptions {
  /// How each token is chosen.
  public struct SamplingMode: Sendable, Equatable {
    /// The ways to choose a token.
    public enum Kind: Sendable, Equatable {
      /// Always the likeliest.
      case greedy
      /// One of the likeliest, by chance.
      case randomTopK(Int, seed: UInt64?)
      /// One of the likeliest whose probabilities reach a sum, by chance.
      case randomProbabilityThreshold(Double, seed: UInt64?)
    }

    /// The way to choose a token.
    public let kind: Kind

    /// Always the likeliest token: the same prompt gives the same response.
    public static var greedy: SamplingMode { SamplingMode(kind: .greedy) }

    /// One of the `k` likeliest tokens, by chance; equal seeds give equal responses.
    public static func random(top k: Int, seed: UInt64? = nil) -> SamplingMode {
      SamplingMode(kind: .randomTopK(k, seed: seed))
    }

    /// One of the fewest likeliest tokens whose probabilities reach a sum, by chance.
    ///
    /// - Parameters:
    ///   - probabilityThreshold: the sum, from 0 to 1.
    ///   - seed: equal seeds give equal responses.
    /// - Returns: the mode.
    public static func random(
      probabilityThreshold: Double, seed: UInt64? = nil
    ) -> SamplingMode {
      SamplingMode(kind: .randomProbabilityThreshold(probabilityThreshold, seed: seed))
    }
  }

  /// Whether a model may or must call tools.
  public struct ToolCallingMode: Sendable, Equatable {
    /// The rules there are.
    public enum Kind: String, Sendable, Hashable {
      /// The model decides.
      case allowed
      /// The model calls tools, again and again, until one throws.
      case required
      /// The model knows of no tools.
      case disallowed
    }

    /// The rule.
    public var kind: Kind

    /// The model decides.
    public static let allowed = ToolCallingMode(kind: .allowed)
    /// The model calls tools, again and again, until one throws or the context window is full.
    public static let required = ToolCallingMode(kind: .required)
    /// The model is not told of any tools.
    public static let disallowed = ToolCallingMode(kind: .disallowed)

    init(kind: Kind) { self.kind = kind }

    init?(_ name: String) {
      guard let kind = Kind(rawValue: name) else { return nil }
      self.kind = kind
    }
  }
}
