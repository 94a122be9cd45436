import ConstrainedDecoding

/// How long a grammar takes to compile, and its masks along given texts: CPU time of one thread.
struct MaskMeasurement {
  /// Seconds from the text of a grammar to the first matcher: the first time, and the median.
  private(set) var firstCompile = 0.0
  private(set) var compile = 0.0
  /// By position of the texts: seconds of one mask while nothing is cached, and the least of all
  /// repetitions.
  private(set) var cold: [Double] = []
  private(set) var warm: [Double] = []

  static let repetitions = 7

  /// Measures one grammar; each repetition follows all texts with new matchers.
  ///
  /// - Parameters:
  ///   - texts: tokens of whole texts of the grammar, without an end token.
  ///   - table: the vocabulary.
  ///   - grammar: reads the grammar.
  /// - Throws: errors of the grammar, `WrongText` for a text outside it.
  init(
    texts: [[Int]], table: TokenTable, grammar: () throws(GrammarError) -> Grammar
  ) throws {
    var compiled: CompiledGrammar?
    var compileTimes: [Double] = []
    for _ in 0..<Self.repetitions {
      let (made, seconds) = try CPUTime.measure {
        let made = try CompiledGrammar(try grammar(), table)
        _ = made.makeMatcher()
        return made
      }
      compileTimes.append(seconds)
      compiled = made
    }
    guard let compiled else { return }
    firstCompile = compileTimes[0]
    compile = Statistics(compileTimes).median
    for _ in 0..<Self.repetitions {
      var times: [Double] = []
      for (index, text) in texts.enumerated() {
        do {
          times += try Self.masks(compiled, text)
        } catch {
          throw WrongText(index: index, reason: error)
        }
      }
      if cold.isEmpty { (cold, warm) = (times, times) }
      warm = zip(warm, times).map { min($0, $1) }
    }
  }

  /// Seconds for the mask before each token and after the last.
  private static func masks(
    _ grammar: CompiledGrammar, _ tokens: [Int]
  ) throws(GrammarError) -> [Double] {
    var matcher = grammar.makeMatcher()
    var times: [Double] = []
    times.reserveCapacity(tokens.count + 1)
    var mask = TokenMask(tokenCount: grammar.table.tokenCount)
    for token in tokens {
      let start = CPUTime.seconds
      try matcher.fillMask(&mask)
      times.append(CPUTime.seconds - start)
      try matcher.accept(token)
    }
    // What follows a text that is not whole would be no part of the measure.
    guard try matcher.isComplete else { throw .noLegalToken(position: matcher.position) }
    let start = CPUTime.seconds
    try matcher.fillMask(&mask)
    times.append(CPUTime.seconds - start)
    return times
  }

  /// A text that the grammar does not have.
  struct WrongText: Error {
    let index: Int
    let reason: GrammarError
  }
}

/// What is said about many measurements.
struct Statistics {
  private let sorted: [Double]

  init(_ values: [Double]) { sorted = values.sorted() }

  var median: Double { quantile(0.5) }
  var mean: Double { sorted.reduce(0, +) / Double(max(sorted.count, 1)) }

  var columns: [(name: String, value: Double)] {
    [
      ("median", median), ("mean", mean), ("p90", quantile(0.9)), ("p99", quantile(0.99)),
      ("max", sorted.last ?? 0),
    ]
  }

  /// The smallest value that at least this share of all does not pass, 0 where there are none.
  private func quantile(_ share: Double) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
  }
}
