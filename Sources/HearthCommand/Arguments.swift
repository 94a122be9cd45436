/// One option of a verb: its names, what it takes and what it is for.
struct Option: Sendable {
  let name: String
  /// What the value is called in the help; nil for a switch.
  let value: String?
  let help: String

  init(_ name: String, _ value: String? = nil, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }
}

/// A command line that makes no sense; the text says what is wrong.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The options and operands of one verb, checked against what it knows.
struct Arguments {
  private var values: [String: [String]] = [:]
  private(set) var operands: [String] = []
  /// Whether `--help` or `-h` stands where an option does, not where a value does.
  private(set) var wantsHelp = false

  /// Reads `--name value`, `--name=value`, switches and operands; `--` ends the options.
  ///
  /// Nothing else matters beside a call for help.
  ///
  /// - Throws: `UsageError` for an unknown option, a missing or an unexpected value.
  init(_ words: [String], _ options: [Option]) throws(UsageError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      guard word.hasPrefix("-"), word != "-", Double(word) == nil else {
        operands.append(word)
        continue
      }
      if word == "--help" || word == "-h" {
        wantsHelp = true
        return
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        throw UsageError("unknown option \(parts[0])")
      }
      if option.value == nil {
        guard parts.count == 1 else { throw UsageError("\(option.name) takes no value") }
        values[option.name, default: []].append("")
      } else if parts.count == 2 {
        values[option.name, default: []].append(String(parts[1]))
      } else if let value = rest.popFirst() {
        values[option.name, default: []].append(value)
      } else {
        throw UsageError("\(option.name) needs a value (\(option.value ?? ""))")
      }
    }
  }

  /// Whether a switch was given.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The last value given.
  func string(_ name: String) -> String? { values[name]?.last }

  /// All values given, in order.
  func strings(_ name: String) -> [String] { values[name] ?? [] }

  /// The last value given, as a number of the type asked for.
  ///
  /// - Throws: `UsageError` naming the option when it is no such number.
  func number<T: LosslessStringConvertible>(_ name: String, _ type: T.Type) throws(UsageError) -> T?
  {
    guard let text = string(name) else { return nil }
    guard let value = T(text) else {
      throw UsageError("\(name) needs a number, not \"\(text)\"")
    }
    return value
  }

  /// Refuses operands where a verb takes none, or more than it takes.
  func refuseOperands(after count: Int = 0) throws(UsageError) {
    guard operands.count > count else { return }
    throw UsageError("unexpected argument \"\(operands[count])\"")
  }
}
