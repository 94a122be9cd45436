/// How a constrained generation came out.
public enum GrammarOutcome: Sendable, Equatable {
  /// The text is a whole text of the grammar.
  case complete
  /// The budget ran out before the text could be completed; what there is, is a part.
  case truncated
  /// The text is unfinished and the vocabulary has no token that can continue it.
  case noLegalToken(position: Int)
}

/// One constrained generation under a budget of tokens, from first mask to typed outcome.
///
/// Ask for ``step()``; either choose among the tokens of its mask and ``accept(_:)`` one, or feed the
/// tokens it prescribes. Near the end of the budget the value is closed by the shortest legal way.
public struct GrammarSession: Sendable {
  /// What to do next.
  public enum Step: Sendable {
    /// Sample a token among these; the mask comes before every truncating sampler.
    case choose(TokenMask)
    /// Feed these tokens as they are; they have been accepted already.
    case feed([Int])
    /// Stop.
    case finished(GrammarOutcome)
  }

  /// Where the sequence stands.
  public private(set) var matcher: GrammarMatcher
  /// Tokens that may still be written, the end token not counted.
  public private(set) var remaining: Int
  private var mustClose = false

  /// - Parameters:
  ///   - grammar: What the text must look like.
  ///   - budget: Most tokens of the text, the end token not counted.
  public init(_ grammar: CompiledGrammar, budget: Int) {
    matcher = grammar.makeMatcher()
    remaining = max(budget, 0)
  }

  /// What to do next.
  /// - Throws: A limit that was passed.
  public mutating func step() throws(GrammarError) -> Step {
    if matcher.hasEnded { return .finished(.complete) }
    if mustClose || remaining == 0 { return try close() }
    do throws(GrammarError) {
      let mask = try matcher.mask()
      let ends = matcher.grammar.table.endTokens
      let onlyEnds = mask.count == ends.count(where: { mask.contains($0) })
      // Nothing but the end is left, or no end token exists and nothing at all.
      if onlyEnds { return .finished(.complete) }
      return .choose(mask)
    } catch .noLegalToken(let position) {
      return .finished(.noLegalToken(position: position))
    }
  }

  /// Takes a chosen token, unless the text could then not be completed within the budget.
  /// - Returns: Whether the token was taken; if not, the next step closes the text.
  /// - Throws: `illegalToken`, or a limit that was passed.
  public mutating func accept(_ token: Int) throws(GrammarError) -> Bool {
    let isEnd = matcher.grammar.table.endTokens.contains(token)
    if !isEnd, try !matcher.canClose(after: token, within: remaining - 1) {
      let closing = try matcher.closingTokens()
      if let closing, closing.count <= remaining {
        mustClose = true
        return false
      }
      // It could not be completed before either: the budget was too small from the start.
    }
    try matcher.accept(token)
    if !isEnd { remaining -= 1 }
    return true
  }

  /// Takes tokens that were found to be forced, as one batch.
  /// - Parameter encode: The tokenizer's own split of a text.
  /// - Returns: The tokens to feed; empty where there is a choice or the budget is too small.
  /// - Throws: A limit that was passed.
  public mutating func acceptForced(
    encode: (_ text: [UInt8]) -> [Int]
  ) throws(GrammarError) -> [Int] {
    let tokens = try matcher.forcedTokens(encode: encode)
    guard tokens.count < remaining else { return [] }
    for token in tokens { try matcher.accept(token) }
    remaining -= tokens.count
    return tokens
  }

  /// Closes the text from the next step on, for a deadline in time rather than tokens.
  public mutating func closeSoon() { mustClose = true }

  private mutating func close() throws(GrammarError) -> Step {
    if try matcher.isComplete { return .finished(.complete) }
    guard let closing = try matcher.closingTokens(), closing.count <= remaining, !closing.isEmpty
    else { return .finished(.truncated) }
    for token in closing { try matcher.accept(token) }
    remaining -= closing.count
    return .feed(closing)
  }
}
