/// Python's `str.format`: `{}`, `{0}`, `{name.attribute[key]!r:>8}`.
extension TemplateEvaluator {
  func braceFormat(
    _ format: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateString {
    var result = TemplateString()
    result.isMarkup = format.isMarkup
    var automatic = 0
    let origins = format.scalarOrigins
    try charge(origins.count)
    var rest = Array(format.text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      guard scalar == "{" || scalar == "}" else {
        result.append(scalar, origin: origins[rest.startIndex - 1])
        continue
      }
      if rest.first == scalar {
        result.append(scalar, origin: origins[rest.startIndex - 1])
        rest = rest.dropFirst()
        continue
      }
      guard scalar == "{", let end = rest.firstIndex(of: "}") else {
        throw .evaluation("a single '\(scalar)' in a format must be doubled")
      }
      let field = rest[..<end]
      rest = rest[rest.index(after: end)...]
      let text = try braceField(field, arguments, &automatic)
      result.append(format.isMarkup ? text.escapedForMarkup() : text)
      try charge(bytes: text.count)
      try check(bytes: result.count)
    }
    return result
  }

  private func braceField(
    _ field: ArraySlice<Unicode.Scalar>, _ arguments: TemplateArguments, _ automatic: inout Int
  ) throws(TemplateFailure) -> TemplateString {
    let nameEnd = field.firstIndex { $0 == "!" || $0 == ":" } ?? field.endIndex
    var rest = field[nameEnd...]
    var value = try fieldValue(field[..<nameEnd], arguments, &automatic)
    if rest.first == "!" {
      rest = rest.dropFirst()
      switch rest.popFirst() {
      case "s": value = .string(try text(of: value))
      case "r", "a": value = .string(try repr(of: value))
      default: throw .evaluation("a format knows the conversions !s, !r and !a only")
      }
    }
    if rest.first == ":" { rest = rest.dropFirst() }
    guard !rest.contains("{") else {
      throw .evaluation("fields inside of fields are not supported")
    }
    return try format(value, rest)
  }

  private func fieldValue(
    _ path: ArraySlice<Unicode.Scalar>, _ arguments: TemplateArguments, _ automatic: inout Int
  ) throws(TemplateFailure) -> TemplateValue {
    let nameEnd = path.firstIndex { $0 == "." || $0 == "[" } ?? path.endIndex
    let name = string(path[..<nameEnd])
    var value: TemplateValue?
    if name.isEmpty {
      value = arguments.positional.dropFirst(automatic).first
      automatic += 1
    } else if let index = Int(name) {
      value = index >= 0 ? arguments.positional.dropFirst(index).first : nil
    } else {
      try charge(arguments.named.count)
      value = arguments.named.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
    guard var value else { throw .evaluation("the format has no value for '{\(name)}'") }
    var rest = path[nameEnd...]
    while let mark = rest.popFirst() {
      let end =
        rest.firstIndex { mark == "[" ? $0 == "]" : $0 == "." || $0 == "[" } ?? rest.endIndex
      let key = string(rest[..<end])
      if mark == "." {
        value = try attribute(TemplateAttribute(key), of: value)
      } else {
        value = try item(Int(key).map { .int($0) } ?? .text(key), of: value)
      }
      rest = mark == "[" ? rest[end...].dropFirst() : rest[end...]
    }
    return value
  }

  private func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  /// A value by a format specification: `[[fill]align][sign][#][0][width][,][.precision][type]`.
  private func format(
    _ value: TemplateValue, _ text: ArraySlice<Unicode.Scalar>
  ) throws(TemplateFailure) -> TemplateString {
    guard !text.isEmpty else { return try self.text(of: value) }
    let specification = try specification(text)
    if case .string(let text) = value {
      guard specification.type == nil || specification.type == "s" else {
        throw .evaluation("a text cannot be formatted as a number")
      }
      try charge(scalarsOf: text)
      return align(cut(text, specification.precision), specification, default: "<")
    }
    if case .undefined(let missing) = value { throw missing.failure }
    guard value.number != nil, specification.type != "s" else {
      throw .evaluation("a \(typeName(of: value)) cannot be formatted this way")
    }
    var adjusted = specification
    if specification.type == nil, case .double = value, specification.precision != nil {
      adjusted.type = "g"
    }
    return try formatNumber(value, adjusted)
  }

  private func specification(
    _ text: ArraySlice<Unicode.Scalar>
  ) throws(TemplateFailure) -> TemplateFormatSpecification {
    var rest = text
    var specification = TemplateFormatSpecification()
    let alignments = "<>^=".unicodeScalars
    if let second = rest.dropFirst().first, alignments.contains(second), let fill = rest.first {
      specification.fill = fill
      specification.alignment = second
      rest = rest.dropFirst(2)
    } else if let first = rest.first, alignments.contains(first) {
      specification.alignment = first
      rest = rest.dropFirst()
    }
    if let sign = rest.first, "+- ".unicodeScalars.contains(sign) {
      specification.sign = sign
      rest = rest.dropFirst()
    }
    if rest.first == "#" {
      specification.isAlternate = true
      rest = rest.dropFirst()
    }
    if rest.first == "0" && specification.alignment == nil {
      specification.fill = "0"
      specification.alignment = "="
      rest = rest.dropFirst()
    }
    specification.width = try TemplateFormatSpecification.number(&rest) ?? 0
    if let separator = rest.first, separator == "," || separator == "_" {
      specification.grouping = separator
      rest = rest.dropFirst()
    }
    if rest.first == "." {
      rest = rest.dropFirst()
      guard let precision = try TemplateFormatSpecification.number(&rest) else {
        throw .evaluation("the format has no precision after the point")
      }
      specification.precision = precision
    }
    specification.type = rest.popFirst()
    let known = specification.type.map { "sdxXobeEfFgG%n".unicodeScalars.contains($0) } ?? true
    guard rest.isEmpty, known else { throw .evaluation("the format specification is malformed") }
    return specification
  }
}
