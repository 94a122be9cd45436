/// How long a grammar takes to compile, and its masks along given texts.
package struct GrammarMeasurement: Sendable {
  /// Milliseconds from the text of a grammar to the first matcher: the first time and the median.
  package private(set) var firstCompile = 0.0
  package private(set) var compile = 0.0
  /// By position of the texts: microseconds of one mask while nothing is cached, and the least of
  /// the repetitions.
  package private(set) var cold: [Double] = []
  package private(set) var warm: [Double] = []

  /// Measures one grammar; each repetition follows all texts with new matchers.
  ///
  /// - Parameters:
  ///   - texts: Tokens of whole texts of the grammar, without an end token.
  ///   - table: The vocabulary.
  ///   - repetitions: How often everything is done.
  ///   - now: A clock in nanoseconds.
  ///   - grammar: Reads the grammar.
  /// - Throws: Errors of the grammar, `illegalToken` for a text outside it.
  package init(
    texts: [[Int]], table: TokenTable, repetitions: Int = 7, now: () -> UInt64,
    grammar: () throws(GrammarError) -> Grammar
  ) throws(GrammarError) {
    var compiled: CompiledGrammar?
    var compileTimes: [Double] = []
    for _ in 0..<max(repetitions, 1) {
      let start = now()
      let made = try CompiledGrammar(try grammar(), table)
      _ = made.makeMatcher()
      compileTimes.append(Double(now() - start) / 1e6)
      compiled = made
    }
    guard let compiled else { return }
    firstCompile = compileTimes[0]
    compile = Self.quantile(compileTimes.sorted(), 0.5)
    var mask = TokenMask(tokenCount: table.tokenCount)
    for repetition in 0..<max(repetitions, 1) {
      var position = 0
      for text in texts {
        var matcher = compiled.makeMatcher()
        for index in 0...text.count {
          let start = now()
          try matcher.fillMask(&mask)
          let time = Double(now() - start) / 1e3
          if repetition == 0 {
            cold.append(time)
            warm.append(time)
          } else {
            warm[position] = min(warm[position], time)
          }
          position += 1
          if index < text.count { try matcher.accept(text[index]) }
        }
      }
    }
  }

  /// What is said about the masks: microseconds.
  package struct Summary: Sendable {
    package let median, mean, p90, p99, max: Double
  }

  package var warmSummary: Summary { Self.summary(warm) }
  package var coldSummary: Summary { Self.summary(cold) }

  private static func summary(_ times: [Double]) -> Summary {
    let sorted = times.sorted()
    return Summary(
      median: quantile(sorted, 0.5), mean: sorted.reduce(0, +) / Double(Swift.max(sorted.count, 1)),
      p90: quantile(sorted, 0.9), p99: quantile(sorted, 0.99), max: sorted.last ?? 0)
  }

  /// The value below which `part` of the sorted values lie, 0 where there are none.
  private static func quantile(_ sorted: [Double], _ part: Double) -> Double {
    sorted.isEmpty ? 0 : sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
  }
}
