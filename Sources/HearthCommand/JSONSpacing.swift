import Tokenization

/// Blanks of JSON text.
enum JSONSpacing {
  /// A value on one line: JSON without blanks between its parts, all else as a JSON string.
  ///
  /// What a schema holds is JSON, however deep it is and however large its numbers are.
  static func oneLine(_ text: String, _ source: GrammarOptions.Source) -> String {
    let isJSON =
      switch source {
      case .schema: true
      case .gbnf: JSONSyntax.isValue(text)
      case .regex: false
      }
    guard isJSON else { return OrderedJSON.string(text).serialized() }
    var bytes: [UInt8] = []
    var isInString = false
    var isEscaped = false
    for byte in text.utf8 {
      if isInString {
        if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      } else if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
        continue
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
