extension GeneratedContent {
  /// The value as JSON, its properties in order, with `": "` and `", "` between the parts.
  ///
  /// What is incomplete is written as if it ended here.
  public var jsonString: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch kind {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += exactNumber ?? JSONNumber(value).text
    case .string(let value): Self.write(value, to: &text)
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += ", " }
        element.write(to: &text)
      }
      text += "]"
    case .structure(let properties, let orderedKeys):
      text += "{"
      var isFirst = true
      for key in orderedKeys {
        guard let value = properties[key] else { continue }
        if !isFirst { text += ", " }
        isFirst = false
        Self.write(key, to: &text)
        text += ": "
        value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{8}": text += "\\b"
      case "\u{C}": text += "\\f"
      case ..<" ":
        let code = String(scalar.value, radix: 16, uppercase: true)
        text += "\\u" + String(repeating: "0", count: 4 - code.count) + code
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
