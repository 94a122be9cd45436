extension Grammar {
  /// Reads a grammar in GBNF, the notation of llama.cpp.
  ///
  /// Left recursion is allowed, names may contain `_`, `.` is any code point, and `<name>` or
  /// `<[id]>` stand for one token. Beyond llama.cpp, `@verbatim` is any span of a source text,
  /// `@verbatim-words` one of whole words; `@verbatim-json` and `@verbatim-json-words` are the same
  /// as they are spelled inside a JSON string. Directly behind may stand `(2,40 /pattern/)`: bounds
  /// on the characters of the span, and a regular expression that it must match as a whole.
  /// - Parameters:
  ///   - gbnf: The rules.
  ///   - root: The rule that the whole output must match.
  ///   - source: The text that verbatim spans are copied from.
  ///   - limits: Bounds on what the grammar may cost.
  /// - Throws: `syntax` or `undefinedRule` with line and column, or a limit.
  public init(
    gbnf: String, root: String = "root", source: String? = nil,
    limits: GrammarLimits = GrammarLimits()
  ) throws(GrammarError) {
    var parser = GBNFParser(gbnf, source, limits)
    try parser.parseRules()
    self = try parser.grammar(root: root)
  }
}

/// One pass over the text; every rule becomes a rule of the pool.
struct GBNFParser {
  private var cursor: TextCursor
  private var pool: ExpressionPool
  private let limits: GrammarLimits
  private var ruleNumbers: [String: Int] = [:]
  /// Where each rule was first used, until it is defined.
  private var undefined: [String: Int] = [:]
  private var defined: Set<String> = []
  private let source: String?

  init(_ text: String, _ source: String?, _ limits: GrammarLimits) {
    self.source = source
    cursor = TextCursor(text)
    pool = ExpressionPool(limits: limits)
    self.limits = limits
  }

  func grammar(root: String) throws(GrammarError) -> Grammar {
    if let first = undefined.min(by: { $0.value < $1.value }) {
      let place = cursor.location(first.value)
      throw .undefinedRule(name: first.key, line: place.line, column: place.column)
    }
    guard let number = ruleNumbers[root], defined.contains(root) else {
      throw .syntax(
        line: 1, column: 1, reason: "there is no rule \"\(root)\", which the text must match")
    }
    var pool = pool
    let start = pool.call(number)
    try pool.checkLimits()
    return Grammar(pool: pool, root: start)
  }

  mutating func parseRules() throws(GrammarError) {
    skipBlanks(newlines: true)
    while !cursor.isAtEnd {
      try parseRule()
      skipBlanks(newlines: true)
    }
  }

  private mutating func parseRule() throws(GrammarError) {
    let name = try parseName()
    skipBlanks(newlines: false)
    guard cursor.take("::=") else { throw cursor.error("expected ::= after \"\(name)\"") }
    skipBlanks(newlines: true)
    let body = try parseAlternatives(depth: 0)
    if let scalar = cursor.peek(), scalar != "\n" && scalar != "\r" {
      throw cursor.error("expected the end of the rule, found \"\(scalar)\"")
    }
    let number = rule(name)
    defined.insert(name)
    undefined[name] = nil
    pool.ruleBodies[number] = body
    try pool.checkLimits()
  }

  private mutating func rule(_ name: String) -> Int {
    if let number = ruleNumbers[name] { return number }
    let number = pool.newRule()
    ruleNumbers[name] = number
    return number
  }

  private mutating func parseName() throws(GrammarError) -> String {
    var name = String.UnicodeScalarView()
    while let scalar = cursor.peek(), Self.isName(scalar) {
      name.append(scalar)
      cursor.index += 1
    }
    guard !name.isEmpty else { throw cursor.error("expected a rule name") }
    return String(name)
  }

  private static func isName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  /// Blanks and comments; line ends only where a rule may go on over them.
  private mutating func skipBlanks(newlines: Bool) {
    while let scalar = cursor.peek() {
      switch scalar {
      case " ", "\t": cursor.index += 1
      case "\n", "\r":
        guard newlines else { return }
        cursor.index += 1
      case "#":
        while let inner = cursor.peek(), inner != "\n" && inner != "\r" { cursor.index += 1 }
      default: return
      }
    }
  }

  // MARK: Expressions

  private mutating func parseAlternatives(depth: Int) throws(GrammarError) -> Expression {
    guard depth <= limits.maximumNesting else {
      throw .limit(.nesting, maximum: limits.maximumNesting)
    }
    var alternatives = [try parseSequence(depth: depth)]
    while cursor.take("|") {
      skipBlanks(newlines: true)
      alternatives.append(try parseSequence(depth: depth))
    }
    return pool.union(alternatives)
  }

  private mutating func parseSequence(depth: Int) throws(GrammarError) -> Expression {
    var parts: [Expression] = []
    while let scalar = cursor.peek() {
      let start = cursor.index
      let element: Expression
      switch scalar {
      case "\"": element = try parseLiteral()
      case "[": element = try parseClass()
      case ".":
        cursor.index += 1
        element = pool.codePoints(.any)
      case "(":
        cursor.index += 1
        skipBlanks(newlines: true)
        element = try parseAlternatives(depth: depth + 1)
        guard cursor.take(")") else { throw cursor.error("expected )") }
      case "<": element = try parseToken(isNegated: false)
      case "!":
        cursor.index += 1
        guard cursor.peek() == "<" else { throw cursor.error("! is only allowed before a token") }
        element = try parseToken(isNegated: true)
      case "@": element = try parseVerbatim()
      case _ where Self.isName(scalar):
        let name = try parseName()
        if ruleNumbers[name] == nil || !defined.contains(name) {
          undefined[name] = undefined[name] ?? start
        }
        element = pool.call(rule(name))
      case "*", "+", "?", "{": throw cursor.error("nothing to repeat before \"\(scalar)\"")
      default:
        return pool.sequence(parts)
      }
      skipBlanks(newlines: depth > 0)
      parts.append(try parseRepetitions(of: element, depth: depth))
    }
    return pool.sequence(parts)
  }

  private mutating func parseRepetitions(
    of element: Expression, depth: Int
  ) throws(GrammarError) -> Expression {
    var element = element
    while let scalar = cursor.peek() {
      switch scalar {
      case "*": element = pool.repetition(element, 0, nil)
      case "+": element = pool.repetition(element, 1, nil)
      case "?": element = pool.repetition(element, 0, 1)
      case "{":
        element = try parseBraces(element)
        skipBlanks(newlines: depth > 0)
        continue
      default: return element
      }
      cursor.index += 1
      skipBlanks(newlines: depth > 0)
    }
    return element
  }

  private mutating func parseBraces(_ element: Expression) throws(GrammarError) -> Expression {
    let start = cursor.index
    cursor.index += 1
    skipBlanks(newlines: false)
    guard let minimum = try cursor.takeNumber() else {
      throw cursor.error("expected a minimum count")
    }
    skipBlanks(newlines: false)
    var maximum: Int? = minimum
    if cursor.take(",") {
      skipBlanks(newlines: false)
      maximum = try cursor.takeNumber()
      skipBlanks(newlines: false)
    }
    guard cursor.take("}") else { throw cursor.error("expected }") }
    if let maximum, maximum < minimum {
      throw cursor.error("the maximum is below the minimum", at: start)
    }
    return pool.repetition(element, minimum, maximum)
  }

  // MARK: Terminals

  private mutating func parseLiteral() throws(GrammarError) -> Expression {
    let start = cursor.index
    cursor.index += 1
    var parts: [Expression] = []
    while true {
      guard let scalar = cursor.take() else {
        throw cursor.error("the literal has no closing quote", at: start)
      }
      if scalar == "\"" { break }
      let value = scalar == "\\" ? try parseEscape() : scalar.value
      parts.append(pool.codePoints(CodePointSet([value...value])))
    }
    return pool.sequence(parts)
  }

  private mutating func parseClass() throws(GrammarError) -> Expression {
    let start = cursor.index
    cursor.index += 1
    let isNegated = cursor.take("^")
    var ranges: [ClosedRange<UInt32>] = []
    var isEmpty = true
    while cursor.peek() != "]" {
      isEmpty = false
      let low = try parseClassMember(start)
      if cursor.peek() == "-", let next = cursor.peek(1), next != "]" {
        let dash = cursor.index
        cursor.index += 1
        let high = try parseClassMember(start)
        guard low <= high else { throw cursor.error("the range is reversed", at: dash) }
        ranges.append(low...high)
      } else {
        ranges.append(low...low)
      }
    }
    cursor.index += 1
    guard !isEmpty else { throw cursor.error("the class is empty", at: start) }
    let set = CodePointSet(ranges)
    return pool.codePoints(isNegated ? set.complement : set)
  }

  private mutating func parseClassMember(_ start: Int) throws(GrammarError) -> UInt32 {
    guard let scalar = cursor.take() else {
      throw cursor.error("the class has no closing ]", at: start)
    }
    return scalar == "\\" ? try parseEscape() : scalar.value
  }

  private mutating func parseEscape() throws(GrammarError) -> UInt32 {
    let start = cursor.index - 1
    guard let scalar = cursor.take() else { throw cursor.error("unfinished escape", at: start) }
    switch scalar {
    case "x": return try cursor.takeHex(2)
    case "u", "U":
      let value = try cursor.takeHex(scalar == "u" ? 4 : 8)
      guard Unicode.Scalar(value) != nil else {
        throw cursor.error("the escape is not a code point", at: start)
      }
      return value
    case "t": return 9
    case "n": return 10
    case "r": return 13
    case "\\", "\"", "[", "]", "-": return scalar.value
    default: throw cursor.error("unknown escape \\\(scalar)", at: start)
    }
  }

  /// `@verbatim` with `-json` or `-words`, then directly `(m,n /pattern/)` where that is wanted.
  private mutating func parseVerbatim() throws(GrammarError) -> Expression {
    let start = cursor.index
    cursor.index += 1
    let name = try parseName()
    var span = VerbatimSpan()
    switch name {
    case "verbatim": break
    case "verbatim-words": span.wholeWords = true
    case "verbatim-json": span.insideJSONString = true
    case "verbatim-json-words": (span.insideJSONString, span.wholeWords) = (true, true)
    default: throw cursor.error("@\(name) is not known", at: start)
    }
    if cursor.take("(") { try parseConditions(of: &span) }
    guard let source else { throw cursor.error("no source text was given", at: start) }
    do throws(GrammarError) {
      return try pool.verbatim(source, span)
    } catch .syntax(_, let column, let reason) {
      throw cursor.error("in the pattern, column \(column): \(reason)", at: start)
    }
  }

  private mutating func parseConditions(of span: inout VerbatimSpan) throws(GrammarError) {
    skipBlanks(newlines: true)
    if let minimum = try cursor.takeNumber() {
      span.minimumLength = minimum
      span.maximumLength = cursor.take(",") ? try cursor.takeNumber() : minimum
      if let maximum = span.maximumLength, maximum < minimum {
        throw cursor.error("the maximum is below the minimum")
      }
      skipBlanks(newlines: true)
    }
    if cursor.take("/") {
      var pattern = String.UnicodeScalarView()
      while cursor.peek() != "/" {
        guard let scalar = cursor.take() else { throw cursor.error("the pattern has no closing /") }
        pattern.append(scalar)
        // An escaped character never closes the pattern.
        if scalar == "\\", let escaped = cursor.take() { pattern.append(escaped) }
      }
      cursor.index += 1
      span.pattern = String(pattern)
      skipBlanks(newlines: true)
    }
    guard cursor.take(")") else { throw cursor.error("expected lengths, a /pattern/ or )") }
  }

  private mutating func parseToken(isNegated: Bool) throws(GrammarError) -> Expression {
    let start = cursor.index
    cursor.index += 1
    let member: TokenSet.Member
    if cursor.take("[") {
      guard let id = try cursor.takeNumber() else { throw cursor.error("expected a token number") }
      guard cursor.take("]>") else { throw cursor.error("expected ]> after the token number") }
      member = .id(id)
    } else {
      var text = String.UnicodeScalarView()
      while let scalar = cursor.take(), scalar != ">" {
        if scalar == "\n" || scalar == "\r" {
          throw cursor.error("the token has no closing >", at: start)
        }
        text.append(scalar)
      }
      guard cursor.scalars[cursor.index - 1] == ">", !text.isEmpty else {
        throw cursor.error("the token has no closing >", at: start)
      }
      member = .text("<\(String(text))>")
    }
    return pool.token(TokenSet(member: member, isNegated: isNegated))
  }
}

extension ExpressionPool {
  /// One code point out of `set`, in UTF-8.
  package mutating func codePoints(_ set: CodePointSet) -> Expression {
    var parts: [Expression] = []
    for encoding in set.utf8Sequences {
      parts.append(sequence(encoding.bytes.map { bytes(ByteSet($0)) }))
    }
    return union(parts)
  }
}
