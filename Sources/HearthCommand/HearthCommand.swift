import Foundation

/// The `hearth` command: exit status 0 for success, 1 for a failure, 2 for a wrong call.
@main
struct HearthCommand {
  static let version = "0.1.0"

  static let verbs: [Verb] = [
    runVerb, chatVerb, inspectVerb, modelsVerb, benchVerb, tokenizeVerb, logitsVerb, perplexityVerb,
    quantizeVerb, randomModelVerb,
  ]

  static func main() async {
    var words = Array(CommandLine.arguments.dropFirst())
    let name = words.isEmpty ? nil : words.removeFirst()
    switch name {
    case nil:
      Console.note(overview)
      exit(2)
    case "--help", "-h", "help":
      Console.line(verbs.first { $0.name == words.first }?.help ?? overview)
    case "--version":
      Console.line("hearth \(version)")
    case let name?:
      guard let verb = verbs.first(where: { $0.name == name }) else {
        Console.note("hearth: unknown command \"\(name)\"\n\n" + overview)
        exit(2)
      }
      await run(verb, words)
    }
  }

  private static func run(_ verb: Verb, _ words: [String]) async {
    if words.first == "--help" || words.first == "-h" || words == ["help"] {
      Console.line(verb.help)
      return
    }
    do {
      try await verb.run(Arguments(words, verb.options))
    } catch let error as UsageError {
      Console.note("hearth \(verb.name): \(error)\nSee: hearth \(verb.name) --help")
      exit(2)
    } catch is CancellationError {
      Console.note("hearth \(verb.name): cancelled")
      exit(130)
    } catch {
      Console.note("hearth \(verb.name): \(error)")
      exit(1)
    }
  }

  private static var overview: String {
    let width = verbs.map(\.name.count).max() ?? 0
    let list = verbs.map { verb in
      "  " + verb.name + String(repeating: " ", count: width - verb.name.count + 2) + verb.summary
    }
    return """
      usage: hearth COMMAND [options]

      Runs language models from GGUF files on this machine.

      commands:
      \(list.joined(separator: "\n"))

      hearth COMMAND --help explains a command; hearth --version prints the version.
      """
  }
}
