/// A part of a grammar written in Swift.
///
/// ```swift
/// let grammar = try Grammar([
///   "answer: ", .choice(["yes", "no"]),
///   .optional([" because ", .verbatim(document, wholeWords: true)]),
/// ])
/// ```
public indirect enum GrammarPart: Sendable, Hashable, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral
{
  /// This text.
  case text(String)
  /// All parts in turn.
  case sequence([GrammarPart])
  /// Any of the parts.
  case choice([GrammarPart])
  /// The part at least and at most so many times; nil is no bound.
  case repeated(GrammarPart, minimum: Int, maximum: Int?)
  /// One character out of the ranges.
  case character([ClosedRange<Unicode.Scalar>])
  /// What a regular expression matches as a whole.
  case regex(String)
  /// A named rule, which may recurse.
  case rule(String)
  /// One token by its number.
  case token(Int)
  /// A span of a source text.
  case verbatim(String, VerbatimSpan)
  /// JSON that satisfies a JSON Schema.
  case schema(SchemaPart)

  /// A text literal is its text.
  public init(stringLiteral value: String) { self = .text(value) }

  /// An array literal is a sequence.
  public init(arrayLiteral elements: GrammarPart...) { self = .sequence(elements) }

  /// The part or nothing.
  public static func optional(_ part: GrammarPart) -> GrammarPart {
    .repeated(part, minimum: 0, maximum: 1)
  }

  /// A span of a source text that is not empty, optionally of whole words.
  public static func verbatim(_ source: String, wholeWords: Bool = false) -> GrammarPart {
    var span = VerbatimSpan()
    span.wholeWords = wholeWords
    return .verbatim(source, span)
  }
}

extension Grammar {
  /// A grammar put together from parts.
  ///
  /// - Parameters:
  ///   - root: The whole text.
  ///   - rules: Named rules that parts refer to.
  ///   - limits: Bounds on what the grammar may cost.
  /// - Throws: `undefinedRule`, errors of regular expressions, or a limit.
  public init(
    _ root: GrammarPart, rules: [String: GrammarPart] = [:],
    limits: GrammarLimits = GrammarLimits()
  ) throws(GrammarError) {
    var assembler = PartAssembler(limits: limits)
    let rules = rules.sorted { $0.key < $1.key }
    for (name, _) in rules { assembler.numbers[name] = assembler.pool.newRule() }
    for (name, part) in rules {
      let body = try assembler.expression(part, depth: 0)
      if let number = assembler.numbers[name] { assembler.pool.ruleBodies[number] = body }
    }
    let start = try assembler.expression(root, depth: 0)
    try assembler.pool.checkLimits()
    self.init(pool: assembler.pool, root: start)
  }
}

private struct PartAssembler {
  var pool: ExpressionPool
  var numbers: [String: Int] = [:]
  private let limits: GrammarLimits

  init(limits: GrammarLimits) {
    self.limits = limits
    pool = ExpressionPool(limits: limits)
  }

  mutating func expression(_ part: GrammarPart, depth: Int) throws(GrammarError) -> Expression {
    guard depth <= limits.maximumNesting else {
      throw .limit(.nesting, maximum: limits.maximumNesting)
    }
    switch part {
    case .text(let text): return pool.literal(text)
    case .sequence(let parts): return pool.sequence(try expressions(parts, depth: depth + 1))
    case .choice(let parts): return pool.union(try expressions(parts, depth: depth + 1))
    case .repeated(let part, let minimum, let maximum):
      guard minimum >= 0, maximum ?? minimum >= minimum else {
        throw .syntax(line: 1, column: 1, reason: "the maximum is below the minimum")
      }
      return pool.repetition(try expression(part, depth: depth + 1), minimum, maximum)
    case .character(let ranges):
      return pool.codePoints(
        CodePointSet(ranges.map { $0.lowerBound.value...$0.upperBound.value }))
    case .regex(let pattern): return try regex(pattern)
    case .rule(let name):
      guard let number = numbers[name] else {
        throw .undefinedRule(name: name, line: 1, column: 1)
      }
      return pool.call(number)
    case .token(let id): return pool.token(TokenSet(member: .id(id), isNegated: false))
    case .verbatim(let source, let span):
      guard span.minimumLength <= span.maximumLength ?? .max else {
        throw .syntax(line: 1, column: 1, reason: "the maximum is below the minimum")
      }
      return try pool.verbatim(source, span)
    case .schema(let part): return try part.expression(in: &pool)
    }
  }

  private mutating func expressions(
    _ parts: [GrammarPart], depth: Int
  ) throws(GrammarError) -> [Expression] {
    var result: [Expression] = []
    for part in parts { result.append(try expression(part, depth: depth)) }
    return result
  }

  private mutating func regex(_ pattern: String) throws(GrammarError) -> Expression {
    let syntax = try RegexParser.parse(pattern, limits: limits)
    return try pool.regex(syntax, .plain, anchored: true)
  }
}
