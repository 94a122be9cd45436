/// A regular expression as it is written.
indirect enum RegexSyntax {
  case set(CodePointSet)
  case sequence([RegexSyntax])
  case choice([RegexSyntax])
  case repetition(RegexSyntax, Int, Int?)
  case textStart
  case textEnd
}

/// Reads the ECMA-262 subset that describes regular languages, and what Swift adds in literals.
///
/// Groups of every kind only group; lazy quantifiers mean the same as greedy ones. `\d`, `\w` and
/// `\s` are those of ECMA-262: ASCII digits, ASCII word characters, Unicode white space. What has
/// no regular meaning (look-around, back references, word boundaries) is refused.
struct RegexParser {
  private var cursor: TextCursor
  private let maximumNesting: Int

  static func parse(_ text: String, limits: GrammarLimits) throws(GrammarError) -> RegexSyntax {
    var parser = RegexParser(
      cursor: TextCursor(text), maximumNesting: limits.maximumNesting)
    let result = try parser.parseChoice(depth: 0)
    guard parser.cursor.isAtEnd else { throw parser.cursor.error("unmatched )") }
    return result
  }

  private mutating func parseChoice(depth: Int) throws(GrammarError) -> RegexSyntax {
    guard depth <= maximumNesting else { throw .limit(.nesting, maximum: maximumNesting) }
    var alternatives = [try parseSequence(depth: depth)]
    while cursor.take("|") { alternatives.append(try parseSequence(depth: depth)) }
    return alternatives.count == 1 ? alternatives[0] : .choice(alternatives)
  }

  private mutating func parseSequence(depth: Int) throws(GrammarError) -> RegexSyntax {
    var parts: [RegexSyntax] = []
    while let scalar = cursor.peek(), scalar != "|" && scalar != ")" {
      parts.append(try parseQuantified(depth: depth))
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func parseQuantified(depth: Int) throws(GrammarError) -> RegexSyntax {
    var result = try parseAtom(depth: depth)
    let start = cursor.index
    var bounds: (Int, Int?)?
    if cursor.take("*") {
      bounds = (0, nil)
    } else if cursor.take("+") {
      bounds = (1, nil)
    } else if cursor.take("?") {
      bounds = (0, 1)
    } else if cursor.peek() == "{" {
      bounds = try parseBraces()
    }
    guard let (minimum, maximum) = bounds else { return result }
    switch result {
    case .textStart, .textEnd: throw cursor.error("nothing to repeat", at: start)
    default: result = .repetition(result, minimum, maximum)
    }
    if cursor.take("?") { return result }
    if let next = cursor.peek(), next == "*" || next == "+" {
      throw cursor.error("two quantifiers in a row")
    }
    return result
  }

  /// `{m}`, `{m,}` or `{m,n}`; nil without moving where the brace is a plain character.
  private mutating func parseBraces() throws(GrammarError) -> (Int, Int?)? {
    let start = cursor.index
    cursor.index += 1
    guard let minimum = try cursor.takeNumber() else {
      cursor.index = start
      return nil
    }
    var maximum: Int? = minimum
    if cursor.take(",") { maximum = try cursor.takeNumber() }
    guard cursor.take("}") else {
      cursor.index = start
      return nil
    }
    if let maximum, maximum < minimum {
      throw cursor.error("the maximum is below the minimum", at: start)
    }
    return (minimum, maximum)
  }

  private mutating func parseAtom(depth: Int) throws(GrammarError) -> RegexSyntax {
    let start = cursor.index
    guard let scalar = cursor.take() else { throw cursor.error("unexpected end") }
    switch scalar {
    case "^": return .textStart
    case "$": return .textEnd
    case ".": return .set(RegexClasses.lineTerminators.complement)
    case "[": return .set(try parseClass(start))
    case "\\": return try parseEscape(start)
    case "(":
      try parseGroupKind(start)
      let inner = try parseChoice(depth: depth + 1)
      guard cursor.take(")") else { throw cursor.error("the group has no closing )", at: start) }
      return inner
    case "*", "+", "?": throw cursor.error("nothing to repeat", at: start)
    default: return .set(CodePointSet([scalar.value...scalar.value]))
    }
  }

  private mutating func parseGroupKind(_ start: Int) throws(GrammarError) {
    guard cursor.take("?") else { return }
    if cursor.take(":") { return }
    if cursor.take("=") || cursor.take("!") || cursor.take("<=") || cursor.take("<!") {
      throw cursor.error("look-around is not supported", at: start)
    }
    guard cursor.take("<") || cursor.take("P<") else {
      throw cursor.error("options inside a pattern are not supported", at: start)
    }
    while let scalar = cursor.take(), scalar != ">" {
      guard scalar.properties.isXIDContinue || scalar == "$" else {
        throw cursor.error("bad group name", at: start)
      }
    }
  }

  // MARK: Escapes

  private mutating func parseEscape(_ start: Int) throws(GrammarError) -> RegexSyntax {
    guard let scalar = cursor.peek() else { throw cursor.error("unfinished escape", at: start) }
    switch scalar {
    case "b", "B": throw cursor.error("word boundaries are not supported", at: start)
    case "1"..."9", "k": throw cursor.error("back references are not supported", at: start)
    case "A": throw cursor.error("\\A is not part of the supported patterns: use ^", at: start)
    case "z", "Z":
      throw cursor.error("\\\(scalar) is not part of the supported patterns: use $", at: start)
    default: break
    }
    if let set = try parseClassEscape(start) { return .set(set) }
    let value = try parseCharacterEscape(start)
    return .set(CodePointSet([value...value]))
  }

  private mutating func parseClassEscape(_ start: Int) throws(GrammarError) -> CodePointSet? {
    let set: CodePointSet
    switch cursor.peek() {
    case "d": set = RegexClasses.digits
    case "D": set = RegexClasses.digits.complement
    case "w": set = RegexClasses.word
    case "W": set = RegexClasses.word.complement
    case "s": set = RegexClasses.space
    case "S": set = RegexClasses.space.complement
    case "p", "P":
      let isNegated = cursor.peek() == "P"
      cursor.index += 1
      guard cursor.take("{") else { throw cursor.error("expected { after \\p", at: start) }
      var name = ""
      while let scalar = cursor.take(), scalar != "}" { name.unicodeScalars.append(scalar) }
      guard cursor.scalars[cursor.index - 1] == "}", let set = RegexClasses.property(name) else {
        throw cursor.error("unknown property \(name)", at: start)
      }
      return isNegated ? set.complement : set
    default: return nil
    }
    cursor.index += 1
    return set
  }

  private mutating func parseCharacterEscape(_ start: Int) throws(GrammarError) -> UInt32 {
    guard let scalar = cursor.take() else { throw cursor.error("unfinished escape", at: start) }
    switch scalar {
    case "t": return 9
    case "n": return 10
    case "v": return 11
    case "f": return 12
    case "r": return 13
    case "0": return 0
    case "x": return try cursor.takeHex(2)
    case "u": return try parseUnicodeEscape(start)
    case "c":
      guard let letter = cursor.take(), letter.isASCII, letter.properties.isAlphabetic else {
        throw cursor.error("expected a letter after \\c", at: start)
      }
      return letter.value & 31
    default:
      let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
      guard !isLetter else { throw cursor.error("unknown escape \\\(scalar)", at: start) }
      return scalar.value
    }
  }

  private mutating func parseUnicodeEscape(_ start: Int) throws(GrammarError) -> UInt32 {
    if cursor.take("{") {
      var value: UInt32 = 0
      var digits = 0
      while let digit = cursor.peek().flatMap(TextCursor.hexValue), digits < 8 {
        value = value << 4 | digit
        digits += 1
        cursor.index += 1
      }
      guard digits > 0, cursor.take("}"), value <= CodePointSet.last else {
        throw cursor.error("bad code point escape", at: start)
      }
      return value
    }
    let high = try cursor.takeHex(4)
    let isLeading = (0xD800...0xDBFF).contains(high)
    guard isLeading, cursor.peek() == "\\", cursor.peek(1) == "u", cursor.peek(2) != "{" else {
      return high
    }
    cursor.index += 2
    let low = try cursor.takeHex(4)
    guard (0xDC00...0xDFFF).contains(low) else {
      throw cursor.error("a leading surrogate without a trailing one", at: start)
    }
    return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
  }

  // MARK: Classes

  private mutating func parseClass(_ start: Int) throws(GrammarError) -> CodePointSet {
    let isNegated = cursor.take("^")
    var set = CodePointSet()
    var ranges: [ClosedRange<UInt32>] = []
    while true {
      guard let scalar = cursor.peek() else {
        throw cursor.error("the class has no closing ]", at: start)
      }
      if scalar == "]" { break }
      let place = cursor.index
      guard let low = try parseClassMember(start, &set) else { continue }
      guard cursor.peek() == "-", let next = cursor.peek(1), next != "]" else {
        ranges.append(low...low)
        continue
      }
      cursor.index += 1
      guard let high = try parseClassMember(start, &set) else {
        // A class after the dash: the dash is a plain character.
        ranges += [low...low, 0x2D...0x2D]
        continue
      }
      guard low <= high else { throw cursor.error("the range is reversed", at: place) }
      ranges.append(low...high)
    }
    cursor.index += 1
    set = set.union(CodePointSet(ranges))
    return isNegated ? set.complement : set
  }

  /// One character; nil if it was a whole class, which is then added to `set`.
  private mutating func parseClassMember(
    _ start: Int, _ set: inout CodePointSet
  ) throws(GrammarError) -> UInt32? {
    guard let scalar = cursor.take() else {
      throw cursor.error("the class has no closing ]", at: start)
    }
    guard scalar == "\\" else { return scalar.value }
    let escape = cursor.index - 1
    if let inner = try parseClassEscape(escape) {
      set = set.union(inner)
      return nil
    }
    if cursor.take("b") { return 8 }
    return try parseCharacterEscape(escape)
  }
}
