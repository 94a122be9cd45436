import ConstrainedDecoding
import Foundation
import Tokenization

let grammarVerb = Verb(
  "grammar", usage: "[--model NAME|FILE] | --bench [options]",
  summary: "JSON Lines of grammars and texts to verdicts; measure grammars",
  details: """
    in:  {"schema":…, "input":"…"} or {"gbnf":"…", "root":"root", "input":"…"}
         or {"regex":"…", "input":"…"}; with "source", verbatim parts are copied from it
    out: {"verdict":"accept"}, {"verdict":"reject"}, or {"verdict":"refused","reason":"…"} where
         the line makes no sense or the grammar cannot be enforced
    Schemas mean what their specification says: undeclared properties are allowed, blanks are free.
    Tokens that a grammar names are those of --model. Blank lines are passed over.

    --bench prints what grammars cost on a model's vocabulary: the time to compile, and the time for
    the mask before each token of sample texts, cold and warm, as CPU time of one thread. Without
    --schema, --gbnf or --regex it measures an 8-field schema, JSON in general, strings copied from
    16 KB of text, and two spellings of one grammar. Without --texts other grammars are measured
    along random texts of their own.

    --decode loads the model and decodes the tokens of the texts without the grammar and with it,
    token by token in turn, and prints the time and the CPU time of all threads that a token takes:
    the least of \(DecodeMeasurement.rounds) rounds, on average over the tokens.
    """,
  options: ModelOptions.options.filter { $0.name != "--ctx" } + [
    Option("--bench", nil, "measure instead of reading standard input")
  ] + GrammarOptions.options + benchOptions
) { arguments in
  try arguments.refuseOperands()
  for option in ["--threads", "--mapped", "--backend", "--kv"]
  where arguments.has(option) && !arguments.has("--decode") {
    throw UsageError("\(option) goes with --decode")
  }
  if arguments.has("--bench") { return try GrammarBench(arguments).run() }
  for option in GrammarOptions.options + benchOptions where arguments.has(option.name) {
    throw UsageError("\(option.name) goes with --bench; else grammars come from standard input")
  }
  let vocabulary =
    try arguments.string("--model") == nil
    ? nil : ModelOptions.tokenizer(arguments).vocabulary
  var judge = GrammarJudge(table: vocabulary.map(TokenTable.init) ?? GrammarJudge.bytes)
  try await JSONLines.answerLines { line in
    try judge.verdict(line).line
  } failure: { error in
    // What a line says has no option to leave anything out.
    Verdict.refused((error as? GrammarError)?.problem ?? "\(error)").line
  }
}

/// Options that only mean something with `--bench`.
private let benchOptions = [
  Option("--texts", "FILE", "JSON Lines of strings: the texts to measure along"),
  Option("--source", "FILE", "text that verbatim parts of the grammar are copied from"),
  Option("--decode", nil, "also decode the texts with the model, with and without the grammar"),
  Option("--json", nil, "print one JSON object for each grammar"),
  Option("--dump", "FILE", "write what is measured for other programs to measure the same"),
]

/// What is said about a text and a grammar.
private enum Verdict {
  case accept
  case reject
  case refused(String)

  var line: String {
    let members: [OrderedJSON.Member] =
      switch self {
      case .accept: [.init("verdict", "accept")]
      case .reject: [.init("verdict", "reject")]
      case .refused(let reason):
        [.init("verdict", "refused"), .init("reason", .string(reason))]
      }
    return OrderedJSON.object(members).serialized()
  }
}

/// Judges texts by grammars; many lines in a row may have the same one.
private struct GrammarJudge {
  private let table: TokenTable
  private var last: (request: [OrderedJSON.Member], compiled: CompiledGrammar?)?

  init(table: TokenTable) { self.table = table }

  /// Every byte as a token, which is enough to follow texts.
  static let bytes = TokenTable(
    (0...255).reduce(into: ByteStrings()) { $0.append([UInt8($1)]) }, control: [], endTokens: [])

  /// What is said about a line.
  ///
  /// - Throws: Why the line makes no sense or its grammar is refused.
  mutating func verdict(_ line: String) throws -> Verdict {
    let json = try OrderedJSON(
      parsing: line, maximumDepth: GrammarLimits().maximumNesting + 1)
    guard case .object(let request) = json else { throw RequestError("not a JSON object") }
    try request.refuseOthers(than: ["schema", "gbnf", "regex", "root", "source", "input"])
    guard let input = try request.text("input") else { throw RequestError("\"input\" is missing") }
    let rest = request.filter { $0.name != "input" }
    if last?.request != rest { last = (rest, try compiled(rest)) }
    // A grammar that no text fits is none: this text does not fit it either.
    guard var matcher = last?.compiled?.makeMatcher() else { return .reject }
    return try matcher.accept(text: input.utf8) && matcher.isComplete ? .accept : .reject
  }

  /// The grammar of a line, nil where no text can ever fit it.
  private func compiled(_ request: [OrderedJSON.Member]) throws -> CompiledGrammar? {
    do {
      return try CompiledGrammar(try grammar(request), table)
    } catch GrammarError.unsatisfiable {
      return nil
    }
  }

  private func grammar(_ request: [OrderedJSON.Member]) throws -> Grammar {
    let source = try request.text("source")
    let root = try request.text("root")
    let given = request.map(\.name).filter { ["schema", "gbnf", "regex"].contains($0) }
    guard given.count == 1 else {
      throw RequestError("one of \"schema\", \"gbnf\" and \"regex\" is needed")
    }
    guard root == nil || given == ["gbnf"] else {
      throw RequestError("\"root\" goes with \"gbnf\"")
    }
    if let text = try request.text("gbnf") {
      return try Grammar(gbnf: text, root: root ?? "root", source: source)
    }
    if let pattern = try request.text("regex") { return try Grammar(regex: pattern) }
    var options = JSONSchemaOptions()
    options.undeclaredProperties = .open
    options.whitespace = .free
    return try Grammar(
      jsonSchema: request.value("schema") ?? true, source: source, options: options)
  }
}
