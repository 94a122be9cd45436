// How JSON texts are spelled.
extension ExpressionPool {
  private static let mustEscape = CodePointSet([0...0x1F, 0x22...0x22, 0x5C...0x5C])

  private static let shortEscapes: [(code: UInt32, letter: UInt8)] = [
    (0x08, 0x62), (0x09, 0x74), (0x0A, 0x6E), (0x0C, 0x66), (0x0D, 0x72), (0x22, 0x22),
    (0x5C, 0x5C),
  ]

  /// One character out of `set` inside a JSON string, escaped only where it must be.
  mutating func jsonCharacter(_ set: CodePointSet) -> Expression {
    let escaped = set.intersection(Self.mustEscape)
    if escaped.isEmpty { return codePoints(set) }
    var parts = [codePoints(set.subtracting(Self.mustEscape))]
    let backslash = bytes(ByteSet(0x5C...0x5C))
    var letters = ByteSet()
    for escape in Self.shortEscapes where escaped.contains(escape.code) {
      letters.insert(escape.letter)
    }
    parts.append(concatenation(backslash, bytes(letters)))
    let short = Set(Self.shortEscapes.map(\.code))
    var byHighDigit: [[UInt8]] = [[], []]
    for code in UInt32(0)...0x1F where escaped.contains(code) && !short.contains(code) {
      byHighDigit[Int(code >> 4)].append(UInt8(code & 15))
    }
    for (high, lows) in byHighDigit.enumerated() where !lows.isEmpty {
      let digits = ByteSet(lows.flatMap(Self.hexDigits))
      let prefix = literal("\\u00\(high)")
      parts.append(concatenation(prefix, bytes(digits)))
    }
    return union(parts)
  }

  private static func hexDigits(_ value: UInt8) -> [UInt8] {
    value < 10 ? [0x30 + value] : [0x61 + value - 10, 0x41 + value - 10]
  }

  /// Any character of a JSON string in any spelling; half surrogate pairs are no characters.
  var anyJSONCharacter: Expression {
    mutating get {
      if let known = knownJSONCharacter { return known }
      let hex = bytes(ByteSet(Array("0123456789abcdefABCDEF".utf8)))
      let notD = bytes(ByteSet(Array("0123456789abcefABCEF".utf8)))
      let d = bytes(ByteSet(Array("dD".utf8)))
      let low = bytes(ByteSet(Array("01234567".utf8)))
      let leading = bytes(ByteSet(Array("89abAB".utf8)))
      let trailing = bytes(ByteSet(Array("cdefCDEF".utf8)))
      let unit = union([
        sequence([notD, hex, hex, hex]), sequence([d, low, hex, hex]),
        sequence([d, leading, hex, hex, literal("\\u"), d, trailing, hex, hex]),
      ])
      let escapes = union([
        bytes(ByteSet(Array("\"\\/bfnrt".utf8))), concatenation(literal("u"), unit),
      ])
      let result = union([
        codePoints(Self.mustEscape.complement), concatenation(literal("\\"), escapes),
      ])
      knownJSONCharacter = result
      return result
    }
  }

  /// Any text inside a JSON string, in its shortest spelling.
  var plainJSONText: Expression {
    mutating get { repetition(jsonCharacter(.any), 0, nil) }
  }

  /// `text` inside a JSON string, in its shortest spelling.
  mutating func jsonText(_ text: String) -> Expression {
    sequence(text.unicodeScalars.map { jsonCharacter(CodePointSet([$0.value...$0.value])) })
  }

  /// One of `texts` inside a JSON string.
  mutating func jsonChoice(_ texts: [String]) -> Expression {
    choice(ofLiterals: texts.map(JSONSpelling.escaped))
  }

  mutating func quoted(_ text: Expression) -> Expression {
    let quote = bytes(ByteSet(0x22...0x22))
    return unit(sequence([quote, text, quote]))
  }
}

/// JSON spellings of constants.
enum JSONSpelling {
  /// `text` as it stands between quotes.
  static func escaped(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x08: result += Array("\\b".utf8)
      case 0x09: result += Array("\\t".utf8)
      case 0x0A: result += Array("\\n".utf8)
      case 0x0C: result += Array("\\f".utf8)
      case 0x0D: result += Array("\\r".utf8)
      case 0x22: result += Array("\\\"".utf8)
      case 0x5C: result += Array("\\\\".utf8)
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        result += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: result.append(byte)
      }
    }
    return result
  }
}
