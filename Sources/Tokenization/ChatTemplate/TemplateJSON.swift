/// The filter `tojson`, as transformers defines it over Python's `json.dumps`.
extension TemplateEvaluator {
  func json(
    _ value: TemplateValue, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    let values = try arguments.bound(
      to: ["ensure_ascii", "indent", "separators", "sort_keys"], of: "tojson")
    var writer = TemplateJSONWriter(evaluator: self)
    writer.isASCII = values[0]?.isTrue ?? false
    writer.sortsKeys = values[3]?.isTrue ?? false
    switch values[1] ?? .null {
    case .null: break
    case .string(let text): writer.indentation = text.bytes
    case let width:
      let count = max(try integerArgument(width, of: "tojson") ?? 0, 0)
      guard count <= 100 else { throw .evaluation("'tojson' indents by 100 at most") }
      writer.indentation = Array(repeating: 0x20, count: count)
    }
    if writer.indentation != nil { writer.comma = Array(",".utf8) }
    if let separators = values[2], !separators.isUndefined, case let pair = separators {
      if case .null = pair {} else { try writer.setSeparators(elements(of: pair)) }
    }
    try writer.write(value, level: 0)
    return .string(TemplateString(bytes: writer.bytes, origin: writer.origin))
  }
}

/// Writes one value as JSON.
private struct TemplateJSONWriter {
  let evaluator: TemplateEvaluator
  var isASCII = false
  var sortsKeys = false
  var indentation: [UInt8]?
  var comma = Array(", ".utf8)
  var colon = Array(": ".utf8)
  var bytes: [UInt8] = []
  /// Where the first text came from that is not of the template.
  var origin = PromptOrigin.template

  init(evaluator: TemplateEvaluator) {
    self.evaluator = evaluator
  }

  mutating func setSeparators(_ values: [TemplateValue]) throws(TemplateFailure) {
    guard values.count == 2, case .string(let comma) = values[0],
      case .string(let colon) = values[1]
    else { throw .evaluation("'separators' needs two texts") }
    self.comma = comma.bytes
    self.colon = colon.bytes
    origin = comma.containsContent ? comma.contentOrigin : colon.contentOrigin
  }

  mutating func write(_ value: TemplateValue, level: Int) throws(TemplateFailure) {
    try evaluator.charge()
    try evaluator.check(bytes: bytes.count)
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .int(let number): bytes += String(number).utf8
    case .double(let number): bytes += Self.text(of: number).utf8
    case .string(let text): try write(text)
    case .sequence(let sequence)
    where sequence.kind == .list || sequence.kind == .tuple || sequence.kind == .group:
      try writeElements(sequence.items, level: level + 1)
    case .dictionary(let dictionary): try writeEntries(dictionary, level: level + 1)
    case .undefined(let missing): throw missing.failure
    default:
      throw .evaluation("a \(evaluator.typeName(of: value)) cannot be written as JSON")
    }
  }

  private static func text(of number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    return TemplateArithmetic.text(of: number)
  }

  private mutating func write(_ text: TemplateString) throws(TemplateFailure) {
    try evaluator.charge(bytes: text.count)
    if isASCII { try evaluator.charge(scalarsOf: text) }
    if !origin.isContent { origin = text.contentOrigin }
    guard isASCII else {
      OrderedJSON.appendQuoted(text.bytes, to: &bytes)
      return
    }
    var quoted: [UInt8] = []
    OrderedJSON.appendQuoted(text.bytes, to: &quoted)
    for unit in String(decoding: quoted, as: UTF8.self).utf16 {
      if unit < 0x7F {
        bytes.append(UInt8(unit))
      } else {
        OrderedJSON.appendUnicodeEscape(unit, to: &bytes)
      }
    }
  }

  private mutating func writeSeparator(_ separator: [UInt8]) throws(TemplateFailure) {
    try evaluator.charge(bytes: separator.count)
    try evaluator.check(bytes: bytes.count + separator.count)
    bytes += separator
  }

  private mutating func breakLine(level: Int) throws(TemplateFailure) {
    guard let indentation else { return }
    try evaluator.charge(level, times: indentation.count)
    try evaluator.check(bytes: bytes.count + level * indentation.count)
    bytes.append(0x0A)
    for _ in 0..<level { bytes += indentation }
  }

  private mutating func writeElements(
    _ elements: [TemplateValue], level: Int
  ) throws(TemplateFailure) {
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { try writeSeparator(comma) }
      try breakLine(level: level)
      try write(element, level: level)
    }
    if !elements.isEmpty { try breakLine(level: level - 1) }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func writeEntries(
    _ dictionary: TemplateDictionary, level: Int
  ) throws(TemplateFailure) {
    var entries = dictionary.entries.map { (name: $0.name, value: $0.value) }
    if sortsKeys {
      let places = try evaluator.sorted(entries.indices.map { .int($0) }) {
        place throws(TemplateFailure) in place.integer.map { entries[$0].name } ?? .null
      }
      entries = places.compactMap { $0.integer.map { entries[$0] } }
    }
    bytes.append(UInt8(ascii: "{"))
    for (index, entry) in entries.enumerated() {
      if index > 0 { try writeSeparator(comma) }
      try breakLine(level: level)
      try writeKey(entry.name)
      try writeSeparator(colon)
      try write(entry.value, level: level)
    }
    if !entries.isEmpty { try breakLine(level: level - 1) }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func writeKey(_ key: TemplateValue) throws(TemplateFailure) {
    switch key {
    case .string(let text): try write(text)
    case .null: bytes += "\"null\"".utf8
    case .bool(let flag): bytes += (flag ? "\"true\"" : "\"false\"").utf8
    case .int(let number): bytes += "\"\(number)\"".utf8
    case .double(let number): bytes += "\"\(Self.text(of: number))\"".utf8
    default:
      throw .evaluation("a \(evaluator.typeName(of: key)) cannot be a key in JSON")
    }
  }
}
