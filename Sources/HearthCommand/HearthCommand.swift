import Foundation

/// The `hearth` command: exit status 0 for success, 1 for a failure, 2 for a wrong call, 130 for an
/// end by Ctrl-C.
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
    } catch let error as UsageError {
      Console.note("hearth \(path): \(error)\nSee: hearth \(path) --help")
      exit(2)
    } catch is CancellationError {
      Console.note("hearth \(path): cancelled")
      exit(130)
    } catch {
      Console.note("hearth \(path): \(error)")
      exit(1)
    }
  }

  private static var overview: String {
    """
    usage: hearth COMMAND [options]

    Runs language models from GGUF files on this machine.

    commands:
    \(Verb.table(verbs.map { ($0.name, $0.summary) }).joined(separator: "\n"))

    hearth COMMAND --help explains a command; hearth --version prints the version.
    """
  }
}
