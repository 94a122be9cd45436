// From shapes to expressions.
extension SchemaCompiler {
  /// The JSON texts of the values of one shape.
  mutating func text(of shape: SchemaShape, _ pointer: String) throws(GrammarError) -> Expression {
    var parts: [Expression] = []
    var words: [String] = []
    if shape.allowsNull { words.append("null") }
    if shape.allowsTrue { words.append("true") }
    if shape.allowsFalse { words.append("false") }
    if !words.isEmpty { parts.append(pool.choice(ofLiterals: words.map { Array($0.utf8) })) }
    if let number = shape.number { parts.append(try numberText(number)) }
    if let string = shape.string { parts.append(stringText(string)) }
    if let array = shape.array { parts.append(try arrayText(array, pointer)) }
    if let object = shape.object { parts.append(try objectText(object, pointer)) }
    return pool.union(parts)
  }

  // MARK: Numbers

  private mutating func numberText(_ number: NumberShape) throws(GrammarError) -> Expression {
    if number.isFree {
      return pool.unit(number.isInteger ? pool.anyInteger(NumberDigits.integer) : pool.anyNumber())
    }
    // Listed values have the digits they have.
    let listed = number.values ?? []
    let integer = max(NumberDigits.integer, listed.map(\.integer.count).max() ?? 0)
    let fraction = max(NumberDigits.fraction, listed.map(\.fraction.count).max() ?? 0)
    let short =
      number.isInteger ? pool.anyInteger(integer) : pool.shortDecimals(integer, fraction)
    let values = decimals(number)
    if let bound = boundBeyondDigits(number), questions.isEmpty([short, values], pool) == true,
      questions.isEmpty([values], pool) != true
    {
      try drop(
        unsupported(
          bound.schema, bound.keyword,
          "numbers have at most \(NumberDigits.integer) digits before the point and "
            + "\(NumberDigits.fraction) after it, and none of these is left"))
      var rest = number
      (rest.minimum, rest.maximum) = (nil, nil)
      return try numberText(rest)
    }
    return pool.unit(pool.intersection([short, values]))
  }

  /// A bound with more digits than numbers may have.
  private func boundBeyondDigits(_ number: NumberShape) -> NumberBound? {
    // The one nearer to zero is in the way.
    let isAboveZero = number.minimum?.value.isNegative == false
    let bounds = isAboveZero ? [number.minimum, number.maximum] : [number.maximum, number.minimum]
    return bounds.compactMap(\.self).first { bound in
      bound.value.integer.count > NumberDigits.integer
        || bound.value.fraction.count > NumberDigits.fraction
    }
  }

  /// All decimal texts of the numbers of a shape.
  mutating func decimals(_ number: NumberShape) -> Expression {
    var conditions = [pool.decimalNumbers()]
    if number.isInteger { conditions.append(pool.wholeNumbers()) }
    if let minimum = number.minimum { conditions.append(pool.atLeast(minimum)) }
    if let maximum = number.maximum { conditions.append(pool.atMost(maximum)) }
    for divisor in number.divisors {
      if let multiples = pool.multiples(of: divisor) { conditions.append(multiples) }
    }
    if let values = number.values {
      conditions.append(pool.union(values.map { pool.decimal($0) }))
    }
    conditions += number.excluded.map { pool.complement($0) }
    return pool.intersection(conditions)
  }

  // MARK: Strings

  private mutating func stringText(_ string: StringShape) -> Expression {
    if !string.verbatim.isEmpty { return verbatimText(string) }
    if string.conditions.isEmpty {
      let character = pool.anyJSONCharacter
      return pool.quoted(pool.repetition(character, string.minLength, string.maxLength))
    }
    return pool.quoted(plainTexts(string))
  }

  /// The texts between quotes of a string shape, in their shortest spelling.
  mutating func plainTexts(_ string: StringShape) -> Expression {
    var conditions = string.conditions
    if string.minLength > 0 || string.maxLength != nil || conditions.isEmpty {
      let character = pool.jsonCharacter(.any)
      conditions.append(pool.repetition(character, string.minLength, string.maxLength))
    }
    // A lone complement would have texts that are no JSON.
    if conditions.contains(where: { pool.nodes[Int($0)].kind == .complement }) {
      conditions.append(pool.plainJSONText)
    }
    return pool.intersection(conditions)
  }

  private mutating func verbatimText(_ string: StringShape) -> Expression {
    var conditions = string.verbatim.map { span in
      pool.verbatim(
        (span.source.map { sources[$0] } ?? source) ?? "", wholeWords: span.wholeWords,
        encoding: .json)
    }
    if string.minLength > 0 || string.maxLength != nil || !string.conditions.isEmpty {
      conditions.append(plainTexts(string))
    }
    let text = conditions.count > 1 ? pool.intersection(conditions) : conditions[0]
    var parts = [pool.quoted(text)]
    switch options.verbatim.fallback {
    case .none: break
    case .emptyString: parts.append(pool.literal("\"\""))
    case .null: parts.append(pool.literal("null"))
    }
    return pool.union(parts)
  }

  // MARK: Blanks

  /// Blanks around the parts of arrays and objects.
  var blank: Expression {
    mutating get {
      switch options.whitespace {
      case .compact: return .empty
      case .bounded:
        let indent = pool.repetition(pool.bytes(ByteSet([0x20, 0x09])), 0, 20)
        let line = pool.concatenation(pool.literal("\n"), indent)
        return pool.union([.empty, pool.literal(" "), line])
      case .free:
        return pool.repetition(pool.bytes(ByteSet([0x20, 0x09, 0x0A, 0x0D])), 0, nil)
      }
    }
  }

  var comma: Expression {
    mutating get {
      let before = options.whitespace == .free ? blank : .empty
      return pool.sequence([before, pool.literal(","), blank])
    }
  }

  var colon: Expression {
    mutating get {
      switch options.whitespace {
      case .compact: return pool.literal(":")
      case .bounded:
        return pool.concatenation(pool.literal(":"), pool.optional(pool.literal(" ")))
      case .free: return pool.sequence([blank, pool.literal(":"), blank])
      }
    }
  }

  /// `open`, then `content` or nothing at all, then `close`.
  mutating func enclosed(_ open: String, _ content: Expression, _ close: String) -> Expression {
    pool.sequence([pool.literal(open), blank, content, blank, pool.literal(close)])
  }

  // MARK: Arrays

  private mutating func arrayText(
    _ array: ArrayShape, _ pointer: String
  ) throws(GrammarError) -> Expression {
    if array.isUnique && (array.maxItems ?? 2) > 1 {
      try drop(
        .unsupported(
          pointer: pointer, keyword: "uniqueItems", reason: "elements cannot be compared"))
    }
    let comma = comma
    if !array.contains.isEmpty {
      do throws(GrammarError) {
        return try containingText(array, pointer, comma)
      } catch {
        try drop(error)
      }
    }
    let item = rule(array.items)
    let most = array.maxItems
    // Everything after `index` elements, built from the end.
    let beyond = max(array.prefix.count, 1)
    var rest = pool.repetition(
      pool.concatenation(comma, item), max(array.minItems - beyond, 0),
      most.map { max($0 - beyond, 0) })
    for index in (0..<beyond).reversed() {
      if let most, index >= most {
        rest = .empty
        continue
      }
      let element = index < array.prefix.count ? rule(array.prefix[index]) : item
      let more = pool.sequence([index == 0 ? .empty : comma, element, rest])
      rest = index >= array.minItems ? pool.optional(more) : more
    }
    return enclosed("[", rest, "]")
  }

  /// Arrays of which a number of elements satisfy a further schema.
  private mutating func containingText(
    _ array: ArrayShape, _ pointer: String, _ comma: Expression
  ) throws(GrammarError) -> Expression {
    guard array.contains.count == 1, array.prefix.isEmpty, array.maxItems == nil,
      array.minItems <= array.contains[0].minimum
    else {
      throw .unsupported(
        pointer: pointer, keyword: "contains",
        reason: "it is combined with other conditions on elements or their number")
    }
    let contains = array.contains[0]
    let wanted = rule(ArrayShape.joined(array.items, [contains.schema]))
    // Without a maximum the others may satisfy the schema as well.
    let others =
      contains.maximum == nil
      ? rule(array.items)
      : rule(
        ArrayShape.joined(
          array.items,
          [
            SchemaReference(
              schema: contains.schema.schema, isNegated: !contains.schema.isNegated)
          ]))
    let otherAfter = pool.repetition(pool.concatenation(comma, others), 0, nil)
    let wantedAfter = pool.sequence([comma, wanted, otherAfter])
    func more(_ taken: Int, _ pool: inout ExpressionPool) -> Expression {
      pool.repetition(
        wantedAfter, max(contains.minimum - taken, 0), contains.maximum.map { $0 - taken })
    }
    var starts: [Expression] = []
    if contains.maximum != 0 {
      starts.append(pool.sequence([wanted, otherAfter, more(1, &pool)]))
    }
    starts.append(pool.sequence([others, otherAfter, more(0, &pool)]))
    if contains.minimum == 0 { starts.append(.empty) }
    return enclosed("[", pool.union(starts), "]")
  }
}
