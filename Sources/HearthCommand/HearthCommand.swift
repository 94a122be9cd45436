import Foundation

/// The `hearth` command; its overview says what the exit statuses mean.
@main
struct HearthCommand {
  static let version = "0.1.0"

  static let verbs: [Verb] = [
    runVerb,
    chatVerb,
    extractVerb,
    inspectVerb,
    modelsVerb,
    benchVerb,
    grammarVerb,
    templateVerb,
    tokenizeVerb,
    logitsVerb,
    perplexityVerb,
    quantizeVerb,
    randomModelVerb,
  ]

  static func main() async {
    // A file that may not grow further is an error of its write, not the end.
    signal(SIGXFSZ, SIG_IGN)
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case nil:
      Console.note(overview)
      exit(2)
    case "--help", "-h", "help":
      if words.count == 1 { return Console.line(overview) }
      await run(Array(words.dropFirst()), showsHelp: true)
    case "--version":
      Console.line("hearth \(version)")
    default:
      await run(words, showsHelp: false)
    }
  }

  /// Finds the verb, and the action where it has some, and runs it or shows its help.
  private static func run(_ words: [String], showsHelp: Bool) async {
    guard let verb = verbs.first(where: { $0.name == words[0] }) else {
      Console.note("hearth: unknown command \"\(words[0])\"\n\n" + overview)
      exit(2)
    }
    // `hearth models help pull` and `hearth models --help pull` are about the action.
    if words.count > 2, !verb.actions.isEmpty, ["help", "--help", "-h"].contains(words[1]) {
      return await run([words[0]] + words[2...], showsHelp: true)
    }
    let action = words.count > 1 ? verb.actions.first { $0.name == words[1] } : nil
    let path = words.prefix(action == nil ? 1 : 2).joined(separator: " ")
    await run(
      action ?? verb, path, Array(words.dropFirst(action == nil ? 1 : 2)), showsHelp: showsHelp)
  }

  private static func run(
    _ verb: Verb, _ path: String, _ words: [String], showsHelp: Bool
  ) async {
    do {
      let arguments = try Arguments(words, verb.options)
      guard !showsHelp, !arguments.wantsHelp else { return Console.line(verb.help(path)) }
      try await verb.run(arguments)
    } catch is CancellationError {
      Console.note("hearth \(path): cancelled")
      exit(Interrupt.status(of: SIGINT))
    } catch let error as Terminated {
      Console.note("hearth \(path): \(error)")
      exit(Interrupt.status(of: error.signal))
    } catch {
      let isWrongCall = ErrorText.isAboutOptions(error)
      let advice = isWrongCall ? "\nSee: hearth \(path) --help" : ""
      Console.note("hearth \(path): \(ErrorText.of(error))\(advice)")
      exit(isWrongCall ? 2 : 1)
    }
  }

  private static var overview: String {
    """
    usage: hearth COMMAND [options]

    Runs language models from GGUF files on this machine.

    commands:
    \(Verb.table(verbs.map { ($0.name, $0.summary) }).joined(separator: "\n"))

    hearth COMMAND --help explains a command; hearth --version prints the version.

    exit status: 0 done; 1 failed, also for a model or file that is not there; 2 a call that makes no
    sense: an unknown command, option or choice, or an option with a value that it cannot have; 130 or
    143 ended by Ctrl-C or SIGTERM (128 and the signal's number).
    """
  }
}
