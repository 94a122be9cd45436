/// The methods of Python's `str` that templates can call.
enum TemplateStringMethod: String, Sendable {
  case capitalize, casefold, center, count, endswith, expandtabs, find, format, index
  case formatMap = "format_map"
  case isalnum, isalpha, isascii, isdecimal, isdigit, isidentifier, islower, isnumeric
  case isprintable, isspace, istitle, isupper
  case join, ljust, lower, lstrip, partition, removeprefix, removesuffix, replace, rfind, rindex
  case rjust, rpartition, rsplit, rstrip, split, splitlines, startswith, strip, swapcase, title
  case upper, zfill
}

extension TemplateEvaluator {
  func call(
    _ method: TemplateStringMethod, of text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    try charge(bytes: text.count)
    try charge(texts: .null, arguments)
    switch method {
    case .strip, .lstrip, .rstrip: return .string(try strip(method, text, arguments))
    case .split, .rsplit: return try split(method, text, arguments)
    case .startswith, .endswith: return .bool(try hasAffix(method, text, arguments))
    case .replace: return try replace(text, arguments)
    case .find, .rfind, .index, .rindex: return .int(try find(method, text, arguments))
    case .count: return .int(try count(text, arguments))
    case .join: return .string(try join(text, arguments))
    case .partition, .rpartition: return try partition(method, text, arguments)
    case .splitlines:
      let values = try arguments.bound(to: ["keepends"], of: "splitlines")
      try charge(scalarsOf: text)
      return try .list(text.lines(keepingEnds: values[0]?.isTrue ?? false).map { .string($0) })
    case .removeprefix, .removesuffix: return .string(try removeAffix(method, text, arguments))
    case .center, .ljust, .rjust, .zfill: return .string(try pad(method, text, arguments))
    case .expandtabs: return .string(try expandTabs(text, arguments))
    case .format: return .string(try braceFormat(text, arguments))
    case .formatMap:
      guard case .dictionary(let fields)? = arguments.positional.first else {
        throw .evaluation("'format_map' needs a dictionary")
      }
      let named = fields.entries.compactMap { entry -> (name: String, value: TemplateValue)? in
        guard case .string(let name) = entry.name else { return nil }
        return (name.text, entry.value)
      }
      return .string(try braceFormat(text, TemplateArguments(named: named)))
    default:
      _ = try arguments.bound(to: [], of: method.rawValue)
      try charge(scalarsOf: text)
      return classify(method, text)
    }
  }

  /// Methods that take no argument.
  private func classify(_ method: TemplateStringMethod, _ text: TemplateString) -> TemplateValue {
    switch method {
    case .upper: .string(text.uppercased())
    case .lower: .string(text.lowercased())
    case .casefold: .string(text.uppercased().lowercased())
    case .capitalize: .string(text.capitalized())
    case .title: .string(text.titlecased())
    case .swapcase: .string(text.caseSwapped())
    case .isalnum: .bool(text.isAlphanumeric)
    case .isalpha: .bool(text.isAlphabetic)
    case .isascii: .bool(text.isASCII)
    case .isdecimal: .bool(text.isDecimal)
    case .isdigit: .bool(text.isDigit)
    case .isidentifier: .bool(text.isIdentifier)
    case .islower: .bool(text.isLowercase)
    case .isnumeric: .bool(text.isNumeric)
    case .isprintable: .bool(text.isEmpty || text.allScalars(TemplateString.isPrintable))
    case .isspace: .bool(text.isSpace)
    case .istitle: .bool(text.isTitlecase)
    case .isupper: .bool(text.isUppercase)
    default: .null
    }
  }

  // MARK: Arguments

  /// A text argument.
  func textArgument(
    _ value: TemplateValue?, of function: String
  ) throws(TemplateFailure) -> TemplateString {
    if case .string(let text)? = value { return text }
    if case .undefined(let missing)? = value { throw missing.failure }
    throw .evaluation(
      "'\(function)' needs a text, not \(value.map { "a " + typeName(of: $0) } ?? "nothing")")
  }

  /// An integer argument; nil where it is left out or nothing.
  func integerArgument(
    _ value: TemplateValue?, of function: String
  ) throws(TemplateFailure) -> Int? {
    guard let value else { return nil }
    if case .null = value { return nil }
    if case .undefined(let missing) = value { throw missing.failure }
    guard let number = value.integer else {
      throw .evaluation("'\(function)' needs an integer, not a \(typeName(of: value))")
    }
    return number
  }

  /// How many times at most; negative numbers stand for no limit.
  private func limitArgument(
    _ value: TemplateValue?, of function: String
  ) throws(TemplateFailure) -> Int {
    let limit = try integerArgument(value, of: function) ?? -1
    return limit < 0 ? .max : limit
  }

  // MARK: Cutting

  func strip(
    _ method: TemplateStringMethod, _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateString {
    let side: TemplateString.Side =
      method == .lstrip ? .left : method == .rstrip ? .right : .both
    let given = try arguments.bound(to: ["chars"], of: method.rawValue)[0] ?? .null
    if case .null = given { return text.trimmed(side) }
    let chosen = try textArgument(given, of: method.rawValue)
    try charge(chosen.count)
    let characters = Set(chosen.text.unicodeScalars)
    return text.trimmed(side) { characters.contains($0) }
  }

  private func split(
    _ method: TemplateStringMethod, _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    let values = try arguments.bound(to: ["sep", "maxsplit"], of: method.rawValue)
    let limit = try limitArgument(values[1], of: method.rawValue)
    let parts: [TemplateString]
    if case .null = values[0] ?? .null {
      parts =
        method == .split
        ? text.splitByWhitespace(limit: limit) : text.splitFromEndByWhitespace(limit: limit)
    } else {
      let separator = try textArgument(values[0], of: method.rawValue).bytes
      guard !separator.isEmpty else { throw .evaluation("the separator is empty") }
      parts =
        method == .split
        ? text.split(by: separator, limit: limit) : text.splitFromEnd(by: separator, limit: limit)
    }
    // Every part is a text of its own.
    try charge(parts.count * 4)
    return try .list(parts.map { .string($0) })
  }

  private func partition(
    _ method: TemplateStringMethod, _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    let separator = try textArgument(
      arguments.bound(to: ["sep"], of: method.rawValue)[0], of: method.rawValue)
    guard !separator.isEmpty else { throw .evaluation("the separator is empty") }
    let empty = TemplateValue.string(TemplateString())
    let isFirst = method == .partition
    let found =
      isFirst
      ? text.firstOffset(of: separator.bytes)
      : text.offsetsFromEnd(of: separator.bytes, limit: 1).first
    guard let found else {
      return try .tuple(isFirst ? [.string(text), empty, empty] : [empty, empty, .string(text)])
    }
    let end = found + separator.count
    return try .tuple([
      .string(text[0..<found]), .string(text[found..<end]), .string(text[end..<text.count]),
    ])
  }

  private func removeAffix(
    _ method: TemplateStringMethod, _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateString {
    let affix = try textArgument(
      arguments.bound(to: ["affix"], of: method.rawValue)[0], of: method.rawValue)
    if method == .removeprefix {
      return text.matches(affix.bytes, at: 0) ? text[affix.count..<text.count] : text
    }
    let start = text.count - affix.count
    return text.matches(affix.bytes, at: start) ? text[0..<start] : text
  }

  func replace(
    _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    let values = try arguments.bound(to: ["old", "new", "count"], of: "replace")
    let old = try textArgument(values[0], of: "replace")
    var new = try textArgument(values[1], of: "replace")
    let limit = try limitArgument(values[2], of: "replace")
    if text.isMarkup { new = new.escapedForMarkup() }
    try charge(bytes: text.count)
    let places = text.replacementOffsets(of: old, limit: limit)
    try charge(places.count)
    try charge(places.count, times: new.footprint)
    return .string(text.replacing(at: places, length: old.count, with: new))
  }

  // MARK: Searching

  private func hasAffix(
    _ method: TemplateStringMethod, _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> Bool {
    let values = try arguments.bound(to: ["affix", "start", "end"], of: method.rawValue)
    let part = try window(of: text, values[1], values[2], method.rawValue)?.text
    var affixes: [TemplateValue?] = [values[0]]
    if case .sequence(let sequence)? = values[0], sequence.kind == .tuple {
      affixes = sequence.items.map { Optional($0) }
    }
    for affix in affixes {
      let affix = try textArgument(affix, of: method.rawValue)
      guard let part else { continue }
      let place = method == .startswith ? 0 : part.count - affix.count
      if part.matches(affix.bytes, at: place) { return true }
    }
    return false
  }

  /// The part of a text between two indices, with the byte offset where it starts; nil where the
  /// start lies behind the end, in which even an empty text is not found.
  private func window(
    of text: TemplateString, _ start: TemplateValue?, _ end: TemplateValue?, _ function: String
  ) throws(TemplateFailure) -> (text: TemplateString, offset: Int)? {
    if start == nil && end == nil { return (text, 0) }
    try charge(scalarsOf: text)
    let offsets = text.scalarOffsets
    let count = offsets.count - 1
    func clamp(_ index: Int) -> Int { index < 0 ? max(max(index, -count) + count, 0) : index }
    let first = clamp(try integerArgument(start, of: function) ?? 0)
    let last = min(clamp(try integerArgument(end, of: function) ?? count), count)
    guard first <= last else { return nil }
    return (text[offsets[first]..<offsets[last]], offsets[first])
  }

  private func find(
    _ method: TemplateStringMethod, _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> Int {
    let values = try arguments.bound(to: ["sub", "start", "end"], of: method.rawValue)
    let needle = try textArgument(values[0], of: method.rawValue).bytes
    var found: Int?
    if let window = try window(of: text, values[1], values[2], method.rawValue) {
      let isFirst = method == .find || method == .index
      let inside =
        isFirst
        ? window.text.firstOffset(of: needle)
        : needle.isEmpty
          ? window.text.count : window.text.offsetsFromEnd(of: needle, limit: 1).first
      found = inside.map { $0 + window.offset }
    }
    if let found {
      try charge(bytes: found)
      return text[0..<found].scalarCount
    }
    guard method == .find || method == .rfind else {
      throw .evaluation("'\(method.rawValue)' does not find the text")
    }
    return -1
  }

  private func count(
    _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> Int {
    let values = try arguments.bound(to: ["sub", "start", "end"], of: "count")
    let needle = try textArgument(values[0], of: "count").bytes
    guard let window = try window(of: text, values[1], values[2], "count") else { return 0 }
    try charge(scalarsOf: window.text)
    return needle.isEmpty ? window.text.scalarCount + 1 : window.text.offsets(of: needle).count
  }

  // MARK: Building

  private func join(
    _ separator: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateString {
    let values = try arguments.bound(to: ["iterable"], of: "join")
    guard let iterable = values[0] else { throw .evaluation("'join' needs a list") }
    var result = TemplateString()
    result.isMarkup = separator.isMarkup
    for (index, item) in try elements(of: iterable).enumerated() {
      guard case .string(var part) = item else {
        if case .undefined(let missing) = item { throw missing.failure }
        throw .evaluation("'join' takes texts, item \(index) is a \(typeName(of: item))")
      }
      if separator.isMarkup { part = part.escapedForMarkup() }
      if index > 0 { result.append(separator) }
      result.append(part)
      try charge(bytes: separator.footprint + part.footprint)
      try check(bytes: result.footprint)
    }
    return result
  }

  private func pad(
    _ method: TemplateStringMethod, _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateString {
    let isNumber = method == .zfill
    let values = try arguments.bound(
      to: isNumber ? ["width"] : ["width", "fillchar"], of: method.rawValue)
    let width = try integerArgument(values[0], of: method.rawValue) ?? 0
    var fill: TemplateString = isNumber ? "0" : " "
    if !isNumber, let given = values[1] { fill = try textArgument(given, of: method.rawValue) }
    try charge(bytes: fill.count)
    guard fill.scalarCount == 1 else { throw .evaluation("the filling must be one character") }
    let missing = max(width.subtractingReportingOverflow(text.scalarCount).partialValue, 0)
    guard missing > 0 else { return text }
    try charge(missing, times: fill.count)
    let hasSign = isNumber && (text.bytes.first == 0x2B || text.bytes.first == 0x2D)
    let left =
      switch method {
      case .ljust: 0
      case .center: missing / 2 + (missing & width & 1)
      default: missing
      }
    var result = hasSign ? text[0..<1] : TemplateString()
    result.append(fill.repeated(left))
    result.append(hasSign ? text[1..<text.count] : text)
    result.append(fill.repeated(missing - left))
    return result
  }

  private func expandTabs(
    _ text: TemplateString, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateString {
    let values = try arguments.bound(to: ["tabsize"], of: "expandtabs")
    let size = max(try integerArgument(values[0], of: "expandtabs") ?? 8, 0)
    try charge(text.bytes.count { $0 == 0x09 }, times: size)
    try charge(scalarsOf: text)
    var column = 0
    return text.mapScalars { scalar, _, mapped in
      if scalar == "\t" {
        let spaces = size == 0 ? 0 : size - column % size
        for _ in 0..<spaces { mapped.append(" ") }
        column += spaces
      } else {
        mapped.append(scalar)
        column = scalar == "\n" || scalar == "\r" ? 0 : column + 1
      }
    }
  }
}
