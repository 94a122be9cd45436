/// One verb of the command: how it is called and what it does.
struct Verb: Sendable {
  let name: String
  /// What follows the name on the usage line.
  let usage: String
  let summary: String
  let details: String
  let options: [Option]
  /// What the verb can be told to do, each with options and help of its own.
  let actions: [Verb]
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
    actions = []
    self.run = run
  }

  /// A verb that is always followed by one of its actions.
  init(_ name: String, summary: String, details: String = "", actions: [Verb]) {
    self.name = name
    usage = "ACTION …"
    self.summary = summary
    self.details = details
    options = []
    self.actions = actions
    run = { arguments in
      let names = actions.map(\.name).joined(separator: ", ")
      guard let word = arguments.operands.first else { throw UsageError("one of \(names)?") }
      throw UsageError("unknown action \"\(word)\"; there are \(names)")
    }
  }

  /// The page that `hearth VERB --help` prints; `path` is how the verb is called.
  func help(_ path: String) -> String {
    var lines = ["usage: hearth \(path)" + (usage.isEmpty ? "" : " " + usage), "", summary]
    if !details.isEmpty { lines += ["", details] }
    if !actions.isEmpty {
      lines += ["", "actions:"]
      lines += Self.table(actions.map { ($0.name, $0.summary) })
      lines += ["", "hearth \(path) ACTION --help explains an action."]
    }
    if !options.isEmpty {
      lines += ["", "options:"]
      lines += Self.table(options.map { ($0.name + ($0.value.map { " " + $0 } ?? ""), $0.help) })
    }
    return lines.joined(separator: "\n")
  }

  /// Rows of two columns.
  static func table(_ rows: [(name: String, text: String)]) -> [String] {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { name, text in
      "  " + name + String(repeating: " ", count: width - name.count + 2) + text
    }
  }
}
