/// Where one sequence stands in a grammar.
///
/// A value: a copy is a fork, at the cost of copying one number per accepted token on first change.
public struct GrammarMatcher: Sendable {
  /// The grammar, its vocabulary and the shared masks.
  public let grammar: CompiledGrammar
  let engine: SharedEngine
  /// By accepted token: the state before it; the last one is the current state.
  private var states: [Expression]
  /// Whether an end token was accepted.
  public private(set) var hasEnded = false

  init(_ grammar: CompiledGrammar, _ engine: SharedEngine, start: Expression) {
    self.grammar = grammar
    self.engine = engine
    states = [start]
  }

  var state: Expression { states[states.count - 1] }

  /// How many tokens were accepted.
  public var position: Int { states.count - 1 }

  /// Whether what was accepted is a whole text of the grammar.
  public var isComplete: Bool {
    get throws(GrammarError) {
      let state = state
      return try engine.run { engine throws(GrammarError) in
        engine.automaton.pool.isNullable(state)
      }
    }
  }

  /// The tokens that may come next.
  ///
  /// End tokens are among them exactly when the text is complete; other control tokens only where
  /// the grammar names them. Apply the mask before any truncating sampler.
  /// - Throws: `noLegalToken` when the text is unfinished and no token can continue it.
  public func mask() throws(GrammarError) -> TokenMask {
    if hasEnded { return TokenMask(tokenCount: grammar.table.tokenCount) }
    let state = state
    let mask = try engine.run { engine throws(GrammarError) in try engine.mask(of: state) }
    if mask.isEmpty {
      let isComplete = try isComplete
      if !isComplete { throw .noLegalToken(position: position) }
    }
    return mask
  }

  /// Replaces `mask` by the tokens that may come next.
  /// - Throws: As ``mask()``.
  public func fillMask(_ mask: inout TokenMask) throws(GrammarError) { mask = try self.mask() }

  /// Takes the token that was chosen.
  /// - Throws: `illegalToken` if it may not come next; the matcher then stands where it stood.
  public mutating func accept(_ token: Int) throws(GrammarError) {
    let before = state
    let after = try engine.run { engine throws(GrammarError) in
      engine.state(accepting: token, from: before)
    }
    guard !hasEnded, let after else { throw .illegalToken(id: token, position: position) }
    states.append(after)
    hasEnded = grammar.table.endTokens.contains(token)
  }

  /// How many of `tokens` could be accepted one after the other; the matcher does not move.
  public func countOfLegalTokens(in tokens: [Int]) throws(GrammarError) -> Int {
    if hasEnded { return 0 }
    let start = state
    return try engine.run { engine throws(GrammarError) in
      var state = start
      for (count, token) in tokens.enumerated() {
        guard let next = engine.state(accepting: token, from: state) else { return count }
        if engine.table.endTokens.contains(token) { return count + 1 }
        state = next
      }
      return tokens.count
    }
  }

  /// Takes back the last `count` tokens, or all if there are fewer.
  /// - Complexity: O(count)
  public mutating func rollback(_ count: Int) {
    guard count > 0 else { return }
    states.removeLast(min(count, position))
    hasEnded = false
  }

  /// A matcher that stands at the same place and moves on its own.
  public func fork() -> GrammarMatcher { self }

  /// Follows text rather than tokens; for prompts that already hold a part, and for checks.
  /// - Returns: False, without moving, if the text cannot come next.
  package mutating func accept(text: some Sequence<UInt8>) throws(GrammarError) -> Bool {
    let before = state
    let after = try engine.run { engine throws(GrammarError) in
      engine.automaton.next(before, text)
    }
    guard after != .never else { return false }
    states.append(after)
    return true
  }
}

extension MaskEngine {
  /// The state after a token, the same one after an end token; nil if it may not come next.
  mutating func state(accepting token: Int, from state: Expression) -> Expression? {
    guard token >= 0 && token < table.tokenCount else { return nil }
    if table.endTokens.contains(token) { return automaton.pool.isNullable(state) ? state : nil }
    var results: [Expression] = []
    let byNumber = automaton.next(state, tokenNumber: token)
    let mayBeOther = !table.isControl[token] || automaton.symbolOfToken[token] != nil
    if byNumber != .never && mayBeOther { results.append(byNumber) }
    let text = table.bytes(of: token)
    if !table.isControl[token] && !text.isEmpty && text.count <= TokenTrie.longestText {
      let byText = automaton.next(state, text)
      if byText != .never { results.append(byText) }
    }
    return results.isEmpty ? nil : automaton.pool.union(results)
  }
}
