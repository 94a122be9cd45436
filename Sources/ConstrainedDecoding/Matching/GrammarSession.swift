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
  /// Where the shortest completion was last looked for, and what was found.
  private var lastSearch: (position: Int, tokens: Int, bytes: Int)?

  /// Whether the text is being closed, because the budget ends or ``closeSoon()`` was called.
  public var isClosing: Bool { mustClose || remaining == 0 }

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
    if isClosing { return try close() }
    do throws(GrammarError) {
      let mask = try matcher.mask()
      // Otherwise nothing but the end is left, or no end token exists and nothing at all.
      return mask.hasTokens(besides: matcher.grammar.table.endTokens)
        ? .choose(mask) : .finished(.complete)
    } catch .noLegalToken(let position) {
      return .finished(.noLegalToken(position: position))
    }
  }

  /// Takes a chosen token, unless the text could then not be completed within the budget.
  /// - Returns: Whether the token was taken; if not, the next step closes the text.
  /// - Throws: `illegalToken`, or a limit that was passed.
  public mutating func accept(_ token: Int) throws(GrammarError) -> Bool {
    try matcher.accept(token)
    if matcher.hasEnded { return true }
    if try !canClose(within: remaining - 1) {
      matcher.rollback(1)
      if let closing = try matcher.closingTokens(), closing.count <= remaining {
        mustClose = true
        return false
      }
      // It could not be completed before either: the budget was too small from the start.
      try matcher.accept(token)
    }
    remaining -= 1
    return true
  }

  /// Takes tokens that were found to be forced, as one batch.
  /// - Parameter encode: The tokenizer's own split of a text.
  /// - Returns: The tokens to feed; empty where there is a choice or the budget is too small.
  /// - Throws: A limit that was passed.
  public mutating func acceptForced(
    encode: (_ text: [UInt8]) -> [Int]
  ) throws(GrammarError) -> [Int] {
    if isClosing { return [] }
    let tokens = try matcher.forcedTokens(encode: encode)
    guard !tokens.isEmpty, tokens.count < remaining else { return [] }
    for token in tokens { try matcher.accept(token) }
    // The tokenizer's split may be longer than the shortest one.
    guard try canClose(within: remaining - tokens.count) else {
      matcher.rollback(tokens.count)
      return []
    }
    remaining -= tokens.count
    return tokens
  }

  /// Whether the text can be completed in `budget` tokens.
  ///
  /// The exact answer takes a search. Far from the end of the budget an estimate does: what the last
  /// search found, and a token for every byte that the shortest text has grown by since.
  private mutating func canClose(within budget: Int) throws(GrammarError) -> Bool {
    let bytes = try matcher.shortestLength
    if let found = lastSearch, matcher.position - found.position < Self.searchInterval,
      found.tokens + max(0, bytes - found.bytes) + Self.margin <= budget
    {
      return true
    }
    guard let closing = try matcher.closingTokens() else { return false }
    lastSearch = (matcher.position, closing.count, bytes)
    return closing.count <= budget
  }

  /// Tokens between two searches, and tokens that an estimate may be wrong by.
  private static let searchInterval = 64
  private static let margin = 64

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
