import Foundation
import GGUF
import Inference
import OnDeviceModels
import Tokenization

let tokenizeVerb = Verb(
  "tokenize", usage: "[--model NAME|FILE]",
  summary: "JSON Lines of text to token ids",
  details: """
    in:  {"text":"…", "parse_special":false, "add_special":false}
    out: {"ids":[…]}
    \(JSONLines.help)
    """,
  options: ModelOptions.options.filter { ["--model", "--no-mmap"].contains($0.name) }
) { arguments in
  try arguments.refuseOperands()
  let tokenizer = try ModelOptions.tokenizer(arguments)
  try await JSONLines.answer { request in
    try request.refuseOthers(than: ["text", "parse_special", "add_special"])
    guard let text = try request.text("text") else { throw RequestError("\"text\" is missing") }
    let ids = try tokenizer.encode(
      text, parseSpecial: request.flag("parse_special"), addSpecial: request.flag("add_special"))
    return [.init("ids", .array(ids.map { .int(Int($0)) }))]
  }
}

let logitsVerb = Verb(
  "logits", usage: "[options]",
  summary: "JSON Lines of token ids to logits",
  details: """
    in:  {"tokens":[…], "all":false, "greedy":N}
    out: {"logits":[…]} of the last position, one number for each token of the vocabulary;
         with "all" also "argmax", the most likely token after each position;
         with "greedy" also "greedy", the N most likely tokens in turn
    \(JSONLines.help)
    """,
  options: ModelOptions.options
) { arguments in
  try arguments.refuseOperands()
  let pass = try Evaluator(arguments)
  try await JSONLines.answer { request in
    try request.refuseOthers(than: ["tokens", "all", "greedy"])
    guard let tokens = try request.tokens("tokens") else {
      throw RequestError("\"tokens\" is missing")
    }
    let greedy = try request.count("greedy", upTo: pass.contextSize)
    var argmax: [Int] = []
    let wantsAll = try request.flag("all")
    try pass.run(tokens, all: wantsAll) { row, _ in argmax.append(row) }
    var result: [OrderedJSON.Member] = [
      .init("logits", .array(pass.lastLogits.map { .double(Double("\($0)") ?? Double($0)) }))
    ]
    if wantsAll { result.append(.init("argmax", .array(argmax.map { .int($0) }))) }
    if let greedy {
      result.append(.init("greedy", .array(try pass.greedy(greedy).map { .int(Int($0)) })))
    }
    return result
  }
}

let perplexityVerb = Verb(
  "perplexity", usage: "[options]",
  summary: "JSON Lines of text or token ids to perplexity",
  details: """
    in:  {"text":"…"} or {"tokens":[…]}
    out: {"perplexity":…, "logprobs":[…], "tokens":N}; a log-probability for each token but the
         first, given those before it
    \(JSONLines.help)
    """,
  options: ModelOptions.options
) { arguments in
  try arguments.refuseOperands()
  let pass = try Evaluator(arguments)
  let tokenizer = try Tokenizer(file: pass.file)
  ModelOptions.warn(tokenizer)
  try await JSONLines.answer { request in
    try request.refuseOthers(than: ["text", "tokens"])
    let text = try request.text("text").map { tokenizer.encode($0, addSpecial: true) }
    let given = try request.tokens("tokens")
    guard let tokens = given ?? text, text == nil || given == nil else {
      throw RequestError("either \"text\" or \"tokens\" is needed")
    }
    guard tokens.count > 1 else { throw RequestError("at least two tokens are needed") }
    let logprobs = try pass.logprobs(tokens)
    let mean = logprobs.reduce(0, +) / Double(logprobs.count)
    return [
      .init("perplexity", .double(exp(-mean))),
      .init("logprobs", .array(logprobs.map { .double($0) })),
      .init("tokens", .int(tokens.count)),
    ]
  }
}

/// A forward pass that starts anew with each request.
private final class Evaluator {
  let file: GGUFFile
  private let pass: ForwardPass

  var contextSize: Int { pass.cache.capacity }

  init(_ arguments: Arguments) throws {
    let options = try ModelOptions.engine(arguments)
    file = try ModelFile.open(ModelOptions.path(arguments), access: ModelOptions.access(arguments))
    let model = try TransformerModel(
      file: file, layout: options.weightLayout, threads: options.threads)
    ModelOptions.warn(model.cacheProblem)
    pass = try ForwardPass(
      model, contextSize: options.contextSize ?? model.configuration.defaultContextSize,
      threads: options.threads ?? ProcessorCount.online, precision: options.precision,
      keyValueType: options.keyValueType)
  }

  /// Positions whose logits are held at once: a quarter of a million floats each at the most.
  private static let chunk = 64

  /// Runs `tokens`, which must fit, and visits each position's most likely token if `all`.
  func run(
    _ tokens: [TokenID], all: Bool, _ visit: (_ argmax: Int, _ position: Int) -> Void
  ) throws {
    try forEachChunk(tokens, wanted: all ? .all : .last) { rows, start in
      guard all else { return }
      for row in 0..<rows { visit(pass.argmax(row: row), start + row) }
    }
  }

  /// Log-probability of each token but the first.
  func logprobs(_ tokens: [TokenID]) throws -> [Double] {
    var result: [Double] = []
    try forEachChunk(tokens, wanted: .all) { rows, start in
      for row in 0..<rows where start + row + 1 < tokens.count {
        result.append(
          pass.logits.withRow(row) { logProbability(of: tokens[start + row + 1], in: $0) })
      }
    }
    return result
  }

  private func forEachChunk(
    _ tokens: [TokenID], wanted: LogitsWanted, _ body: (_ rows: Int, _ start: Int) -> Void
  ) throws {
    guard !tokens.isEmpty else { throw RequestError("\"tokens\" is empty") }
    guard tokens.count <= contextSize else {
      throw InferenceError.contextSizeExceeded(contextSize: contextSize, tokenCount: tokens.count)
    }
    let vocabularySize = pass.model.configuration.vocabularySize
    for token in tokens where token < 0 || Int(token) >= vocabularySize {
      throw InferenceError.invalidToken(id: Int(token), vocabularySize: vocabularySize)
    }
    pass.cache.truncate(to: 0)
    for start in stride(from: 0, to: tokens.count, by: Self.chunk) {
      let chunk = tokens[start..<min(start + Self.chunk, tokens.count)]
      try pass.run(chunk.span, wanted: wanted)
      try pass.checkLogits()
      body(chunk.count, start)
    }
  }

  /// Logits of the last position.
  var lastLogits: [Float] { pass.logits.row(pass.logits.rows - 1) }

  /// The most likely tokens in turn, after `run`.
  func greedy(_ count: Int) throws -> [TokenID] {
    var result: [TokenID] = []
    while result.count < count {
      let token = TokenID(pass.argmax(row: pass.logits.rows - 1))
      result.append(token)
      guard result.count < count else { break }
      try pass.run([token].span, wanted: .last)
      try pass.checkLogits()
    }
    return result
  }
}
