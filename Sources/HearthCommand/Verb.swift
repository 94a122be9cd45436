/// One verb of the command: how it is called and what it does.
struct Verb: Sendable {
  let name: String
  /// What follows the name on the usage line.
  let usage: String
  let summary: String
  let details: String
  let options: [Option]
  let run: @Sendable (Arguments) async throws -> Void

  init(
    _ name: String, usage: String, summary: String, details: String = "", options: [Option] = [],
    run: @escaping @Sendable (Arguments) async throws -> Void
  ) {
    self.name = name
    self.usage = usage
    self.summary = summary
    self.details = details
    self.options = options
    self.run = run
  }

  /// The page that `hearth VERB --help` prints.
  var help: String {
    var lines = ["usage: hearth \(name) \(usage)", "", summary]
    if !details.isEmpty { lines += ["", details] }
    if !options.isEmpty { lines += ["", "options:"] + Self.table(options) }
    return lines.joined(separator: "\n")
  }

  private static func table(_ options: [Option]) -> [String] {
    let names = options.map { "  " + $0.name + ($0.value.map { " " + $0 } ?? "") }
    let width = names.map(\.count).max() ?? 0
    return zip(names, options).map { name, option in
      name + String(repeating: " ", count: width - name.count + 2) + option.help
    }
  }
}
