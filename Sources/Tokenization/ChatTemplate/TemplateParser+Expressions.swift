/// Expressions, from the loosest operator to the tightest.
extension TemplateParser {
  /// Names that stand for constants, in both spellings.
  static let constants: [String: TemplateValue] = [
    "true": .bool(true), "True": .bool(true), "false": .bool(false), "False": .bool(false),
    "none": .null, "None": .null,
  ]

  /// One expression, or several with commas between them as a tuple.
  mutating func parseTuple(
    allowsConditional: Bool = true, isEnd: (TemplateParser) -> Bool = { _ in false }
  ) throws(ChatTemplateError) -> TemplateExpression {
    var elements: [TemplateExpression] = []
    var isTuple = false
    while !endsTuple() && !isEnd(self) {
      elements.append(try parseExpression(allowsConditional: allowsConditional))
      guard skip(.comma) else { break }
      isTuple = true
    }
    guard let first = elements.first else { throw unexpected(expected: "an expression") }
    return isTuple ? .tuple(elements) : first
  }

  private func endsTuple() -> Bool {
    switch current.kind {
    case .outputEnd, .statementEnd, .symbol(.closeParenthesis): true
    default: false
    }
  }

  mutating func parseExpression(
    allowsConditional: Bool = true
  ) throws(ChatTemplateError) -> TemplateExpression {
    try enter()
    defer { depth -= 1 }
    return allowsConditional ? try parseConditional() : try parseOr()
  }

  private mutating func parseConditional() throws(ChatTemplateError) -> TemplateExpression {
    var expression = try parseOr()
    let outerDepth = depth
    defer { depth = outerDepth }
    while skip(name: "if") {
      try enter()
      let condition = try parseOr()
      let otherwise = skip(name: "else") ? try parseConditional() : nil
      expression = .conditional(expression, condition: condition, otherwise: otherwise)
    }
    return expression
  }

  private mutating func parseOr() throws(ChatTemplateError) -> TemplateExpression {
    var operands = [try parseAnd()]
    while skip(name: "or") { operands.append(try parseAnd()) }
    return operands.count == 1 ? operands[0] : .or(operands)
  }

  private mutating func parseAnd() throws(ChatTemplateError) -> TemplateExpression {
    var operands = [try parseNot()]
    while skip(name: "and") { operands.append(try parseNot()) }
    return operands.count == 1 ? operands[0] : .and(operands)
  }

  private mutating func parseNot() throws(ChatTemplateError) -> TemplateExpression {
    guard skip(name: "not") else { return try parseComparison() }
    try enter()
    defer { depth -= 1 }
    return .not(try parseNot())
  }

  private mutating func parseComparison() throws(ChatTemplateError) -> TemplateExpression {
    let offset = current.offset
    let first = try parseBinary(.sum)
    var rest: [(TemplateComparison, TemplateExpression)] = []
    while let comparison = skipComparison() { rest.append((comparison, try parseBinary(.sum))) }
    return rest.isEmpty ? first : .comparison(first, rest, at: offset)
  }

  private mutating func skipComparison() -> TemplateComparison? {
    switch current.kind {
    case .symbol(let symbol):
      switch symbol {
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
        advance()
        return TemplateComparison(rawValue: symbol.rawValue)
      default: return nil
      }
    case .name("in"):
      advance()
      return .in
    case .name("not") where next.kind == .name("in"):
      advance()
      advance()
      return .notIn
    default: return nil
    }
  }

  /// Binary operators of one strength, which all group from the left, also `**`.
  private enum Strength { case sum, concatenation, product, power }

  private mutating func parseBinary(
    _ strength: Strength
  ) throws(ChatTemplateError) -> TemplateExpression {
    if strength == .concatenation { return try parseConcatenation() }
    let first = try parseOperand(of: strength)
    var operations: [TemplateOperation] = []
    while let binary = binaryOperator(strength) {
      let offset = current.offset
      advance()
      let operand = try parseOperand(of: strength)
      operations.append(TemplateOperation(binary: binary, operand: operand, offset: offset))
    }
    return operations.isEmpty ? first : .binary(first, operations)
  }

  private mutating func parseOperand(
    of strength: Strength
  ) throws(ChatTemplateError) -> TemplateExpression {
    switch strength {
    case .sum: try parseBinary(.concatenation)
    case .concatenation: try parseBinary(.product)
    case .product: try parseBinary(.power)
    case .power: try parseUnary()
    }
  }

  private mutating func parseConcatenation() throws(ChatTemplateError) -> TemplateExpression {
    var operands = [try parseOperand(of: .concatenation)]
    while skip(.tilde) { operands.append(try parseOperand(of: .concatenation)) }
    return operands.count == 1 ? operands[0] : .concatenation(operands)
  }

  private func binaryOperator(_ strength: Strength) -> TemplateBinaryOperator? {
    guard case .symbol(let symbol) = current.kind,
      let binary = TemplateBinaryOperator(rawValue: symbol.rawValue)
    else { return nil }
    let own: Strength =
      switch binary {
      case .add, .subtract: .sum
      case .multiply, .divide, .floorDivide, .remainder: .product
      case .power: .power
      }
    return own == strength ? binary : nil
  }

  private mutating func parseUnary(
    allowsFilters: Bool = true
  ) throws(ChatTemplateError) -> TemplateExpression {
    let offset = current.offset
    let outerDepth = depth
    defer { depth = outerDepth }
    var expression: TemplateExpression
    if isAt(.minus) || isAt(.plus) {
      let unary: TemplateUnaryOperator = isAt(.minus) ? .negate : .plus
      advance()
      try enter()
      expression = .unary(unary, try parseUnary(allowsFilters: false), at: offset)
    } else {
      expression = try parsePrimary()
    }
    expression = try parsePostfix(expression)
    return allowsFilters ? try parseFiltersAndTests(expression) : expression
  }
}
