/// Whether texts are JSON by its grammar alone (RFC 8259).
///
/// Unlike a reader of values it has no limit on nesting or on the size of numbers.
struct JSONSyntax {
  private let bytes: [UInt8]
  private var position = 0

  private init(_ text: String) { bytes = Array(text.utf8) }

  /// Whether the whole of `text` is one JSON value.
  static func isValue(_ text: String) -> Bool {
    var syntax = JSONSyntax(text)
    guard syntax.skipValue() else { return false }
    syntax.skipBlanks()
    return syntax.position == syntax.bytes.count
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  /// One value; what is open is kept in a list, as deep values must not exhaust the stack.
  private mutating func skipValue() -> Bool {
    var closings: [Unicode.Scalar] = []
    while true {
      skipBlanks()
      if skip("[") {
        skipBlanks()
        if !skip("]") {
          closings.append("]")
          continue
        }
      } else if skip("{") {
        skipBlanks()
        if !skip("}") {
          guard skipKey() else { return false }
          closings.append("}")
          continue
        }
      } else if !skipScalar() {
        return false
      }
      // A value has ended: the next one of what is open follows, or that ends as well.
      while let closing = closings.last {
        skipBlanks()
        if skip(",") {
          if closing == "}", !skipKey() { return false }
          break
        }
        guard skip(closing) else { return false }
        closings.removeLast()
      }
      if closings.isEmpty { return true }
    }
  }

  private mutating func skipKey() -> Bool {
    skipBlanks()
    guard skipString() else { return false }
    skipBlanks()
    return skip(":")
  }

  private mutating func skipScalar() -> Bool {
    switch current {
    case UInt8(ascii: "\""): skipString()
    case UInt8(ascii: "t"): skipWord("true")
    case UInt8(ascii: "f"): skipWord("false")
    case UInt8(ascii: "n"): skipWord("null")
    default: skipNumber()
    }
  }

  private mutating func skipWord(_ word: String) -> Bool {
    guard bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  private mutating func skipDigits() -> Bool {
    let start = position
    while let byte = current, isDigit(byte) { position += 1 }
    return position > start
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private mutating func skipNumber() -> Bool {
    _ = skip("-")
    if !skip("0"), !skipDigits() { return false }
    if skip("."), !skipDigits() { return false }
    if skip("e") || skip("E") {
      if !skip("+") { _ = skip("-") }
      return skipDigits()
    }
    return true
  }

  private mutating func skipString() -> Bool {
    guard skip("\"") else { return false }
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"):
        guard skipEscape() else { return false }
      case 0..<0x20: return false
      default: break
      }
    }
    return false
  }

  private mutating func skipEscape() -> Bool {
    guard let byte = current else { return false }
    position += 1
    if byte != UInt8(ascii: "u") { return "\"\\/bfnrt".utf8.contains(byte) }
    for _ in 0..<4 {
      guard let digit = current, Character(Unicode.Scalar(digit)).isHexDigit, digit < 0x80 else {
        return false
      }
      position += 1
    }
    return true
  }
}
