public import Tokenization

/// How the next token is chosen from the logits.
///
/// Steps run in this order: logit bias, penalties, grammar, top-k, top-p, min-p, temperature, draw.
/// At temperature 0 the largest logit that the grammar allows is taken after bias and penalties; the
/// rest has no effect.
public struct SamplingOptions: Sendable, Equatable {
  /// Divides the logits of the tokens left by truncation; 0 takes the most likely token.
  public var temperature: Float
  /// Keeps the k most likely tokens; 0 keeps all.
  public var topK: Int
  /// Keeps the smallest set of most likely tokens whose probabilities reach this sum; 1 keeps all.
  public var topP: Float
  /// Keeps tokens at least this fraction as likely as the most likely one; 0 keeps all.
  public var minP: Float
  /// Divides positive and multiplies negative logits of tokens in the window (Keskar et al., 2019).
  public var repetitionPenalty: Float
  /// Subtracted from a token's logit once for each time that it occurs in the window.
  public var frequencyPenalty: Float
  /// Subtracted from a token's logit if it occurs in the window at all.
  public var presencePenalty: Float
  /// How many of the last *generated* tokens penalties look at; the prompt never counts, so that
  /// a schema or tool definition in it is not penalised.
  public var penaltyWindow: Int
  /// Added to the logits of these tokens.
  public var logitBias: [TokenID: Float]
  /// Makes draws repeatable; nil draws a seed, which the result reports.
  public var seed: UInt64?

  /// The defaults are moderate: temperature 0.8, top-k 40, top-p 0.95, min-p 0.05, no penalties.
  public init(
    temperature: Float = 0.8, topK: Int = 40, topP: Float = 0.95, minP: Float = 0.05,
    repetitionPenalty: Float = 1, frequencyPenalty: Float = 0, presencePenalty: Float = 0,
    penaltyWindow: Int = 64, logitBias: [TokenID: Float] = [:], seed: UInt64? = nil
  ) {
    self.temperature = temperature
    self.topK = topK
    self.topP = topP
    self.minP = minP
    self.repetitionPenalty = repetitionPenalty
    self.frequencyPenalty = frequencyPenalty
    self.presencePenalty = presencePenalty
    self.penaltyWindow = penaltyWindow
    self.logitBias = logitBias
    self.seed = seed
  }

  /// Always the most likely token.
  public static let greedy = SamplingOptions(temperature: 0)

  /// Refuses values that mean nothing.
  ///
  /// - Throws: `invalidOption` naming the option, `invalidToken` for a bias outside the vocabulary.
  package func validate(vocabularySize: Int) throws(InferenceError) {
    func check(_ isGood: Bool, _ name: String, _ reason: String) throws(InferenceError) {
      guard isGood else { throw .invalidOption(name: name, reason: reason) }
    }
    try check(temperature.isFinite && temperature >= 0, "temperature", "must be 0 or more")
    try check(topK >= 0, "top-k", "must be 0 (off) or more")
    try check(topP > 0 && topP <= 1, "top-p", "must be above 0 and at most 1")
    try check(minP >= 0 && minP <= 1, "min-p", "must be between 0 and 1")
    try check(
      repetitionPenalty.isFinite && repetitionPenalty > 0, "repetition penalty",
      "must be above 0 (1 is off)")
    try check(frequencyPenalty.isFinite, "frequency penalty", "must be a number")
    try check(presencePenalty.isFinite, "presence penalty", "must be a number")
    try check(penaltyWindow >= 0, "penalty window", "must be 0 or more")
    for (token, bias) in logitBias {
      guard token >= 0, Int(token) < vocabularySize else {
        throw .invalidToken(id: Int(token), vocabularySize: vocabularySize)
      }
      try check(!bias.isNaN, "logit bias", "must be a number")
    }
  }
}
