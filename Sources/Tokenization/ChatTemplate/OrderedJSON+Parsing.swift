extension OrderedJSON {
  /// Why a text is not JSON, and where.
  package struct ParseError: Error, Equatable, CustomStringConvertible {
    package enum Reason: String, Sendable {
      case endOfText = "the text ends inside a value"
      case unexpectedByte = "no JSON value starts here"
      case invalidNumber = "the number is malformed"
      case numberOutOfRange = "the number is too large"
      case controlCharacter = "control characters in a string must be escaped"
      case invalidEscape = "the escape sequence is unknown"
      case unpairedSurrogate = "a surrogate escape must be followed by its other half"
      case invalidUTF8 = "the text is not UTF-8"
      case missingColon = "a colon must follow the key"
      case missingSeparator = "a comma or the closing bracket is missing"
      case missingKey = "a key in double quotes is missing"
      case trailingText = "there is more text after the value"
      case tooDeep = "the value is nested too deeply"
    }

    package let reason: Reason
    /// Offset of the byte where reading stopped.
    package let offset: Int

    package var description: String { "JSON, byte \(offset): \(reason.rawValue)" }

    /// Line and column of the place in `text`, both from 1; columns count bytes.
    package func place(in text: String) -> (line: Int, column: Int) {
      let before = text.utf8.prefix(offset)
      let lines = before.split(separator: 0x0A, omittingEmptySubsequences: false)
      return (lines.count, (lines.last?.count ?? 0) + 1)
    }
  }

  /// Nesting that is read unless the caller allows more or less.
  package static let defaultMaximumDepth = 128

  /// Reads one JSON value (RFC 8259) that fills the text.
  ///
  /// A key that occurs twice keeps its first place and its last value. A number that
  /// neither `Int` nor `Double` keeps exactly stays text.
  ///
  /// - Throws: `ParseError` with the byte offset; also for nesting beyond `maximumDepth`.
  /// - Complexity: O(bytes)
  package init(
    parsing text: some Sequence<UInt8>, maximumDepth: Int = defaultMaximumDepth
  ) throws(ParseError) {
    var parser = OrderedJSONParser(bytes: Array(text), maximumDepth: maximumDepth)
    self = try parser.parseDocument()
  }

  /// Reads one JSON value that fills the text.
  package init(
    parsing text: String, maximumDepth: Int = defaultMaximumDepth
  ) throws(ParseError) {
    try self.init(parsing: text.utf8, maximumDepth: maximumDepth)
  }
}

/// Members in the order of their first mention.
private struct OrderedMembers {
  /// So few are looked through rather than hashed.
  private static let few = 16
  private(set) var all: [OrderedJSON.Member] = []
  private var places: [[UInt8]: Int] = [:]

  init() {}

  mutating func set(_ name: String, _ value: OrderedJSON) {
    let place: Int?
    if all.count <= Self.few {
      place = all.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    } else {
      if places.isEmpty {
        for (index, member) in all.enumerated() { places[Array(member.name.utf8)] = index }
      }
      place = places[Array(name.utf8)]
    }
    if let place {
      all[place].value = value
    } else {
      if all.count > Self.few { places[Array(name.utf8)] = all.count }
      all.append(OrderedJSON.Member(name, value))
    }
  }
}

private struct OrderedJSONParser {
  let bytes: [UInt8]
  let maximumDepth: Int
  var position = 0
  var depth = 0

  init(bytes: [UInt8], maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  mutating func parseDocument() throws(OrderedJSON.ParseError) -> OrderedJSON {
    let value = try parseValue()
    skipWhitespace()
    guard position == bytes.count else { throw failure(.trailingText) }
    return value
  }

  private func failure(_ reason: OrderedJSON.ParseError.Reason) -> OrderedJSON.ParseError {
    OrderedJSON.ParseError(reason: reason, offset: position)
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipWhitespace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func parseValue() throws(OrderedJSON.ParseError) -> OrderedJSON {
    skipWhitespace()
    guard let byte = current else { throw failure(.endOfText) }
    switch byte {
    case UInt8(ascii: "{"): return try parseObject()
    case UInt8(ascii: "["): return try parseArray()
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    default: throw failure(.unexpectedByte)
    }
  }

  private mutating func parseWord(
    _ word: StaticString, _ value: OrderedJSON
  ) throws(OrderedJSON.ParseError) -> OrderedJSON {
    let expected = Array(word.description.utf8)
    guard bytes[position...].starts(with: expected) else { throw failure(.unexpectedByte) }
    position += expected.count
    return value
  }

  private mutating func enter() throws(OrderedJSON.ParseError) {
    guard depth < maximumDepth else { throw failure(.tooDeep) }
    depth += 1
    position += 1
  }

  private mutating func parseArray() throws(OrderedJSON.ParseError) -> OrderedJSON {
    try enter()
    defer { depth -= 1 }
    var elements: [OrderedJSON] = []
    skipWhitespace()
    if skip(UInt8(ascii: "]")) { return .array([]) }
    while true {
      elements.append(try parseValue())
      skipWhitespace()
      if skip(UInt8(ascii: "]")) { return .array(elements) }
      guard skip(UInt8(ascii: ",")) else { throw missingSeparator() }
    }
  }

  private mutating func parseObject() throws(OrderedJSON.ParseError) -> OrderedJSON {
    try enter()
    defer { depth -= 1 }
    var members = OrderedMembers()
    skipWhitespace()
    if skip(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipWhitespace()
      guard current == UInt8(ascii: "\"") else {
        throw failure(current == nil ? .endOfText : .missingKey)
      }
      let name = try parseString()
      skipWhitespace()
      guard skip(UInt8(ascii: ":")) else {
        throw failure(current == nil ? .endOfText : .missingColon)
      }
      members.set(name, try parseValue())
      skipWhitespace()
      if skip(UInt8(ascii: "}")) { return .object(members.all) }
      guard skip(UInt8(ascii: ",")) else { throw missingSeparator() }
    }
  }

  private func missingSeparator() -> OrderedJSON.ParseError {
    failure(current == nil ? .endOfText : .missingSeparator)
  }

  private mutating func skipDigits() -> Bool {
    let start = position
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      position += 1
    }
    return position > start
  }

  private mutating func parseNumber() throws(OrderedJSON.ParseError) -> OrderedJSON {
    let start = position
    var isInteger = true
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) {
      guard skipDigits() else { throw failure(.invalidNumber) }
    }
    if skip(UInt8(ascii: ".")) {
      isInteger = false
      guard skipDigits() else { throw failure(.invalidNumber) }
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      isInteger = false
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      guard skipDigits() else { throw failure(.invalidNumber) }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, let integer = Int(text) { return .int(integer) }
    guard let number = Double(text), number.isFinite else { throw failure(.numberOutOfRange) }
    return keepsDigits(of: text, number) ? .double(number) : .number(text)
  }

  /// Whether the shortest spelling of `number` has the value that `text` has: every decimal of 15
  /// digits survives a double (IEEE 754), except among the smallest.
  private func keepsDigits(of text: String, _ number: Double) -> Bool {
    let digits = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
      .drop { $0 < UInt8(ascii: "1") || $0 > UInt8(ascii: "9") }
      .count { $0 != UInt8(ascii: ".") }
    return digits <= 15 && (number.isNormal || digits == 0)
  }

  private mutating func parseString() throws(OrderedJSON.ParseError) -> String {
    position += 1
    var unescaped: [UInt8] = []
    var start = position
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        unescaped += bytes[start..<position]
        guard let text = String(validating: unescaped, as: UTF8.self) else {
          throw failure(.invalidUTF8)
        }
        position += 1
        return text
      case UInt8(ascii: "\\"):
        unescaped += bytes[start..<position]
        position += 1
        try parseEscape(into: &unescaped)
        start = position
      case 0..<0x20: throw failure(.controlCharacter)
      default: position += 1
      }
    }
    throw failure(.endOfText)
  }

  private mutating func parseEscape(into text: inout [UInt8]) throws(OrderedJSON.ParseError) {
    guard let byte = current else { throw failure(.endOfText) }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += Array(String(try parseUnicodeEscape()).utf8)
    default:
      position -= 1
      throw failure(.invalidEscape)
    }
  }

  private mutating func parseUnicodeEscape() throws(OrderedJSON.ParseError) -> Character {
    let first = try parseHexadecimal()
    if let scalar = Unicode.Scalar(first) { return Character(scalar) }
    guard first < 0xDC00, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
      throw failure(.unpairedSurrogate)
    }
    let second = try parseHexadecimal()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw failure(.unpairedSurrogate) }
    return Character(scalar)
  }

  private mutating func parseHexadecimal() throws(OrderedJSON.ParseError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current else { throw failure(.endOfText) }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw failure(.invalidEscape)
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
