extension GrammarMatcher {
  /// Most bytes of forced text found at once.
  private static let longestForcedText = 4096

  /// The text that must come next whatever is chosen; empty where there is a choice.
  public func forcedText() throws(GrammarError) -> [UInt8] {
    try forced().text
  }

  /// The tokens of the forced text, to be fed as one batch instead of being sampled.
  ///
  /// The last tokens are left out where a token of the vocabulary could reach beyond the forced
  /// text, so that the choice of that token is not taken away and the split stays canonical.
  /// - Parameter encode: The tokenizer's own split of a text.
  /// - Returns: The tokens; none where there is a choice.
  /// - Throws: A limit that was passed.
  public func forcedTokens(
    encode: (_ text: [UInt8]) -> [Int]
  ) throws(GrammarError) -> [Int] {
    let (text, isEnd) = try forced()
    if text.isEmpty { return [] }
    let tokens = encode(text)
    let table = grammar.table
    let spelled = tokens.flatMap { Array(table.bytes(of: $0)) }
    guard spelled == text, !tokens.contains(where: { table.isControl[$0] }) else { return [] }
    if isEnd { return tokens }
    var offset = 0
    for (index, token) in tokens.enumerated() {
      if table.hasTokenBeyond(text[offset...]) { return Array(tokens[..<index]) }
      offset += table.bytes(of: token).count
    }
    return tokens
  }

  private func forced() throws(GrammarError) -> (text: [UInt8], isEnd: Bool) {
    if hasEnded { return ([], true) }
    let start = state
    return try engine.run { engine throws(GrammarError) in
      var text: [UInt8] = []
      var state = start
      while text.count < Self.longestForcedText,
        let symbol = engine.automaton.onlySymbol(state),
        let byte = engine.automaton.onlyByte(ofSymbol: symbol)
      {
        text.append(byte)
        state = engine.automaton.next(state, byte)
      }
      let mayGoOn = (0..<engine.automaton.symbolCount).contains {
        engine.automaton.rows[engine.automaton.row(state) + $0] != .never
      }
      return (text, !mayGoOn)
    }
  }

  /// A shortest text that completes what was accepted; empty where it is complete.
  /// - Throws: `noLegalToken` where the rest needs tokens by number, or a limit.
  public func shortestCompletion() throws(GrammarError) -> [UInt8] {
    var text: [UInt8] = []
    for part in try shortestParts() {
      guard case .byte(let byte) = part else { throw .noLegalToken(position: position) }
      text.append(byte)
    }
    return text
  }

  /// Few tokens that complete what was accepted: the fewest that spell a shortest text.
  ///
  /// The end token is not among them. Nil where the vocabulary cannot spell that text.
  public func closingTokens() throws(GrammarError) -> [Int]? {
    var tokens: [Int] = []
    var pending: [UInt8] = []
    for part in try shortestParts() {
      switch part {
      case .byte(let byte): pending.append(byte)
      case .token(let id):
        guard let spelled = fewestTokens(pending) else { return nil }
        tokens += spelled + [id]
        pending = []
      }
    }
    guard let spelled = fewestTokens(pending) else { return nil }
    return tokens + spelled
  }

  /// Bytes of the shortest text that completes what was accepted; fewer where Boolean operators are
  /// in play.
  var shortestLength: Int {
    get throws(GrammarError) {
      let state = state
      return try engine.run { engine throws(GrammarError) in
        Int(engine.automaton.shortestLength(state))
      }
    }
  }

  private enum Part {
    case byte(UInt8)
    case token(Int)
  }

  private func shortestParts() throws(GrammarError) -> [Part] {
    if hasEnded { return [] }
    let start = state
    let table = grammar.table
    return try engine.run { engine throws(GrammarError) in
      guard let symbols = engine.automaton.shortestPath(start) else { return [] }
      return symbols.map { symbol in
        if symbol < engine.automaton.byteClassCount {
          return .byte(engine.automaton.byteOfClass[symbol])
        }
        let named = engine.automaton.symbolOfToken.first { $0.value == symbol }?.key
        let other = (0..<table.tokenCount).first {
          engine.automaton.symbolOfToken[$0] == nil && !table.isControl[$0]
        }
        return .token(named ?? other ?? 0)
      }
    }
  }

  /// The fewest tokens that spell `text`, nil if none do.
  private func fewestTokens(_ text: [UInt8]) -> [Int]? {
    // By length of a prefix: the last token of its shortest spelling and the number of tokens.
    var best: [(count: Int, token: Int, from: Int)?] = Array(repeating: nil, count: text.count + 1)
    best[0] = (0, -1, -1)
    for start in 0..<text.count {
      guard let here = best[start] else { continue }
      for (id, length) in grammar.table.prefixes(of: text[start...]) {
        let count = here.count + 1
        if best[start + length].map({ $0.count > count }) ?? true {
          best[start + length] = (count, id, start)
        }
      }
    }
    var tokens: [Int] = []
    var end = text.count
    while end > 0 {
      guard let step = best[end] else { return nil }
      tokens.append(step.token)
      end = step.from
    }
    return tokens.reversed()
  }
}

extension Automaton {
  /// The byte of a class that has only one, nil for other symbols.
  func onlyByte(ofSymbol symbol: Int) -> UInt8? {
    guard symbol < byteClassCount else { return nil }
    let members = classOfByte.count { Int($0) == symbol }
    return members == 1 ? byteOfClass[symbol] : nil
  }
}
