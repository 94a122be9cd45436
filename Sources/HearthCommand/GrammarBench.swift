import ConstrainedDecoding
import Foundation
import Inference
import OnDeviceModels
import Tokenization

/// Measures what grammars cost on one vocabulary, in CPU time of one thread.
struct GrammarBench {
  /// One grammar and the texts along which its masks are measured.
  struct Subject {
    var name: String
    var grammar: ResponseGrammar
    /// Nil for texts drawn at random from the grammar.
    var texts: [String]?
  }

  private let tokenizer: Tokenizer
  private let subjects: [Subject]
  private let printsJSON: Bool

  private static let repetitions = 7

  init(_ arguments: Arguments) throws {
    if let source = try GrammarOptions.source(arguments) {
      let name =
        arguments.string("--schema") ?? arguments.string("--gbnf") ?? arguments.string("--regex")
      let texts = try arguments.string("--texts").map { try Self.texts(in: TextFile.read($0)) }
      subjects = [
        Subject(name: name ?? "", grammar: source.grammar(document: nil), texts: texts)
      ]
    } else {
      guard !arguments.has("--texts") else {
        throw UsageError("--texts goes with --schema, --gbnf or --regex")
      }
      subjects = [.schema8, .json]
    }
    printsJSON = arguments.has("--json")
    tokenizer = try ModelOptions.tokenizer(arguments)
  }

  private static func texts(in file: String) throws -> [String] {
    try file.split(separator: "\n").map { line in
      guard let text = (try? OrderedJSON(parsing: String(line)))?.stringValue else {
        throw RequestError("--texts: every line must be a JSON string")
      }
      return text
    }
  }

  func run() throws {
    let (table, setup) = CPUTime.measure { TokenTable(tokenizer.vocabulary) }
    if !printsJSON {
      Console.line(
        "vocabulary of \(table.tokenCount) tokens, arranged in \(Self.rounded(setup * 1e3)) ms")
    }
    for subject in subjects {
      let result = try measure(subject, table)
      if printsJSON {
        Console.data(json(subject, table, setup, result).serialized())
      } else {
        Console.line(Self.text(subject, result))
      }
    }
  }

  /// Seconds.
  private struct Result {
    var compile: Double
    var texts: Int
    /// By position, the first time it was reached, and the best of the times after that.
    var cold: [Double]
    var warm: [Double]
  }

  private func measure(_ subject: Subject, _ table: TokenTable) throws -> Result {
    var compile: [Double] = []
    var compiled: CompiledGrammar?
    for _ in 0..<Self.repetitions {
      let (grammar, seconds) = try CPUTime.measure {
        try CompiledGrammar(try subject.grammar.grammar(), table)
      }
      compile.append(seconds)
      compiled = grammar
    }
    guard let compiled else { return Result(compile: 0, texts: 0, cold: [], warm: []) }
    let texts = try subject.texts?.map(tokens) ?? randomTexts(subject, table)
    var result = Result(
      compile: Statistics(compile).median, texts: texts.count, cold: [], warm: [])
    for repetition in 0..<Self.repetitions {
      var times: [Double] = []
      for (index, text) in texts.enumerated() {
        do {
          times += try masks(compiled, text)
        } catch {
          guard subject.texts != nil else { throw error }
          throw RequestError("--texts: line \(index + 1) does not match the grammar: \(error)")
        }
      }
      if repetition == 0 {
        result.cold = times
        result.warm = times.map { _ in .infinity }
      } else {
        result.warm = zip(result.warm, times).map { min($0, $1) }
      }
    }
    return result
  }

  private func tokens(_ text: String) -> [Int] {
    tokenizer.encode(continuation: Array(text.utf8)).map(Int.init)
  }

  /// Seconds for the mask before each token and after the last.
  private func masks(_ grammar: CompiledGrammar, _ tokens: [Int]) throws -> [Double] {
    var matcher = grammar.makeMatcher()
    var times: [Double] = []
    for token in tokens {
      times.append(try CPUTime.measure { try matcher.mask() }.seconds)
      try matcher.accept(token)
    }
    if try matcher.isComplete { times.append(try CPUTime.measure { try matcher.mask() }.seconds) }
    return times
  }

  /// Walks through a compiled grammar of their own, so that the measured one starts cold.
  private func randomTexts(_ subject: Subject, _ table: TokenTable) throws -> [[Int]] {
    let grammar = try CompiledGrammar(try subject.grammar.grammar(), table)
    return try (1...9).map { seed in
      var random = RandomSource(seed: UInt64(seed))
      var session = GrammarSession(grammar, budget: 100)
      var tokens: [Int] = []
      while true {
        switch try session.step() {
        case .finished: return tokens
        case .feed(let closing): tokens += closing
        case .choose(let mask):
          guard let token = mask.tokens.randomElement(using: &random) else { return tokens }
          if try session.accept(token), !session.matcher.hasEnded { tokens.append(token) }
        }
      }
    }
  }

  // MARK: Printing

  private static func text(_ subject: Subject, _ result: Result) -> String {
    func row(_ name: String, _ times: [Double]) -> String {
      let values = Statistics(times).columns.map { "\($0.name) \(rounded($0.value * 1e6))" }
      return "  \(name)  " + values.joined(separator: "  ") + " µs"
    }
    return "\n\(subject.name): compiled in \(rounded(result.compile * 1e3)) ms; "
      + "\(result.cold.count) masks along \(result.texts) texts\n"
      + row("warm", result.warm) + "\n" + row("cold", result.cold)
  }

  private func json(
    _ subject: Subject, _ table: TokenTable, _ setup: Double, _ result: Result
  ) -> OrderedJSON {
    func members(_ prefix: String, _ times: [Double]) -> [OrderedJSON.Member] {
      Statistics(times).columns.map { .init(prefix + $0.name, .double($0.value * 1e6)) }
    }
    return .object([
      .init("engine", "hearth"), .init("vocabulary", .int(table.tokenCount)),
      .init("setup_ms", .double(setup * 1e3)), .init("grammar", .string(subject.name)),
      .init("compile_ms", .double(result.compile * 1e3)),
      .init("positions", .int(result.cold.count)),
      .init("mask_us", .object(members("", result.warm) + members("cold_", result.cold))),
    ])
  }

  private static func rounded(_ value: Double) -> String {
    String(format: value < 10 ? "%.2f" : "%.0f", value)
  }
}

/// CPU time of the calling thread.
enum CPUTime {
  /// Runs `body` and says how many seconds of CPU time it took.
  static func measure<R>(_ body: () throws -> R) rethrows -> (result: R, seconds: Double) {
    let start = seconds
    let result = try body()
    return (result, seconds - start)
  }

  private static var seconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// What is said about many measurements.
struct Statistics {
  private let sorted: [Double]

  init(_ values: [Double]) { sorted = values.sorted() }

  var median: Double { quantile(0.5) }

  var columns: [(name: String, value: Double)] {
    let mean = sorted.reduce(0, +) / Double(max(sorted.count, 1))
    return [
      ("median", median), ("mean", mean), ("p90", quantile(0.9)), ("p99", quantile(0.99)),
      ("max", sorted.last ?? 0),
    ]
  }

  /// The smallest value that at least this share of all does not pass.
  private func quantile(_ share: Double) -> Double {
    guard !sorted.isEmpty else { return 0 }
    return sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
  }
}
