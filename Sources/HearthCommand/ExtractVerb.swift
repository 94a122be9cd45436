import ConstrainedDecoding
import Foundation
import Inference
import OnDeviceModels
import Tokenization

let extractVerb = Verb(
  "extract", usage: "--schema FILE | --gbnf FILE | --regex R  [options]",
  summary: "take data out of a text; the output always has the shape asked for",
  details: """
    Reads a document from standard input and prints what the model finds in it: JSON with the
    schema's properties in their order and no others, or text that matches the grammar.

    With --jsonl every line of standard input is a document, {"text":"…"} or just "…", and every one
    is answered by one line: the value, or {"error":"…"}, with "partial" where a limit cut it short.
    A value that is no JSON is printed as a JSON string. Blank lines are passed over.

    --verbatim holds strings of the schema to spans of the document while they are written, so that
    they can only be copied, never invented: --verbatim sender.name,items.code. In a schema
    "x-verbatim": true does the same, in GBNF @verbatim.

    A limit that comes near closes the value by the shortest legal way. The exit status is 0 only if
    every value is complete.
    """,
  options: GrammarOptions.options + [
    Option("--verbatim", "FIELD,…", "strings to copy from the document, by path"),
    Option("--jsonl", nil, "many documents, one a line"),
    Option("--system", "TEXT", "another task for the model than to extract data"),
  ] + ModelOptions.options
    + PromptOptions.options.filter {
      ["--template", "--raw"].contains($0.name)
    }
    + SamplingArguments.options.compactMap { option in
      switch option.name {
      case "--stop": nil
      case "--temperature":
        Option("--temperature", "T", "0 takes the most likely token (default: 0)")
      case "--max-tokens":
        Option("--max-tokens", "N", "tokens of one value at most (default: \(longestValue))")
      case "--seed": Option("--seed", "N", "repeats a run that has a temperature")
      default: option
      }
    }
) { arguments in
  try arguments.refuseOperands()
  let extractor = try await Extractor(arguments)
  if arguments.has("--jsonl") {
    try await extractor.answerLines()
  } else {
    let document = try StandardInput.all()
    guard !document.isEmpty else { throw UsageError("the document on standard input is empty") }
    Console.data(try await extractor.value(of: document))
  }
}

/// Tokens of one value unless another limit is asked for: a small model may not find an end.
private let longestValue = 1024

/// Finds values in documents.
private struct Extractor {
  private let model: OnDeviceModel
  private let source: GrammarOptions.Source
  private let verbatim: [String]
  private let options: GenerationOptions
  private let prompt: ExtractionPrompt
  private let isRaw: Bool

  init(_ arguments: Arguments) async throws {
    verbatim = arguments.strings("--verbatim").flatMap { list in
      list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    if !verbatim.isEmpty, !arguments.has("--schema") {
      throw UsageError("--verbatim goes with --schema; in GBNF write @verbatim")
    }
    guard let source = try GrammarOptions.source(arguments, verbatim: verbatim) else {
      throw UsageError("--schema, --gbnf or --regex is needed")
    }
    self.source = source
    var options = try SamplingArguments.generation(arguments)
    if !arguments.has("--temperature") { options.sampling.temperature = 0 }
    options.maximumResponseTokens = options.maximumResponseTokens ?? longestValue
    self.options = options
    let engine = try ModelOptions.engine(arguments)
    let template = try PromptOptions.template(arguments)
    isRaw = arguments.has("--raw")
    prompt = try ExtractionPrompt(source, task: arguments.string("--system"))
    model = try await ModelOptions.load(
      arguments, ModelOptions.path(arguments), engine, template)
    if !isRaw, try !model.hasChatTemplate { throw PromptError.noTemplate }
    if !source.isBound(verbatim) {
      try await model.compile(source.grammar(document: nil))
    }
  }

  /// Answers every line of standard input.
  ///
  /// - Throws: `Failure` at the end if a value was not complete.
  func answerLines() async throws {
    var (answers, failures) = (0, 0)
    try await JSONLines.answerLines { line in
      let value = try await value(of: Self.document(in: line), answer: answers + 1)
      answers += 1
      return JSONSpacing.oneLine(value, source)
    } failure: { error in
      if error is CancellationError || error is Terminated { throw error }
      answers += 1
      failures += 1
      return Self.line(error)
    }
    guard failures == 0 else {
      throw Failure("\(failures) of \(answers) lines have no complete value")
    }
  }

  private static func document(in line: String) throws -> String {
    let request = try OrderedJSON(parsing: line)
    if let text = request.stringValue { return try nonEmpty(text) }
    guard case .object(let members) = request else {
      throw RequestError("a line is {\"text\":\"…\"} or a JSON string")
    }
    try members.refuseOthers(than: ["text"])
    guard let text = try members.text("text") else { throw RequestError("\"text\" is missing") }
    return try nonEmpty(text)
  }

  private static func nonEmpty(_ text: String) throws -> String {
    guard !text.isEmpty else { throw RequestError("the document is empty") }
    return text
  }

  private static func line(_ error: any Error) -> String {
    var members: [OrderedJSON.Member] = [.init("error", .string(ErrorText.of(error)))]
    if let incomplete = error as? IncompleteValue {
      members = [
        .init("error", .string(incomplete.reason)), .init("partial", .string(incomplete.text)),
      ]
    }
    return OrderedJSON.object(members).serialized()
  }

  /// What the model finds in a document.
  ///
  /// - Parameters:
  ///   - document: the text to look in.
  ///   - answer: its number among several, for what is said of it.
  /// - Returns: a whole value.
  /// - Throws: `IncompleteValue`, and why there is no value at all.
  func value(of document: String, answer: Int? = nil) async throws -> String {
    Interrupt.prepare()
    let work = Task {
      var options = options
      options.grammar = source.grammar(document: document, verbatim: verbatim)
      let stream =
        isRaw
        ? try await model.complete(prompt.whole(document), options: options)
        : try await model.respond(
          to: document, instructions: prompt.instructions, options: options)
      let response = try await stream.guided()
      guard let value = response.value else {
        throw IncompleteValue(text: response.text, reason: Timing.describe(stream.finishReason))
      }
      if stream.finishReason != .endOfTurn {
        let which = answer.map { "answer \($0) " } ?? ""
        Console.note("[\(which)closed early: \(Timing.describe(stream.finishReason))]")
      }
      return value
    }
    return try await Interrupt.cancelling(work)
  }
}

/// A value that a limit cut short.
struct IncompleteValue: Error, CustomStringConvertible {
  let text: String
  let reason: String

  var description: String { "the value is not complete (\(reason)): \(text)" }
}
