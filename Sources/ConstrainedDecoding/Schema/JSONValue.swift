/// A JSON value that keeps the order of keys and the spelling of numbers.
package indirect enum JSONValue: Sendable, Equatable {
  case null
  case boolean(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([(key: String, value: JSONValue)])

  package static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.boolean(let x), .boolean(let y)): x == y
    case (.number(let x), .number(let y)): DecimalNumber(x) == DecimalNumber(y)
    case (.string(let x), .string(let y)): x.utf8.elementsEqual(y.utf8)
    case (.array(let x), .array(let y)): x == y
    case (.object(let x), .object(let y)):
      x.count == y.count
        && x.allSatisfy { pair in y.contains { $0.key == pair.key && $0.value == pair.value } }
    default: false
    }
  }

  package subscript(key: String) -> JSONValue? {
    guard case .object(let pairs) = self else { return nil }
    return pairs.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }

  var kindName: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// Reads JSON text (RFC 8259) with a bound on nesting.
package struct JSONReader {
  private let bytes: [UInt8]
  private var index = 0
  private let maximumNesting: Int

  /// - Throws: `syntax` with line and column, or the nesting limit.
  package static func read(_ text: String, maximumNesting: Int) throws(GrammarError) -> JSONValue {
    var reader = JSONReader(bytes: Array(text.utf8), maximumNesting: maximumNesting)
    let value = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.index == reader.bytes.count else { throw reader.error("text after the value") }
    return value
  }

  private init(bytes: [UInt8], maximumNesting: Int) {
    self.bytes = bytes
    self.maximumNesting = maximumNesting
  }

  private func error(_ reason: String) -> GrammarError {
    let before = bytes.prefix(index)
    let line = before.count { $0 == 0x0A } + 1
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return .syntax(line: line, column: index - start + 1, reason: "JSON: \(reason)")
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      index += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func value(depth: Int) throws(GrammarError) -> JSONValue {
    guard depth <= maximumNesting else { throw .limit(.nesting, maximum: maximumNesting) }
    skipBlanks()
    switch next {
    case 0x7B: return try object(depth: depth)
    case 0x5B: return try array(depth: depth)
    case 0x22: return .string(try string())
    case .some(0x2D), .some(0x30...0x39): return .number(try number())
    default: break
    }
    for (word, value) in [
      ("null", JSONValue.null), ("true", .boolean(true)), ("false", .boolean(false)),
    ]
    where bytes[index...].starts(with: word.utf8) {
      index += word.utf8.count
      return value
    }
    throw error("expected a value")
  }

  private mutating func object(depth: Int) throws(GrammarError) -> JSONValue {
    index += 1
    var pairs: [(key: String, value: JSONValue)] = []
    skipBlanks()
    if take(0x7D) { return .object([]) }
    repeat {
      skipBlanks()
      guard next == 0x22 else { throw error("expected a key") }
      let key = try string()
      skipBlanks()
      guard take(0x3A) else { throw error("expected :") }
      pairs.append((key, try value(depth: depth + 1)))
      skipBlanks()
    } while take(0x2C)
    guard take(0x7D) else { throw error("expected , or }") }
    return .object(pairs)
  }

  private mutating func array(depth: Int) throws(GrammarError) -> JSONValue {
    index += 1
    var values: [JSONValue] = []
    skipBlanks()
    if take(0x5D) { return .array([]) }
    repeat {
      values.append(try value(depth: depth + 1))
      skipBlanks()
    } while take(0x2C)
    guard take(0x5D) else { throw error("expected , or ]") }
    return .array(values)
  }

  private mutating func number() throws(GrammarError) -> String {
    let start = index
    _ = take(0x2D)
    let first = next
    guard try digits() else { throw error("expected a digit") }
    if first == 0x30 && index - start > (bytes[start] == 0x2D ? 2 : 1) {
      throw error("a number must not begin with 0")
    }
    if take(0x2E) { guard try digits() else { throw error("expected a digit") } }
    if take(0x65) || take(0x45) {
      _ = take(0x2B) || take(0x2D)
      guard try digits() else { throw error("expected a digit") }
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func digits() throws(GrammarError) -> Bool {
    let start = index
    while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
    return index > start
  }

  private mutating func string() throws(GrammarError) -> String {
    index += 1
    var text: [UInt8] = []
    while let byte = next {
      index += 1
      switch byte {
      case 0x22:
        guard let result = String(validating: text, as: UTF8.self) else {
          throw error("the string is not UTF-8")
        }
        return result
      case 0x5C: text += try escape()
      case 0..<0x20: throw error("control character in a string")
      default: text.append(byte)
      }
    }
    throw error("the string has no end")
  }

  private mutating func escape() throws(GrammarError) -> [UInt8] {
    guard let byte = next else { throw error("unfinished escape") }
    index += 1
    switch byte {
    case 0x22, 0x5C, 0x2F: return [byte]
    case 0x62: return [8]
    case 0x66: return [12]
    case 0x6E: return [10]
    case 0x72: return [13]
    case 0x74: return [9]
    case 0x75:
      var value = try hex()
      if (0xD800...0xDBFF).contains(value), bytes[index...].starts(with: [0x5C, 0x75]) {
        index += 2
        let low = try hex()
        guard (0xDC00...0xDFFF).contains(low) else { throw error("half a surrogate pair") }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      }
      guard Unicode.Scalar(value) != nil else { throw error("half a surrogate pair") }
      return CodePointSet.encode(value)
    default: throw error("unknown escape")
    }
  }

  private mutating func hex() throws(GrammarError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = TextCursor.hexValue(Unicode.Scalar(byte)) else {
        throw error("expected four hexadecimal digits")
      }
      index += 1
      value = value << 4 | digit
    }
    return value
  }
}
