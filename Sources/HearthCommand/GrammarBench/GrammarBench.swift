import ConstrainedDecoding
import Foundation
import GGUF
import Inference
import OnDeviceModels
import Tokenization

/// Measures what grammars cost on one vocabulary.
struct GrammarBench {
  private let workloads: [GrammarWorkload]
  private let tokenizer: Tokenizer
  private let printsJSON: Bool
  private let dump: String?
  private let decoding: Decoding?

  /// A model to decode with, and how.
  private struct Decoding {
    var model: TransformerModel
    var threads: Int
    var precision: MatmulPrecision
    var keyValueType: KeyValueType
  }

  init(_ arguments: Arguments) throws {
    if let source = try GrammarOptions.source(arguments) {
      let name =
        arguments.string("--schema") ?? arguments.string("--gbnf") ?? arguments.string("--regex")
      let document = try arguments.string("--source").map(TextFile.read)
      let texts = try arguments.string("--texts").map { try Self.texts(in: TextFile.read($0)) }
      let grammar = source.grammar(document: document)
      _ = try grammar.grammar()
      workloads = [GrammarWorkload(name: name ?? "", grammar: grammar, texts: texts)]
    } else {
      for option in ["--texts", "--source"] where arguments.has(option) {
        throw UsageError("\(option) goes with --schema, --gbnf or --regex")
      }
      workloads = GrammarWorkload.all
    }
    printsJSON = arguments.has("--json")
    dump = arguments.string("--dump")
    guard dump == nil || !arguments.has("--decode") else {
      throw UsageError("--dump measures nothing: not with --decode")
    }
    let options = try ModelOptions.engine(arguments)
    tokenizer = try ModelOptions.tokenizer(arguments)
    decoding =
      arguments.has("--decode")
      ? Decoding(
        model: try TransformerModel(
          file: ModelFile.open(
            ModelOptions.path(arguments), access: ModelOptions.access(arguments)),
          layout: options.weightLayout, threads: options.threads),
        threads: options.threads ?? ProcessorCount.online, precision: options.precision,
        keyValueType: options.keyValueType) : nil
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
    if let dump {
      let content = GrammarDump(tokenizer: tokenizer, workloads: workloads).content
      return try TextFile.write(content.serialized(), to: dump)
    }
    let (table, setup) = CPUTime.measure { TokenTable(tokenizer.vocabulary) }
    if !printsJSON {
      Console.line(
        "vocabulary of \(table.tokenCount) tokens, arranged in \(Self.rounded(setup * 1e3)) ms")
    }
    for workload in workloads {
      let texts = try workload.texts?.map(tokenizer.tokens) ?? randomTexts(workload, table)
      let masks = try measureMasks(workload, texts, table)
      let decode = try decoding.map { decoding in
        try DecodeMeasurement(
          texts: texts.map { Array($0.prefix(Self.longestDecoded)) }, decoding.model,
          GrammarGuide(
            grammar: try CompiledGrammar(try workload.grammar.grammar(), table),
            tokenizer: tokenizer),
          threads: decoding.threads, precision: decoding.precision,
          keyValueType: decoding.keyValueType)
      }
      if printsJSON {
        Console.data(json(workload, table, setup, masks, decode).serialized())
      } else {
        Console.line(Self.text(workload, texts.count, masks))
        if let decode { Console.line(Self.text(decode)) }
      }
    }
  }

  /// Tokens of one text that are decoded at most.
  private static let longestDecoded = 1024

  private func measureMasks(
    _ workload: GrammarWorkload, _ texts: [[Int]], _ table: TokenTable
  ) throws -> MaskMeasurement {
    do {
      return try MaskMeasurement(texts: texts, table: table) { () throws(GrammarError) in
        try workload.grammar.grammar()
      }
    } catch let wrong as MaskMeasurement.WrongText {
      throw RequestError(
        "--texts: line \(wrong.index + 1) does not match the grammar: \(wrong.reason)")
    }
  }

  /// Walks through a compiled grammar of their own, so that the measured one starts cold.
  private func randomTexts(
    _ workload: GrammarWorkload, _ table: TokenTable
  ) throws -> [[Int]] {
    let grammar = try CompiledGrammar(try workload.grammar.grammar(), table)
    let texts = try (1...9).map { try RandomText.tokens(of: grammar, seed: $0, budget: 100) }
    let whole = texts.compactMap(\.self)
    guard !whole.isEmpty else {
      throw Failure(
        "no random text of 100 tokens is whole; give texts of the grammar with --texts")
    }
    return whole
  }

  // MARK: Printing

  private static func text(
    _ workload: GrammarWorkload, _ texts: Int, _ masks: MaskMeasurement
  ) -> String {
    func row(_ name: String, _ times: [Double]) -> String {
      let values = Statistics(times).columns.map { "\($0.name) \(rounded($0.value * 1e6))" }
      return "  \(name)  " + values.joined(separator: "  ") + " µs"
    }
    return "\n\(workload.name): compiled in \(rounded(masks.compile * 1e3)) ms; "
      + "\(masks.cold.count) masks along \(texts) texts\n"
      + row("warm", masks.warm) + "\n" + row("cold", masks.cold)
  }

  private static func text(_ decode: DecodeMeasurement) -> String {
    func row(_ name: String, _ free: Double, _ guided: Double) -> String {
      let change = String(format: "%+.2f %%", (guided / free - 1) * 100)
      return "\(name) \(rounded(free * 1e3)) → \(rounded(guided * 1e3)) ms (\(change))"
    }
    return "  a token decoded without the grammar → with it:  "
      + row("time", decode.free.meanWall, decode.guided.meanWall) + "  "
      + row("CPU", decode.free.meanCPU, decode.guided.meanCPU)
  }

  private func json(
    _ workload: GrammarWorkload, _ table: TokenTable, _ setup: Double, _ masks: MaskMeasurement,
    _ decode: DecodeMeasurement?
  ) -> OrderedJSON {
    func members(_ prefix: String, _ times: [Double]) -> [OrderedJSON.Member] {
      Statistics(times).columns.map { .init(prefix + $0.name, Self.number($0.value * 1e6)) }
    }
    var result: [OrderedJSON.Member] = [
      .init("engine", "hearth"), .init("vocabulary", .int(table.tokenCount)),
      .init("grammar", .string(workload.name)), .init("setup_ms", Self.number(setup * 1e3)),
      .init("compile_ms", Self.number(masks.compile * 1e3)),
      .init("first_compile_ms", Self.number(masks.firstCompile * 1e3)),
      .init("positions", .int(masks.cold.count)),
      .init("mask_us", .object(members("", masks.warm) + members("cold_", masks.cold))),
    ]
    if let decode {
      func sides(_ free: Double, _ guided: Double) -> OrderedJSON {
        [
          "free_ms": Self.number(free * 1e3), "guided_ms": Self.number(guided * 1e3),
          "ratio": .double((guided / free * 1e4).rounded() / 1e4),
        ]
      }
      result.append(.init("decode_time", sides(decode.free.meanWall, decode.guided.meanWall)))
      result.append(.init("decode_cpu", sides(decode.free.meanCPU, decode.guided.meanCPU)))
    }
    return .object(result)
  }

  /// Three digits after the point are enough for microseconds.
  private static func number(_ value: Double) -> OrderedJSON {
    .double((value * 1000).rounded() / 1000)
  }

  private static func rounded(_ value: Double) -> String {
    String(format: value < 10 ? "%.2f" : "%.0f", value)
  }
}
