/// How characters of a pattern are written in the text.
enum CharacterEncoding: Sendable {
  /// As they are, in UTF-8.
  case plain
  /// Inside a JSON string: quotes, backslashes and control characters by their shortest escape.
  case json
}

extension Grammar {
  /// Reads a regular expression; the whole output must match it.
  ///
  /// - Parameters:
  ///   - regex: ECMA-262 syntax without look-around, back references and word boundaries; also the
  ///     source text of a Swift `Regex` literal.
  ///   - limits: Bounds on what the grammar may cost.
  /// - Throws: `syntax` with line and column, or a limit.
  public init(
    regex: String, limits: GrammarLimits = GrammarLimits()
  ) throws(GrammarError) {
    var pool = ExpressionPool(limits: limits)
    let syntax = try RegexParser.parse(regex, limits: limits)
    let root = try pool.regex(syntax, .plain, anchored: true)
    try pool.checkLimits()
    self.init(pool: pool, root: root)
  }

  /// One of the given texts.
  /// - Throws: `unsatisfiable` if there are none, or a limit.
  public init(
    choices: [String], limits: GrammarLimits = GrammarLimits()
  ) throws(GrammarError) {
    guard !choices.isEmpty else {
      throw .unsatisfiable(pointer: "", reason: "there are no choices")
    }
    var pool = ExpressionPool(limits: limits)
    let root = pool.choice(ofLiterals: choices.map { Array($0.utf8) })
    try pool.checkLimits()
    self.init(pool: pool, root: root)
  }
}

/// What a part of a pattern matches, by whether it must stand at the start or end of the text.
private struct AnchoredExpressions {
  /// Index: 1 if at the start, plus 2 if at the end.
  var parts: [Expression] = [.never, .never, .never, .never]

  static func free(_ e: Expression) -> AnchoredExpressions {
    AnchoredExpressions(parts: [e, .never, .never, .never])
  }

  var isFree: Bool { parts[1...].allSatisfy { $0 == .never } }
}

extension ExpressionPool {
  /// The texts in which `syntax` is found; the texts it matches as a whole if `anchored`.
  mutating func regex(
    _ syntax: RegexSyntax, _ encoding: CharacterEncoding, anchored: Bool
  ) throws(GrammarError) -> Expression {
    let found = try anchoredRegex(syntax, encoding)
    let padding = anchored ? .empty : repetition(character(.any, encoding), 0, nil)
    return union(
      (0..<4).map { index in
        sequence([
          index & 1 == 0 ? padding : .empty, found.parts[index], index & 2 == 0 ? padding : .empty,
        ])
      })
  }

  private mutating func anchoredRegex(
    _ syntax: RegexSyntax, _ encoding: CharacterEncoding
  ) throws(GrammarError) -> AnchoredExpressions {
    switch syntax {
    case .set(let set): return .free(character(set, encoding))
    case .textStart: return AnchoredExpressions(parts: [.never, .empty, .never, .never])
    case .textEnd: return AnchoredExpressions(parts: [.never, .never, .empty, .never])
    case .choice(let alternatives):
      var gathered: [[Expression]] = [[], [], [], []]
      for alternative in alternatives {
        let inner = try anchoredRegex(alternative, encoding)
        for index in 0..<4 { gathered[index].append(inner.parts[index]) }
      }
      return AnchoredExpressions(parts: gathered.map { union($0) })
    case .sequence(let parts):
      var result = AnchoredExpressions.free(.empty)
      for part in parts.reversed() {
        result = joined(try anchoredRegex(part, encoding), result)
      }
      return result
    case .repetition(let body, let minimum, let maximum):
      let inner = try anchoredRegex(body, encoding)
      if inner.isFree { return .free(repetition(inner.parts[0], minimum, maximum)) }
      guard minimum <= 1 && maximum == 1 else {
        throw .syntax(line: 1, column: 1, reason: "^ or $ inside a repetition is not supported")
      }
      var result = inner
      if minimum == 0 { result.parts[0] = union([result.parts[0], .empty]) }
      return result
    }
  }

  /// `a` then `b`: where `b` must stand at the start `a` can only be empty, and the other way round.
  private mutating func joined(
    _ a: AnchoredExpressions, _ b: AnchoredExpressions
  ) -> AnchoredExpressions {
    if a.isFree && b.isFree { return .free(concatenation(a.parts[0], b.parts[0])) }
    var gathered: [[Expression]] = [[], [], [], []]
    for i in 0..<4 where a.parts[i] != .never {
      for j in 0..<4 where b.parts[j] != .never {
        let (startsLate, endsEarly) = (j & 1 != 0, i & 2 != 0)
        if startsLate && !isNullable(a.parts[i]) || endsEarly && !isNullable(b.parts[j]) {
          continue
        }
        let left = startsLate ? .empty : a.parts[i]
        let right = endsEarly ? .empty : b.parts[j]
        gathered[i | j].append(concatenation(left, right))
      }
    }
    return AnchoredExpressions(parts: gathered.map { union($0) })
  }

  /// One character out of `set`.
  mutating func character(_ set: CodePointSet, _ encoding: CharacterEncoding) -> Expression {
    switch encoding {
    case .plain: codePoints(set)
    case .json: jsonCharacter(set)
    }
  }
}
