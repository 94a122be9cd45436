import Foundation
import Inference
import OnDeviceModels

let chatVerb = Verb(
  "chat", usage: "[options]",
  summary: "talk in several turns; the KV cache is kept between them",
  details: """
    One line is one turn. Ctrl-C ends the response, or the program when it waits for input.
    /reset forgets the turns, /stats shows how the context is filled, /exit ends.
    """,
  options: ModelOptions.options
    + PromptOptions.options.filter { $0.name.hasPrefix("--sys") || $0.name == "--template" }
    + SamplingArguments.options
) { arguments in
  try arguments.refuseOperands()
  let options = try SamplingArguments.generation(arguments)
  let engine = try ModelOptions.engine(arguments)
  let template = try PromptOptions.template(arguments)
  let model = try await ModelOptions.load(
    arguments, ModelOptions.path(arguments), engine, template)
  guard try model.hasChatTemplate else { throw PromptError.noTemplate }
  var chat = ChatLoop(
    conversation: Conversation(model, instructions: arguments.string("--system")),
    options: options, contextSize: model.contextSize)
  try await chat.run()
}

/// Reads turns from standard input until it ends.
private struct ChatLoop {
  let conversation: Conversation
  let options: GenerationOptions
  let contextSize: Int
  private var usage: ContextUsage?
  private var lines = LineReader()

  init(conversation: Conversation, options: GenerationOptions, contextSize: Int) {
    self.conversation = conversation
    self.options = options
    self.contextSize = contextSize
  }

  mutating func run() async throws {
    let isInteractive = Console.hasTerminalForInput
    while true {
      if isInteractive { Console.status("> ") }
      guard let line = try lines.next() else { return }
      let text: String
      switch line {
      case .text(let line): text = line
      case .tooLong:
        Console.note("that line is too long")
        continue
      case .invalid(let error):
        Console.note("\(error)")
        continue
      }
      switch text.trimmingCharacters(in: .whitespaces) {
      case "": continue
      case "/exit", "/quit": return
      case "/reset":
        conversation.reset()
        usage = nil
        Console.note("[the turns so far are forgotten]")
      case "/stats": Console.note(stats)
      case let command where command.hasPrefix("/"):
        Console.note("[unknown: \(command); there are /reset, /stats and /exit]")
      default: await answer(text)
      }
    }
  }

  /// One turn; what goes wrong in it is said, and the talk goes on.
  private mutating func answer(_ text: String) async {
    let (conversation, options) = (conversation, options)
    let work = Task {
      let stream = try await conversation.send(text, options: options)
      var last = ""
      for try await piece in stream {
        Console.write(piece)
        last = piece
      }
      if !last.hasSuffix("\n") { Console.write("\n") }
      return stream
    }
    do {
      let stream = try await Interrupt.cancelling(work)
      usage = stream.usage
      Console.note(Timing.line(stream))
    } catch is CancellationError {
      Console.note("\n[cancelled; this turn is not kept]")
    } catch InferenceError.contextSizeExceeded(let size, let count) {
      Console.note("[\(count) tokens do not fit the context of \(size); /reset starts anew]")
    } catch {
      Console.note("[\(error); this turn is not kept]")
    }
  }

  private var stats: String {
    let usage = usage ?? ContextUsage(contextSize: contextSize)
    return "[context \(usage.contextSize): instructions \(usage.instructions), "
      + "prompt \(usage.prompt), response \(usage.response), free \(usage.free) · "
      + "\(conversation.messages.count / 2) turns]"
  }
}
