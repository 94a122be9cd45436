/// Tells calls of tools from text in what a model writes, piece by piece.
package struct CallReader: Sendable {
  /// What was read.
  package enum Event: Equatable, Sendable {
    /// Text of the response.
    case text(String)
    /// More of the arguments of the call with this number.
    case arguments(call: Int, name: String, String)
  }

  private enum State {
    /// It is not clear yet what it will be.
    case undecided
    /// Text to the end.
    case text
    /// Inside the arguments of a call.
    case arguments(name: String)
    /// Behind the arguments: there may be another call.
    case behind
  }

  private let firstCalls: [(lead: [UInt8], name: String)]
  private let nextCalls: [(lead: [UInt8], name: String)]
  private var state = State.undecided
  private var buffer: [UInt8]
  private var value = JSONValueEnd()
  /// Calls begun so far.
  package private(set) var count = 0

  /// - Parameters:
  ///   - format: how the model writes calls.
  ///   - names: the tools that may be called.
  ///   - lead: what of the first call was written before.
  package init(_ format: ToolCallFormat, names: [String], behind lead: String = "") {
    func leads(_ text: String) -> [(lead: [UInt8], name: String)] {
      names.map { (Array((text + format.name($0) + format.between).utf8), $0) }
    }
    firstCalls = leads(format.opening)
    nextCalls = format.joint.map(leads) ?? []
    buffer = Array(lead.utf8)
  }

  /// Takes more of what the model writes.
  package mutating func append(_ piece: String) -> [Event] {
    buffer += piece.utf8
    var events: [Event] = []
    while let event = next() { events.append(event) }
    return events.filter { $0 != .text("") }
  }

  /// What was held back, at the end.
  package mutating func finish() -> [Event] {
    guard case .undecided = state, count == 0, !buffer.isEmpty else { return [] }
    return [.text(take(buffer.count))]
  }

  /// The next step; nil where more has to come first.
  private mutating func next() -> Event? {
    guard !buffer.isEmpty else { return nil }
    switch state {
    case .text: return .text(take(buffer.count))
    case .undecided:
      if let call = firstCalls.first(where: { buffer.starts(with: $0.lead) }) {
        return begin(call.name, behind: call.lead.count)
      }
      if firstCalls.contains(where: { $0.lead.starts(with: buffer) }) { return nil }
      state = .text
      return .text(take(buffer.count))
    case .arguments(let name):
      let (length, hasEnded) = value.read(buffer)
      if hasEnded { state = .behind }
      return length > 0 ? .arguments(call: count - 1, name: name, take(length)) : .text("")
    case .behind:
      guard let call = nextCalls.first(where: { buffer.starts(with: $0.lead) }) else { return nil }
      return begin(call.name, behind: call.lead.count)
    }
  }

  private mutating func begin(_ name: String, behind lead: Int) -> Event {
    _ = take(lead)
    state = .arguments(name: name)
    value = JSONValueEnd()
    count += 1
    return .arguments(call: count - 1, name: name, "")
  }

  private mutating func take(_ length: Int) -> String {
    defer { buffer.removeFirst(length) }
    return String(decoding: buffer[..<length], as: UTF8.self)
  }
}

/// Finds the end of a JSON value that comes piece by piece.
struct JSONValueEnd: Sendable {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var isNumberOrWord = false

  /// Reads more of the value.
  ///
  /// - Returns: how many of the bytes belong to the value, and whether it ends with them.
  mutating func read(_ bytes: [UInt8]) -> (length: Int, hasEnded: Bool) {
    for (index, byte) in bytes.enumerated() {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          if depth == 0 { return (index + 1, true) }
        }
        continue
      }
      if isNumberOrWord, depth == 0, !Self.belongsToWord(byte) { return (index, true) }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return (index + 1, true) }
      case 0x20, 0x09, 0x0A, 0x0D: break
      default: isNumberOrWord = depth == 0
      }
    }
    return (bytes.count, false)
  }

  private static func belongsToWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}
