/// Values as text: what `{{ }}` prints, and what Python's `repr` shows.
extension TemplateEvaluator {
  /// Python's `str`; a missing value is no text at all.
  func text(of value: TemplateValue) throws(TemplateFailure) -> TemplateString {
    switch value {
    case .string(let text): return text
    case .undefined: return TemplateString()
    default: return try repr(of: value)
    }
  }

  func repr(of value: TemplateValue) throws(TemplateFailure) -> TemplateString {
    var shown = TemplateString()
    try appendRepr(of: value, to: &shown)
    return shown
  }

  private func appendRepr(
    of value: TemplateValue, to shown: inout TemplateString
  ) throws(TemplateFailure) {
    // A namespace can hold itself: count the way down.
    try enter()
    defer { leave() }
    switch value {
    case .undefined: shown.append("Undefined")
    case .null: shown.append("None")
    case .bool(let flag): shown.append(flag ? "True" : "False")
    case .int(let number): shown.append(TemplateString(String(number)))
    case .double(let number): shown.append(TemplateString(TemplateArithmetic.text(of: number)))
    case .string(let text):
      try charge(bytes: text.count)
      try charge(scalarsOf: text)
      shown.append(text.quoted())
    case .sequence(let sequence): try appendRepr(of: sequence, to: &shown)
    case .dictionary(let dictionary):
      shown.append("{")
      try appendRepr(of: dictionary, to: &shown)
      shown.append("}")
    case .object(let identity): try appendRepr(ofObject: identity, to: &shown)
    case .function(let function): shown.append(TemplateString("<function \(function.rawValue)>"))
    case .method: shown.append("<method>")
    }
    try check(bytes: shown.count)
  }

  private func appendRepr(
    of sequence: TemplateSequence, to shown: inout TemplateString
  ) throws(TemplateFailure) {
    let brackets: (TemplateString, TemplateString)
    switch sequence.kind {
    case .list: brackets = ("[", "]")
    case .tuple, .group: brackets = ("(", sequence.items.count == 1 ? ",)" : ")")
    case .range(let start, let stop, let step):
      shown.append(
        TemplateString("range(\(start), \(stop)" + (step == 1 ? ")" : ", \(step))")))
      return
    case .keys: brackets = ("dict_keys([", "])")
    case .values: brackets = ("dict_values([", "])")
    case .items: brackets = ("dict_items([", "])")
    }
    shown.append(brackets.0)
    for (index, item) in sequence.items.enumerated() {
      if index > 0 { shown.append(", ") }
      try appendRepr(of: item, to: &shown)
    }
    shown.append(brackets.1)
  }

  private func appendRepr(
    of dictionary: TemplateDictionary, to shown: inout TemplateString
  ) throws(TemplateFailure) {
    for (index, entry) in dictionary.entries.enumerated() {
      if index > 0 { shown.append(", ") }
      try appendRepr(of: entry.name, to: &shown)
      shown.append(": ")
      try appendRepr(of: entry.value, to: &shown)
    }
  }

  private func appendRepr(
    ofObject identity: Int, to shown: inout TemplateString
  ) throws(TemplateFailure) {
    switch objects[identity] {
    case .namespace(let attributes):
      shown.append("<Namespace {")
      try appendRepr(of: attributes, to: &shown)
      shown.append("}>")
    case .macro(let macro, _): shown.append(TemplateString("<Macro '\(macro.name)'>"))
    case .loop(let loop):
      shown.append(TemplateString("<LoopContext \(loop.index + 1)/\(loop.items.count)>"))
    default: shown.append(TemplateString("<\(typeName(of: .object(identity)))>"))
    }
  }
}

extension TemplateString {
  /// The text in quotes with escapes, as Python's `repr` writes it.
  func quoted() -> TemplateString {
    let hasSingle = bytes.contains(UInt8(ascii: "'"))
    let quote: Unicode.Scalar = hasSingle && !bytes.contains(UInt8(ascii: "\"")) ? "\"" : "'"
    var result = TemplateString(String(quote))
    result.append(
      mapScalars { scalar, _, mapped in Self.appendEscaped(scalar, quote, to: &mapped) })
    result.append(quote, origin: .template)
    return result
  }

  private static func appendEscaped(
    _ scalar: Unicode.Scalar, _ quote: Unicode.Scalar, to mapped: inout String.UnicodeScalarView
  ) {
    switch scalar {
    case "\n": mapped.appendAll("\\n".unicodeScalars)
    case "\r": mapped.appendAll("\\r".unicodeScalars)
    case "\t": mapped.appendAll("\\t".unicodeScalars)
    case "\\", quote: mapped.appendAll(["\\", scalar])
    case _ where isPrintable(scalar): mapped.append(scalar)
    default:
      let digits = String(scalar.value, radix: 16)
      let (letter, width) =
        scalar.value < 0x100 ? ("x", 2) : scalar.value < 0x10000 ? ("u", 4) : ("U", 8)
      let padding = String(repeating: "0", count: width - digits.count)
      mapped.appendAll("\\\(letter)\(padding)\(digits)".unicodeScalars)
    }
  }

  /// The text with `&`, `<`, `>` and quotes as entities; markup stays as it is.
  func escapedForMarkup() -> TemplateString {
    guard !isMarkup else { return self }
    var escaped = mapScalars { scalar, _, mapped in
      switch scalar {
      case "&": mapped.appendAll("&amp;".unicodeScalars)
      case "<": mapped.appendAll("&lt;".unicodeScalars)
      case ">": mapped.appendAll("&gt;".unicodeScalars)
      case "'": mapped.appendAll("&#39;".unicodeScalars)
      case "\"": mapped.appendAll("&#34;".unicodeScalars)
      default: mapped.append(scalar)
      }
    }
    escaped.isMarkup = true
    return escaped
  }
}
