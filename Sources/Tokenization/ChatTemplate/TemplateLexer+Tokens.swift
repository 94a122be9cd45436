/// Names, numbers, strings and symbols inside of tags.
extension TemplateLexer {
  private var bytes: [UInt8] { source.bytes }

  mutating func scanToken(_ open: inout [TemplateToken.Symbol]) throws(ChatTemplateError) {
    let byte = byte(at: position)
    if isDigit(byte) {
      try scanNumber()
    } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
      try scanString(quote: byte)
    } else if let length = nameLength(at: position) {
      emit(
        .name(String(decoding: bytes[position..<(position + length)], as: UTF8.self)), at: position)
      position += length
    } else if let symbol = symbol(at: position) {
      try balance(symbol, &open)
      emit(.symbol(symbol), at: position)
      position += symbol.rawValue.utf8.count
    } else {
      let scalar = String(decoding: bytes[position...].prefix(4), as: UTF8.self).unicodeScalars
        .first
      throw failure("unexpected character '\(scalar.map { String($0) } ?? "")'", at: position)
    }
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private func symbol(at offset: Int) -> TemplateToken.Symbol? {
    if offset + 1 < bytes.count,
      let pair = TemplateToken.Symbol(
        rawValue: String(decoding: bytes[offset...(offset + 1)], as: UTF8.self))
    {
      return pair
    }
    return TemplateToken.Symbol(rawValue: String(decoding: [bytes[offset]], as: UTF8.self))
  }

  /// Keeps track of brackets: inside of them `}}` does not end the tag.
  private func balance(
    _ symbol: TemplateToken.Symbol, _ open: inout [TemplateToken.Symbol]
  ) throws(ChatTemplateError) {
    let expected: TemplateToken.Symbol
    switch symbol {
    case .openBrace, .openBracket, .openParenthesis:
      open.append(symbol)
      return
    case .closeBrace: expected = .openBrace
    case .closeBracket: expected = .openBracket
    case .closeParenthesis: expected = .openParenthesis
    default: return
    }
    guard open.popLast() == expected else {
      throw failure("unexpected '\(symbol.rawValue)'", at: position)
    }
  }

  private func nameLength(at start: Int) -> Int? {
    var offset = start
    while offset < bytes.count {
      let end = min(offset + 4, bytes.count)
      let (scalar, length) =
        bytes[offset] < 0x80
        ? (Unicode.Scalar(bytes[offset]), 1)
        : TemplateString(bytes: Array(bytes[offset..<end])).scalar(at: 0)
      let belongs =
        offset == start
        ? TemplateString.startsIdentifier(scalar) : TemplateString.continuesIdentifier(scalar)
      guard belongs else { break }
      offset += length
    }
    return offset > start ? offset - start : nil
  }

  // MARK: Numbers

  /// Skips digits with single underscores between them; returns the digits alone.
  private mutating func scanDigits(where accepts: (UInt8) -> Bool) -> String {
    var digits = ""
    while position < bytes.count {
      let isSeparator =
        bytes[position] == UInt8(ascii: "_") && !digits.isEmpty && accepts(byte(at: position + 1))
      guard isSeparator || accepts(bytes[position]) else { break }
      if !isSeparator { digits.unicodeScalars.append(Unicode.Scalar(bytes[position])) }
      position += 1
    }
    return digits
  }

  private mutating func scanNumber() throws(ChatTemplateError) {
    let start = position
    if byte(at: start) == UInt8(ascii: "0"), let radix = radix(byte(at: start + 1)) {
      position = start + 2
      if byte(at: position) == UInt8(ascii: "_") { position += 1 }
      let digits = scanDigits {
        Character(Unicode.Scalar($0)).hexDigitValue.map { $0 < radix } ?? false
      }
      guard let number = Int(digits, radix: radix) else {
        throw failure("the number is malformed or too large", at: start)
      }
      emit(.integer(number), at: start)
      return
    }
    let whole = scanDigits(where: isDigit)
    let isIndex = start > 0 && byte(at: start - 1) == UInt8(ascii: ".")
    if !isIndex, let rest = scanFraction() {
      guard let number = Double(whole + rest), number.isFinite else {
        throw failure("the number is too large", at: start)
      }
      emit(.float(number), at: start)
      return
    }
    guard let number = Int(whole), whole.count == 1 || whole.first != "0" || number == 0 else {
      throw failure("the number is malformed or too large", at: start)
    }
    emit(.integer(number), at: start)
  }

  private func radix(_ letter: UInt8) -> Int? {
    switch letter | 0x20 {
    case UInt8(ascii: "x"): 16
    case UInt8(ascii: "o"): 8
    case UInt8(ascii: "b"): 2
    default: nil
    }
  }

  /// The fraction and exponent that follow the digits, or nil for an integer.
  private mutating func scanFraction() -> String? {
    var text = ""
    if byte(at: position) == UInt8(ascii: "."), isDigit(byte(at: position + 1)) {
      position += 1
      text = "." + scanDigits(where: isDigit)
    }
    if byte(at: position) | 0x20 == UInt8(ascii: "e") {
      let sign = byte(at: position + 1)
      let hasSign = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
      if isDigit(byte(at: hasSign ? position + 2 : position + 1)) {
        position += hasSign ? 2 : 1
        text += (sign == UInt8(ascii: "-") ? "e-" : "e") + scanDigits(where: isDigit)
      }
    }
    return text.isEmpty ? nil : text
  }

  // MARK: Strings

  private mutating func scanString(quote: UInt8) throws(ChatTemplateError) {
    let start = position
    var text: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == quote {
        emit(.string(text), at: start)
        return
      }
      if byte == UInt8(ascii: "\\") {
        try scanEscape(into: &text)
      } else {
        text.append(byte)
      }
    }
    throw failure("the string has no end", at: start)
  }

  /// An escape of Python; one that Python does not know stays as it is, with its backslash.
  private mutating func scanEscape(into text: inout [UInt8]) throws(ChatTemplateError) {
    let start = position - 1
    guard position < bytes.count else { throw failure("the string has no end", at: start) }
    let byte = bytes[position]
    position += 1
    switch byte {
    case 0x0A: break
    case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): text.append(byte)
    case UInt8(ascii: "a"): text.append(0x07)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "v"): text.append(0x0B)
    case UInt8(ascii: "x"): try scanScalar(digits: 2, radix: 16, from: start, into: &text)
    case UInt8(ascii: "u"): try scanScalar(digits: 4, radix: 16, from: start, into: &text)
    case UInt8(ascii: "U"): try scanScalar(digits: 8, radix: 16, from: start, into: &text)
    case UInt8(ascii: "N"):
      throw failure("escapes by character name are not supported, use \\u", at: start)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      position -= 1
      let length = bytes[position...].prefix(3).prefix { (0x30...0x37).contains($0) }.count
      try scanScalar(digits: length, radix: 8, from: start, into: &text)
    default: text += [UInt8(ascii: "\\"), byte]
    }
  }

  private mutating func scanScalar(
    digits: Int, radix: Int, from start: Int, into text: inout [UInt8]
  ) throws(ChatTemplateError) {
    var value: UInt32 = 0
    for _ in 0..<digits {
      let byte = byte(at: position)
      guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix
      else { throw failure("the escape sequence is malformed", at: start) }
      value = value * UInt32(radix) + UInt32(digit)
      position += 1
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw failure("the escape sequence is no Unicode character", at: start)
    }
    text += Array(String(scalar).utf8)
  }
}
