extension OrderedJSON {
  /// What stands between the parts of written JSON.
  package enum Spacing: Sendable {
    /// Nothing: `{"a":1,"b":2}`.
    case none
    /// A space after commas and colons: `{"a": 1, "b": 2}`.
    case spaced
  }

  /// The value as JSON text, keys in their order, only what must be escaped escaped.
  ///
  /// A number that JSON cannot express (infinity, not a number) is written as `null`.
  package func serialized(_ spacing: Spacing = .none) -> String {
    var bytes: [UInt8] = []
    write(to: &bytes, spacing)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(to bytes: inout [UInt8], _ spacing: Spacing) {
    let comma = spacing == .none ? "," : ", "
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .int(let number): bytes += "\(number)".utf8
    case .double(let number): bytes += (number.isFinite ? "\(number)" : "null").utf8
    case .number(let text): bytes += text.utf8
    case .string(let text): Self.appendQuoted(text.utf8, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes += comma.utf8 }
        element.write(to: &bytes, spacing)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes += comma.utf8 }
        Self.appendQuoted(member.name.utf8, to: &bytes)
        bytes += (spacing == .none ? ":" : ": ").utf8
        member.value.write(to: &bytes, spacing)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Appends UTF-8 text as a JSON string in double quotes.
  package static func appendQuoted(
    _ text: some Sequence<UInt8>, to bytes: inout [UInt8]
  ) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      case 0x0D: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
      case 0x09: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
      case 0x08: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "b")]
      case 0x0C: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "f")]
      case 0..<0x20: appendUnicodeEscape(UInt16(byte), to: &bytes)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends one UTF-16 code unit as `\u` and four hexadecimal digits.
  package static func appendUnicodeEscape(_ unit: UInt16, to bytes: inout [UInt8]) {
    bytes += [UInt8(ascii: "\\"), UInt8(ascii: "u")]
    for shift in [12, 8, 4, 0] {
      let digit = UInt8(truncatingIfNeeded: unit >> UInt16(shift)) & 0xF
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}
