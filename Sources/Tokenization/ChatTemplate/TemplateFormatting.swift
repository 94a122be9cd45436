import Foundation

/// How a value is laid out by `%` and by `format`.
struct TemplateFormatSpecification {
  var fill: Unicode.Scalar = " "
  /// `<`, `>`, `^` or `=`; nil for the default of the type.
  var alignment: Unicode.Scalar?
  var sign: Unicode.Scalar = "-"
  var isAlternate = false
  var width = 0
  var grouping: Unicode.Scalar?
  var precision: Int?
  var type: Unicode.Scalar?

  /// Width and precision beyond this are refused.
  static let largestField = 10_000

  /// Reads digits, nil where there are none.
  static func number(_ text: inout ArraySlice<Unicode.Scalar>) throws(TemplateFailure) -> Int? {
    var value: Int?
    while let scalar = text.first, ("0"..."9").contains(scalar) {
      value = (value ?? 0) * 10 + Int(scalar.value - 48)
      guard value ?? 0 <= largestField else { throw .evaluation("the field is too wide") }
      text = text.dropFirst()
    }
    return value
  }
}

extension TemplateEvaluator {
  // MARK: Numbers

  /// Digits of an integer or double in the notation of a format, without sign.
  private func digits(
    of value: TemplateValue, _ specification: TemplateFormatSpecification
  ) throws(TemplateFailure) -> (text: String, isNegative: Bool) {
    let type = specification.type ?? "d"
    if let integer = value.integer, "dioxXbuc".unicodeScalars.contains(type) || type == "n" {
      return (integerDigits(integer.magnitude, type, specification), integer < 0)
    }
    guard let number = value.number else {
      throw .evaluation("the format '\(type)' takes a number, not a \(typeName(of: value))")
    }
    if "diuxXo".unicodeScalars.contains(type) {
      throw .evaluation("the format '\(type)' takes an integer")
    }
    return (doubleDigits(abs(number), type, specification), number.sign == .minus && !number.isNaN)
  }

  private func integerDigits(
    _ magnitude: UInt, _ type: Unicode.Scalar, _ specification: TemplateFormatSpecification
  ) -> String {
    let prefix = specification.isAlternate
    switch type {
    case "x": return (prefix ? "0x" : "") + String(magnitude, radix: 16)
    case "X": return (prefix ? "0X" : "") + String(magnitude, radix: 16, uppercase: true)
    case "o": return (prefix ? "0o" : "") + String(magnitude, radix: 8)
    case "b": return (prefix ? "0b" : "") + String(magnitude, radix: 2)
    default: return grouped(String(magnitude), specification.grouping)
    }
  }

  private func doubleDigits(
    _ number: Double, _ type: Unicode.Scalar, _ specification: TemplateFormatSpecification
  ) -> String {
    let precision = specification.precision ?? 6
    guard number.isFinite else {
      let text = number.isNaN ? "nan" : "inf"
      return type.properties.isUppercase ? text.uppercased() : text
    }
    var text: String
    switch type {
    case "e", "E", "f", "F", "g", "G":
      let alternate = specification.isAlternate ? "#" : ""
      text = String(format: "%\(alternate).*\(type)", precision, number)
    case "%": text = String(format: "%.*f", precision, number * 100) + "%"
    default: text = TemplateArithmetic.text(of: number)
    }
    guard specification.grouping != nil else { return text }
    let whole = text.prefix { ("0"..."9").contains($0) }
    text = grouped(String(whole), specification.grouping) + text.dropFirst(whole.count)
    return text
  }

  private func grouped(_ digits: String, _ separator: Unicode.Scalar?) -> String {
    guard let separator else { return digits }
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { result.unicodeScalars.append(separator) }
      result.append(digit)
    }
    return result
  }

  /// A number with its sign, filled up to the width.
  func formatNumber(
    _ value: TemplateValue, _ specification: TemplateFormatSpecification
  ) throws(TemplateFailure) -> TemplateString {
    let (digits, isNegative) = try digits(of: value, specification)
    let sign = isNegative ? "-" : specification.sign == "-" ? "" : String(specification.sign)
    if specification.alignment == "=" {
      let missing = max(specification.width - sign.count - digits.count, 0)
      return TemplateString(
        sign + String(repeating: String(specification.fill), count: missing) + digits)
    }
    return align(TemplateString(sign + digits), specification, default: ">")
  }

  func align(
    _ text: TemplateString, _ specification: TemplateFormatSpecification,
    default side: Unicode.Scalar
  ) -> TemplateString {
    let missing = max(specification.width - text.scalarCount, 0)
    guard missing > 0 else { return text }
    let left =
      switch specification.alignment ?? side {
      case "<": 0
      case "^": missing / 2
      default: missing
      }
    let fill = String(specification.fill)
    var result = TemplateString(String(repeating: fill, count: left))
    result.append(text)
    result.append(TemplateString(String(repeating: fill, count: missing - left)))
    return result
  }

  func cut(_ text: TemplateString, _ precision: Int?) -> TemplateString {
    guard let precision, precision < text.scalarCount else { return text }
    return text[0..<text.scalarOffsets[precision]]
  }

  // MARK: printf style

  /// Python's `text % values`.
  func percentFormat(
    _ format: TemplateString, _ value: TemplateValue
  ) throws(TemplateFailure) -> TemplateString {
    var arguments = [value]
    if case .sequence(let sequence) = value, sequence.kind == .tuple || sequence.kind == .group {
      arguments = sequence.items
    }
    var remaining = arguments[...]
    var usesNames = false
    var result = TemplateString()
    result.isMarkup = format.isMarkup
    let origins = format.scalarOrigins
    try charge(origins.count)
    var rest = Array(format.text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      guard scalar == "%" else {
        result.append(scalar, origin: origins[rest.startIndex - 1])
        continue
      }
      var source = remaining.first
      if rest.first == "(" {
        source = try namedArgument(&rest, of: value)
        usesNames = true
      }
      let (text, isUsed) = try directive(&rest, source)
      if isUsed && !usesNames { remaining = remaining.dropFirst() }
      result.append(format.isMarkup ? text.escapedForMarkup() : text)
      try charge(bytes: text.count)
      try check(bytes: result.count)
    }
    // Python does not count the values of what can be asked by key or index.
    if case .dictionary = value { usesNames = true }
    if case .sequence(let sequence) = value, sequence.kind == .list { usesNames = true }
    guard usesNames || remaining.isEmpty else {
      throw .evaluation("not all values are used by the format")
    }
    return result
  }

  private func namedArgument(
    _ rest: inout ArraySlice<Unicode.Scalar>, of value: TemplateValue
  ) throws(TemplateFailure) -> TemplateValue? {
    guard let end = rest.firstIndex(of: ")"), case .dictionary(let dictionary) = value else {
      throw .evaluation("a format with names needs a dictionary")
    }
    var name = String.UnicodeScalarView()
    name.append(contentsOf: rest[rest.index(after: rest.startIndex)..<end])
    rest = rest[rest.index(after: end)...]
    guard let found = dictionary[.string(Array(String(name).utf8))] else {
      throw .evaluation("the format names '\(String(name))', which is not in the dictionary")
    }
    return found
  }

  private func directive(
    _ rest: inout ArraySlice<Unicode.Scalar>, _ value: TemplateValue?
  ) throws(TemplateFailure) -> (text: TemplateString, isUsed: Bool) {
    var specification = TemplateFormatSpecification()
    while let flag = rest.first, "-+ 0#".unicodeScalars.contains(flag) {
      switch flag {
      case "-": specification.alignment = "<"
      case "0": specification.fill = "0"
      case "#": specification.isAlternate = true
      default: if specification.sign != "+" { specification.sign = flag }
      }
      rest = rest.dropFirst()
    }
    specification.width = try TemplateFormatSpecification.number(&rest) ?? 0
    if rest.first == "." {
      rest = rest.dropFirst()
      specification.precision = try TemplateFormatSpecification.number(&rest) ?? 0
    }
    guard let type = rest.popFirst() else { throw .evaluation("the format ends inside a '%'") }
    if type == "%" { return ("%", false) }
    guard let value else { throw .evaluation("the format needs more values than are given") }
    specification.type = type
    return (try formatted(value, specification), true)
  }

  private func formatted(
    _ value: TemplateValue, _ specification: TemplateFormatSpecification
  ) throws(TemplateFailure) -> TemplateString {
    var specification = specification
    let isZeroFilled = specification.fill == "0"
    if isZeroFilled && specification.alignment == "<" { specification.fill = " " }
    switch specification.type {
    case "s", "r", "a":
      if isZeroFilled { specification.fill = " " }
      let text = try specification.type == "s" ? text(of: value) : repr(of: value)
      try charge(scalarsOf: text)
      return align(cut(text, specification.precision), specification, default: ">")
    case "c":
      guard let code = value.integer.flatMap({ UInt32(exactly: $0) }).flatMap(Unicode.Scalar.init)
      else { return align(try textArgument(value, of: "%c"), specification, default: ">") }
      return align(TemplateString(String(code)), specification, default: ">")
    case "d", "i", "u":
      if isZeroFilled && specification.alignment == nil { specification.alignment = "=" }
      var value = value
      if case .double(let number) = value { value = try integer(from: number) }
      return try formatNumber(value, specification)
    case "x", "X", "o", "e", "E", "f", "F", "g", "G":
      if isZeroFilled && specification.alignment == nil { specification.alignment = "=" }
      return try formatNumber(value, specification)
    case let type:
      throw .evaluation("the format '%\(type.map { String($0) } ?? "")' is unknown")
    }
  }

  /// A double cut to an integer.
  func integer(from number: Double) throws(TemplateFailure) -> TemplateValue {
    guard let integer = Int(exactly: number.rounded(.towardZero)) else {
      throw .evaluation("the number is too large for an integer")
    }
    return .int(integer)
  }
}
