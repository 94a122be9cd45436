import Foundation
import Inference
import OnDeviceModels

let chatVerb = Verb(
  "chat", usage: "[options]",
  summary: "talk in several turns; the KV cache is kept between them",
  details: """
    One line is one turn; blank ones are passed over. Ctrl-C ends the response, or the program when
    it waits for input. /reset forgets the turns, /stats shows how the context is filled, /exit ends.
    Without --system some chat templates give instructions of their own; /stats counts them.
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
  guard try model.hasChatTemplate else {
    throw Failure(
      "the model file has no chat template: choose one with --template (chatml, gemma or a Jinja "
        + "file)")
  }
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
      default: try await answer(text)
      }
    }
  }

  /// One turn; what goes wrong in it is said, and the talk goes on.
  ///
  /// - Throws: `Terminated`.
  private mutating func answer(_ text: String) async throws {
    let (conversation, options) = (conversation, options)
    Interrupt.prepare()
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
    } catch let error as Terminated {
      throw error
    } catch is CancellationError {
      Console.note("\n[cancelled; this turn is not kept]")
    } catch InferenceError.contextSizeExceeded(let size, let count) {
      Console.note("[\(count) tokens do not fit the context of \(size); /reset starts anew]")
    } catch {
      Console.note("[\(ErrorText.of(error)); this turn is not kept]")
    }
  }

  private var stats: String {
    let usage = usage ?? ContextUsage(contextSize: contextSize)
    let own = usage.templateInstructions
    let turns = conversation.messages.count / 2
    return "[context \(usage.contextSize): instructions \(usage.instructions), "
      + (own > 0 ? "the template's own instructions \(own), " : "")
      + "prompt \(usage.prompt), response \(usage.response), free \(usage.free) · "
      + "\(turns) \(turns == 1 ? "turn" : "turns")]"
  }
}
