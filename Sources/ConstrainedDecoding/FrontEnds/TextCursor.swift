/// A position in grammar text, by code points, that knows its line and column.
struct TextCursor {
  let scalars: [Unicode.Scalar]
  var index = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  var isAtEnd: Bool { index >= scalars.count }

  /// The code point `ahead` places on, nil past the end.
  func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
    index + ahead < scalars.count ? scalars[index + ahead] : nil
  }

  mutating func take() -> Unicode.Scalar? {
    guard index < scalars.count else { return nil }
    index += 1
    return scalars[index - 1]
  }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek() == scalar else { return false }
    index += 1
    return true
  }

  mutating func take(_ text: String) -> Bool {
    for (offset, scalar) in text.unicodeScalars.enumerated() where peek(offset) != scalar {
      return false
    }
    index += text.unicodeScalars.count
    return true
  }

  func location(_ position: Int? = nil) -> (line: Int, column: Int) {
    var (line, column) = (1, 1)
    let end = min(position ?? index, scalars.count)
    for i in 0..<end {
      let isBreak =
        scalars[i] == "\n" || (scalars[i] == "\r" && !(i + 1 < end && scalars[i + 1] == "\n"))
      if isBreak {
        line += 1
        column = 1
      } else if scalars[i] != "\r" {
        column += 1
      }
    }
    return (line, column)
  }

  func error(_ reason: String, at position: Int? = nil) -> GrammarError {
    let place = location(position)
    return .syntax(line: place.line, column: place.column, reason: reason)
  }

  /// Exactly `count` hexadecimal digits.
  mutating func takeHex(_ count: Int) throws(GrammarError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let digit = peek().flatMap(Self.hexValue) else {
        throw error("expected \(count) hexadecimal digits")
      }
      index += 1
      value = value << 4 | digit
    }
    return value
  }

  static func hexValue(_ scalar: Unicode.Scalar) -> UInt32? {
    switch scalar {
    case "0"..."9": scalar.value - 0x30
    case "a"..."f": scalar.value - 0x61 + 10
    case "A"..."F": scalar.value - 0x41 + 10
    default: nil
    }
  }

  /// A decimal number that fits 31 bits, nil if there is no digit.
  mutating func takeNumber() throws(GrammarError) -> Int? {
    let start = index
    var value = 0
    while let scalar = peek(), ("0"..."9").contains(scalar) {
      value = value * 10 + Int(scalar.value - 0x30)
      index += 1
      if value > Int(Int32.max) { throw error("the number is too large", at: start) }
    }
    return index == start ? nil : value
  }
}
