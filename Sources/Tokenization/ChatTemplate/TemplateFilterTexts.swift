/// What the filters on texts and numbers do.
extension TemplateEvaluator {
  // MARK: Texts

  /// Each line but the first moved to the right; empty lines stay empty unless `blank` is set.
  func indented(
    _ text: TemplateString, width: TemplateValue, first: Bool, blank: Bool
  ) throws(TemplateFailure) -> TemplateString {
    let indentation: TemplateString
    if case .string(let given) = width {
      indentation = given
    } else {
      let count = max(try integerArgument(width, of: "indent") ?? 0, 0)
      try charge(bytes: count)
      indentation = TemplateString(String(repeating: " ", count: count))
    }
    var ended = text
    ended.append("\n")
    try charge(scalarsOf: text)
    let lines = ended.lines()
    try charge(lines.count, times: indentation.footprint + 1)
    var result = TemplateString()
    for (index, line) in lines.enumerated() {
      if index > 0 { result.append("\n") }
      if index == 0 ? first : blank || !line.isEmpty { result.append(indentation) }
      result.append(line)
    }
    return result
  }

  func truncate(
    _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    let values = try arguments.bound(
      to: ["length", "killwords", "end", "leeway"], of: "truncate")
    let length = try integerArgument(values[0], of: "truncate") ?? 255
    let end = try values[2].map { e throws(TemplateFailure) in try self.text(of: e) } ?? "..."
    let leeway = try integerArgument(values[3], of: "truncate") ?? 5
    guard length >= end.scalarCount, leeway >= 0 else {
      throw .evaluation(
        "'truncate' needs a length of at least that of its end, and no negative leeway")
    }
    try charge(scalarsOf: text)
    let offsets = text.scalarOffsets
    guard offsets.count - 1 - length > leeway else { return .string(text) }
    var result = text[0..<offsets[length - end.scalarCount]]
    if !(values[1]?.isTrue ?? false), let space = result.bytes.lastIndex(of: 0x20) {
      result = result[0..<space]
    }
    result.append(end)
    return .string(result)
  }

  func urlEncoded(_ value: TemplateValue) throws(TemplateFailure) -> TemplateString {
    var pairs: [TemplateValue] = []
    switch value {
    case .dictionary(let dictionary): pairs = try dictionary.pairs
    case .sequence, .object: pairs = try elements(of: value)
    default: return try percentEncoded(value, keepsSlash: true)
    }
    var result = TemplateString()
    for (index, pair) in pairs.enumerated() {
      let parts = try elements(of: pair)
      guard parts.count == 2 else { throw .evaluation("'urlencode' takes pairs of name and value") }
      if index > 0 { result.append("&") }
      result.append(try percentEncoded(parts[0], keepsSlash: false))
      result.append("=")
      result.append(try percentEncoded(parts[1], keepsSlash: false))
      try check(bytes: result.footprint)
    }
    return result
  }

  private func percentEncoded(
    _ value: TemplateValue, keepsSlash: Bool
  ) throws(TemplateFailure) -> TemplateString {
    let text = try text(of: value)
    try charge(bytes: text.count)
    try charge(scalarsOf: text)
    return text.percentEncoded(keepsSlash: keepsSlash)
  }

  // MARK: Numbers

  func round(
    _ value: TemplateValue, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    let values = try arguments.bound(to: ["precision", "method"], of: "round")
    let places = try integerArgument(values[0], of: "round") ?? 0
    if case .undefined(let missing) = value { throw missing.failure }
    guard let number = value.number else {
      throw .evaluation("'round' needs a number, not a \(typeName(of: value))")
    }
    let method = try text(of: values[1] ?? .text("common")).text
    if method == "common" {
      guard let integer = value.integer else {
        return .double(TemplateArithmetic.rounded(number, places: places))
      }
      if places >= 0 { return .int(integer) }
      return try self.integer(from: TemplateArithmetic.rounded(number, places: places))
    }
    let scale = try apply(.power, .int(10), .int(places)).number ?? 1
    switch method {
    case "ceil": return .double((number * scale).rounded(.up) / scale)
    case "floor": return .double((number * scale).rounded(.down) / scale)
    default: throw .evaluation("'round' knows the methods 'common', 'ceil' and 'floor'")
    }
  }

  /// Python's `int`, nil where it would fail.
  func integer(
    _ value: TemplateValue, base: Int
  ) throws(TemplateFailure) -> TemplateValue? {
    if case .undefined(let missing) = value { throw missing.failure }
    if let integer = value.integer { return .int(integer) }
    if case .double(let number) = value {
      return number.isNaN ? nil : try integer(from: number)
    }
    guard case .string(let text) = value else { return nil }
    try charge(text.count)
    if let integer = try text.parsedInteger(base: base) { return .int(integer) }
    guard let number = text.parsedDouble, number.isFinite else { return nil }
    return try integer(from: number)
  }
}

extension TemplateString {
  /// Each word in title case, where words start after white space, hyphens and opening brackets.
  func titlecasedWords() -> TemplateString {
    var startsWord = true
    return mapScalars { scalar, _, mapped in
      let isBreak = Self.isWhitespace(scalar) || "-({[<".unicodeScalars.contains(scalar)
      let mapping =
        startsWord ? scalar.properties.uppercaseMapping : scalar.properties.lowercaseMapping
      mapped.appendAll(mapping.unicodeScalars)
      startsWord = isBreak
    }
  }

  /// Stretches of letters, digits and underscores.
  var wordCount: Int {
    var count = 0
    var isInside = false
    for scalar in text.unicodeScalars {
      let belongs = scalar == "_" || TemplateString(String(scalar)).isAlphanumeric
      if belongs && !isInside { count += 1 }
      isInside = belongs
    }
    return count
  }

  /// Bytes that are not safe in an address as `%XX`; without slashes also spaces as `+`.
  func percentEncoded(keepsSlash: Bool) -> TemplateString {
    mapScalars { scalar, _, mapped in
      let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
      let isKept =
        isLetter || ("0"..."9").contains(scalar) || "_.-~".unicodeScalars.contains(scalar)
        || (keepsSlash && scalar == "/")
      if isKept {
        mapped.append(scalar)
      } else if scalar == " " && !keepsSlash {
        mapped.append("+")
      } else {
        for byte in String(scalar).utf8 {
          let digits = String(byte, radix: 16, uppercase: true)
          mapped.appendAll(("%" + (byte < 16 ? "0" : "") + digits).unicodeScalars)
        }
      }
    }
  }

  /// The digits of a number with the underscores Python allows between them taken out, nil where
  /// one stands elsewhere.
  private var withoutSeparators: String? {
    let text = trimmed().text
    guard text.utf8.contains(UInt8(ascii: "_")) else { return text }
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    for (left, right) in zip(parts, parts.dropFirst()) {
      guard left.last?.isHexDigit == true, right.first?.isHexDigit == true else { return nil }
    }
    return parts.joined()
  }

  /// The integer that Python reads in this text, nil where it is none.
  ///
  /// - Throws: where it is one but too large.
  func parsedInteger(base: Int) throws(TemplateFailure) -> Int? {
    guard var digits = withoutSeparators else { return nil }
    let isNegative = digits.hasPrefix("-")
    if isNegative || digits.hasPrefix("+") { digits.removeFirst() }
    var radix = base
    for (prefix, own) in [("0x", 16), ("0o", 8), ("0b", 2)]
    where (base == own || base == 0) && digits.lowercased().hasPrefix(prefix) {
      digits.removeFirst(2)
      radix = own
      break
    }
    if radix == 0 { radix = 10 }
    let isNumber =
      !digits.isEmpty
      && digits.utf8.allSatisfy { byte in
        Character(Unicode.Scalar(byte)).isASCII
          && Int(String(UnicodeScalar(byte)), radix: radix) != nil && byte != 0x2B && byte != 0x2D
      }
    guard isNumber else { return nil }
    guard let number = Int((isNegative ? "-" : "") + digits, radix: radix) else {
      throw .evaluation("the integer is too large")
    }
    return number
  }

  /// The number that Python's `float` reads in this text, nil where it is none.
  var parsedDouble: Double? {
    guard let text = withoutSeparators?.lowercased() else { return nil }
    let unsigned = text.drop { $0 == "+" || $0 == "-" }
    guard text.count - unsigned.count <= 1 else { return nil }
    if ["inf", "infinity", "nan"].contains(unsigned) { return Double(text) }
    guard unsigned.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.e".utf8.contains($0) })
    else { return nil }
    return Double(text.hasSuffix(".") ? text + "0" : text)
      ?? Double("0" + unsigned).map { text.hasPrefix("-") ? -$0 : $0 }
  }
}
