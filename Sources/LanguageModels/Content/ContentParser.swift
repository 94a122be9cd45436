/// Reads JSON that may end anywhere, in one pass.
struct ContentParser {
  private let text: String
  private var rest: Substring.UTF8View
  /// Levels of arrays and structures at most; deeper texts are refused.
  private static let deepestNesting = 256

  init(_ text: String) {
    var contiguous = text
    contiguous.makeContiguousUTF8()
    self.text = contiguous
    rest = contiguous[...].utf8
  }

  /// The one value that the text is, or begins to be; a text that has ended may end with a number.
  mutating func document(id: GenerationID?, hasEnded: Bool) throws -> GeneratedContent {
    skipBlanks()
    guard let content = try value(id: id, depth: 0, mayEndText: hasEnded) else {
      if rest.isEmpty { return GeneratedContent(kind: .null, id: id, isComplete: false) }
      throw failure("expected a value")
    }
    skipBlanks()
    guard rest.isEmpty else { throw failure("there is something after the value") }
    return content
  }

  /// A value, or nil where the text ends before there is one.
  private mutating func value(
    id: GenerationID?, depth: Int, mayEndText: Bool = false
  ) throws -> GeneratedContent? {
    guard let first = rest.first else { return nil }
    switch first {
    case UInt8(ascii: "{"): return try structure(id: id, depth: depth + 1)
    case UInt8(ascii: "["): return try array(id: id, depth: depth + 1)
    case UInt8(ascii: "\""):
      let (text, isComplete) = try string()
      return GeneratedContent(kind: .string(text), id: id, isComplete: isComplete)
    case UInt8(ascii: "t"): return try word("true", .bool(true), id: id)
    case UInt8(ascii: "f"): return try word("false", .bool(false), id: id)
    case UInt8(ascii: "n"): return try word("null", .null, id: id)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return try number(id: id, mayEndText: mayEndText)
    default: throw failure("expected a value")
    }
  }

  // MARK: Arrays and structures

  private mutating func array(id: GenerationID?, depth: Int) throws -> GeneratedContent {
    try enter(depth)
    var elements: [GeneratedContent] = []
    func made(isComplete: Bool) -> GeneratedContent {
      GeneratedContent(kind: .array(elements), id: id, isComplete: isComplete)
    }
    skipBlanks()
    if take("]") { return made(isComplete: true) }
    while true {
      skipBlanks()
      guard let element = try value(id: id?.appending("\(elements.count)"), depth: depth) else {
        return made(isComplete: false)
      }
      elements.append(element)
      skipBlanks()
      if rest.isEmpty { return made(isComplete: false) }
      if take("]") { return made(isComplete: true) }
      guard take(",") else { throw failure("expected “,” or “]”") }
    }
  }

  private mutating func structure(id: GenerationID?, depth: Int) throws -> GeneratedContent {
    try enter(depth)
    var properties: [String: GeneratedContent] = [:]
    var keys: [String] = []
    func made(isComplete: Bool) -> GeneratedContent {
      let kind = GeneratedContent.Kind.structure(properties: properties, orderedKeys: keys)
      return GeneratedContent(kind: kind, id: id, isComplete: isComplete)
    }
    skipBlanks()
    if take("}") { return made(isComplete: true) }
    while true {
      skipBlanks()
      if rest.isEmpty { return made(isComplete: false) }
      guard rest.first == UInt8(ascii: "\"") else { throw failure("expected a name in quotes") }
      let (key, isWhole) = try string()
      skipBlanks()
      if !isWhole || rest.isEmpty { return made(isComplete: false) }
      guard take(":") else { throw failure("expected “:”") }
      skipBlanks()
      guard let value = try value(id: id?.appending(key), depth: depth) else {
        return made(isComplete: false)
      }
      if properties.updateValue(value, forKey: key) == nil { keys.append(key) }
      skipBlanks()
      if rest.isEmpty { return made(isComplete: false) }
      if take("}") { return made(isComplete: true) }
      guard take(",") else { throw failure("expected “,” or “}”") }
    }
  }

  private mutating func enter(_ depth: Int) throws {
    guard depth <= Self.deepestNesting else {
      throw failure("more than \(Self.deepestNesting) levels of arrays and structures")
    }
    rest.removeFirst()
  }

  // MARK: Words, numbers, strings

  private mutating func word(
    _ word: String, _ kind: GeneratedContent.Kind, id: GenerationID?
  ) throws -> GeneratedContent? {
    for byte in word.utf8 {
      guard let next = rest.first else { return nil }
      guard next == byte else { throw failure("expected “\(word)”") }
      rest.removeFirst()
    }
    return GeneratedContent(kind: kind, id: id, isComplete: true)
  }

  /// A number; one that the text ends with may go on, and counts only where it may end the text.
  private mutating func number(
    id: GenerationID?, mayEndText: Bool
  ) throws -> GeneratedContent? {
    let start = rest
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      try digits()
    }
    if rest.isEmpty && !mayEndText { return nil }
    let literal = String(Substring(start[..<rest.startIndex]))
    guard let last = literal.utf8.last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last)
    else {
      return nil
    }
    let number = JSONNumber(literal: literal)
    return GeneratedContent(
      kind: .number(number.value), id: id, isComplete: true, exactNumber: number.exact)
  }

  /// At least one digit, unless the text ends.
  private mutating func digits() throws {
    let before = rest.count
    while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      rest.removeFirst()
    }
    if rest.count == before && !rest.isEmpty { throw failure("expected a digit") }
  }

  /// What stands between the quotes, and whether the closing one is there.
  private mutating func string() throws -> (text: String, isComplete: Bool) {
    rest.removeFirst()
    var text = ""
    while true {
      let plain = rest.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 >= 0x20 }
      text += Substring(plain)
      rest = rest[plain.endIndex...]
      guard let byte = rest.first else { return (text, false) }
      if byte == UInt8(ascii: "\"") {
        rest.removeFirst()
        return (text, true)
      }
      guard byte == UInt8(ascii: "\\") else { throw failure("a control character in a string") }
      guard let scalar = try escape() else {
        rest = rest.suffix(0)
        return (text, false)
      }
      text.unicodeScalars.append(scalar)
    }
  }

  /// The character of an escape, or nil where the text ends inside it.
  private mutating func escape() throws -> Unicode.Scalar? {
    rest.removeFirst()
    guard let letter = rest.popFirst() else { return nil }
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try codePoint()
    default: throw failure("unknown escape in a string")
    }
  }

  private mutating func codePoint() throws -> Unicode.Scalar? {
    guard let high = try codeUnit() else { return nil }
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard high < 0xDC00 else { throw failure("half of a surrogate pair") }
    for byte in "\\u".utf8 {
      guard let next = rest.popFirst() else { return nil }
      guard next == byte else { throw failure("half of a surrogate pair") }
    }
    guard let low = try codeUnit() else { return nil }
    guard (0xDC00...0xDFFF).contains(low) else { throw failure("half of a surrogate pair") }
    return Unicode.Scalar(0x10000 + UInt32(high - 0xD800) << 10 + UInt32(low - 0xDC00))
  }

  private mutating func codeUnit() throws -> UInt16? {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = rest.popFirst() else { return nil }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("expected four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  // MARK: Bytes

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func skipBlanks() {
    rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }

  private func failure(_ reason: String) -> GeneratedContent.ParsingError {
    let offset = text.utf8.count - rest.count
    return GeneratedContent.ParsingError(
      rawContent: text, debugDescription: "no JSON at byte \(offset): \(reason)")
  }
}

extension GeneratedContent {
  /// Reads JSON, whole or cut off.
  /// - Parameters:
  ///   - json: The text.
  ///   - id: Identifies the value; its parts get identifiers by their places, equal for equal `id`.
  ///   - hasEnded: Whether nothing can follow, so that digits at the end are a whole number.
  /// - Throws: ``ParsingError`` for a text that no continuation makes JSON.
  package init(json: String, id: GenerationID?, hasEnded: Bool) throws {
    var parser = ContentParser(json)
    self = try parser.document(id: id, hasEnded: hasEnded)
  }
}
