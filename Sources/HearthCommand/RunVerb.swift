import ConstrainedDecoding
import Foundation
import Inference
import OnDeviceModels

let runVerb = Verb(
  "run", usage: "[options] [PROMPT…]",
  summary: "answer one prompt, streaming the text",
  details: """
    The prompt is PROMPT (several words are joined by blanks; -- before it lets it begin with a dash),
    the text of --prompt, or else standard input. The answer goes to standard output, one line of
    timing to standard error.

    With --schema, --gbnf or --regex the answer always has that shape; verbatim parts of it are
    copied from the prompt. A limit that comes near closes it by the shortest legal way; where even
    that is impossible the exit status is 1.
    """,
  options: ModelOptions.options + PromptOptions.options + GrammarOptions.options
    + SamplingArguments.options + [Option("--quiet", nil, "no timing line")]
) { arguments in
  var prompt = arguments.string("--prompt")
  if prompt == nil, !arguments.operands.isEmpty {
    prompt = arguments.operands.joined(separator: " ")
  } else {
    try arguments.refuseOperands()
  }
  if arguments.has("--raw"), arguments.has("--system") {
    throw UsageError("--raw has no place for --system: write the instructions into the prompt")
  }
  var options = try SamplingArguments.generation(arguments)
  let source = try GrammarOptions.source(arguments)
  if source != nil, !options.stopStrings.isEmpty {
    throw UsageError("--stop goes with no grammar, which says itself where the text ends")
  }
  let engine = try ModelOptions.engine(arguments)
  let template = try PromptOptions.template(arguments)
  let path = try ModelOptions.path(arguments)
  let text = try prompt ?? StandardInput.all()
  guard !text.isEmpty else { throw UsageError("the prompt is empty") }
  options.grammar = source?.grammar(document: text)
  // Whether the prompt has what is to be copied is found before the model is loaded.
  _ = try options.grammar?.grammar()
  let model = try await ModelOptions.load(arguments, path, engine, template)

  Interrupt.prepare()
  let work = Task { [options] in
    let stream =
      arguments.has("--raw")
      ? try await model.complete(text, options: options)
      : try await model.respond(
        to: text, instructions: arguments.string("--system"), options: options)
    var last = ""
    for try await piece in stream {
      Console.write(piece)
      last = piece
    }
    if !last.hasSuffix("\n") { Console.write("\n") }
    if !arguments.has("--quiet") { Console.note(Timing.line(stream)) }
    if options.grammar != nil, stream.outcome != .complete {
      throw Failure("the answer is not complete: \(Timing.describe(stream.finishReason))")
    }
  }
  do {
    try await Interrupt.cancelling(work)
  } catch let error as CancellationError {
    Console.write("\n")
    throw error
  }
}

/// How a prompt is put to the model.
enum PromptOptions {
  static let options = [
    Option("--prompt", "TEXT", "what to ask"),
    Option("--system", "TEXT", "instructions for the model"),
    Option("--template", "NAME|FILE", "chat template: chatml, gemma or a Jinja file"),
    Option("--raw", nil, "continue the text as it is, without a chat template"),
  ]

  static func template(_ arguments: Arguments) throws -> ChatTemplateChoice? {
    guard let named = arguments.string("--template") else { return nil }
    guard !arguments.has("--raw") else {
      throw UsageError("--raw and --template exclude each other")
    }
    if let known = ChatTemplateChoice(named: named) { return known }
    do throws(FileError) {
      return .source(try TextFile.read(named))
    } catch {
      throw Failure(
        "--template is neither a known name (\(ChatTemplateChoice.names.joined(separator: ", "))) "
          + "nor a readable file: \(error)")
    }
  }
}

/// The line that says what a response cost.
enum Timing {
  static func line(_ stream: TextStream) -> String {
    let metrics = stream.metrics
    let cached = metrics.cachedTokens ?? 0
    let usage = stream.usage
    // The first token comes with the prompt; the others are decoded one by one.
    let prompt = rate(metrics.promptTokens - cached, metrics.prefillTime)
    let response = rate(metrics.responseTokens - 1, metrics.decodeTime)
    return "[prompt \(metrics.promptTokens) tokens"
      + (cached > 0 ? ", \(cached) cached" : "") + prompt
      + " · response \(metrics.responseTokens) tokens" + response
      + " · context \(usage.contextSize - usage.free) of \(usage.contextSize)"
      + " · seed \(metrics.seed) · \(describe(stream.finishReason))]"
  }

  private static func rate(_ tokens: Int, _ time: Duration) -> String {
    let seconds = time / .seconds(1)
    guard tokens > 0, seconds > 0 else { return "" }
    return String(format: ", %.0f ms, %.1f tokens/s", seconds * 1000, Double(tokens) / seconds)
  }

  static func describe(_ reason: FinishReason?) -> String {
    switch reason {
    case .endOfTurn: "end of turn"
    case .stopString(let text): "stop string \(String(reflecting: text))"
    case .tokenLimit: "token limit"
    case .timeLimit: "time limit"
    case .contextFull: "context full"
    case .noLegalToken: "no token of the vocabulary can continue the grammar"
    case .cancelled, nil: "cancelled"
    }
  }
}

/// What went wrong, where no other error says it.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
