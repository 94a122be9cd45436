/// Evaluating expressions.
///
/// One function per kind of expression, none of them inlined: the frame of `evaluate`, which stands
/// on the stack once per level, stays small.
extension TemplateEvaluator {
  func evaluate(_ expression: TemplateExpression) throws(TemplateFailure) -> TemplateValue {
    try enter()
    defer { leave() }
    switch expression {
    case .constant(let value): return value
    case .name(let symbol): return try value(of: symbol)
    case .list(let elements): return try evaluateList(elements)
    case .tuple(let elements): return try evaluateTuple(elements)
    case .dictionary(let entries, let offset): return try evaluateDictionary(entries, at: offset)
    case .attribute(let operand, let attribute, let offset):
      return try evaluateAttribute(operand, attribute, at: offset)
    case .item(let operand, let index, let offset):
      return try evaluateItem(operand, index, at: offset)
    case .slice(let operand, let slice, let offset):
      return try evaluateSlice(operand, slice, at: offset)
    case .call(let callee, let arguments, let offset):
      return try evaluateCall(callee, arguments, at: offset)
    case .filter(let operand, let call): return try evaluateFilter(operand, call)
    case .test(let operand, let call): return try evaluateTest(operand, call)
    case .unary(let unary, let operand, let offset):
      return try evaluateUnary(unary, operand, at: offset)
    case .binary(let first, let operations): return try evaluateBinary(first, operations)
    case .concatenation(let operands): return try evaluateConcatenation(operands)
    case .comparison(let first, let rest, let offset):
      return try evaluateComparison(first, rest, at: offset)
    case .and(let operands): return try evaluateLogical(operands, stopsAt: false)
    case .or(let operands): return try evaluateLogical(operands, stopsAt: true)
    case .not(let operand): return try evaluateNot(operand)
    case .conditional(let value, let condition, let otherwise):
      return try evaluateConditional(value, condition, otherwise)
    }
  }

  @inline(never)
  private func evaluateList(
    _ elements: [TemplateExpression]
  ) throws(TemplateFailure) -> TemplateValue {
    try .list(evaluate(elements))
  }

  @inline(never)
  private func evaluateTuple(
    _ elements: [TemplateExpression]
  ) throws(TemplateFailure) -> TemplateValue {
    try .tuple(evaluate(elements))
  }

  @inline(never)
  private func evaluateAttribute(
    _ operand: TemplateExpression, _ attribute: TemplateAttribute, at offset: Int
  ) throws(TemplateFailure) -> TemplateValue {
    let value = try evaluate(operand)
    self.offset = offset
    return try self.attribute(attribute, of: value)
  }

  @inline(never)
  private func evaluateItem(
    _ operand: TemplateExpression, _ index: TemplateExpression, at offset: Int
  ) throws(TemplateFailure) -> TemplateValue {
    let value = try evaluate(operand)
    let key = try evaluate(index)
    self.offset = offset
    return try item(key, of: value)
  }

  @inline(never)
  private func evaluateFilter(
    _ operand: TemplateExpression?, _ call: TemplateFilterCall
  ) throws(TemplateFailure) -> TemplateValue {
    try apply(call, to: evaluate(optional: operand))
  }

  @inline(never)
  private func evaluateTest(
    _ operand: TemplateExpression, _ call: TemplateTestCall
  ) throws(TemplateFailure) -> TemplateValue {
    .bool(try apply(call, to: evaluate(operand)))
  }

  @inline(never)
  private func evaluateUnary(
    _ unary: TemplateUnaryOperator, _ operand: TemplateExpression, at offset: Int
  ) throws(TemplateFailure) -> TemplateValue {
    let value = try evaluate(operand)
    self.offset = offset
    return try TemplateArithmetic.apply(unary, to: value)
  }

  @inline(never)
  private func evaluateNot(
    _ operand: TemplateExpression
  ) throws(TemplateFailure) -> TemplateValue {
    .bool(try !evaluate(operand).isTrue)
  }

  @inline(never)
  private func evaluateConditional(
    _ value: TemplateExpression, _ condition: TemplateExpression, _ otherwise: TemplateExpression?
  ) throws(TemplateFailure) -> TemplateValue {
    if try evaluate(condition).isTrue { return try evaluate(value) }
    if let otherwise { return try evaluate(otherwise) }
    return .undefined(TemplateUndefined("the inline if has no else, and its condition is false"))
  }

  private func evaluate(
    _ expressions: [TemplateExpression]
  ) throws(TemplateFailure) -> [TemplateValue] {
    var values: [TemplateValue] = []
    values.reserveCapacity(expressions.count)
    for expression in expressions { values.append(try evaluate(expression)) }
    return values
  }

  /// The value of an expression that may be left out: nothing then.
  private func evaluate(
    optional expression: TemplateExpression?
  ) throws(TemplateFailure) -> TemplateValue {
    guard let expression else { return .null }
    return try evaluate(expression)
  }

  @inline(never)
  private func evaluateDictionary(
    _ entries: [(key: TemplateExpression, value: TemplateExpression)], at offset: Int
  ) throws(TemplateFailure) -> TemplateValue {
    var dictionary = TemplateDictionary()
    for entry in entries {
      let key = try evaluate(entry.key)
      let value = try evaluate(entry.value)
      self.offset = offset
      try charge(key: key)
      try dictionary.set(key, to: value)
    }
    return .dictionary(dictionary)
  }

  @inline(never)
  private func evaluateSlice(
    _ operand: TemplateExpression, _ slice: TemplateSlice, at offset: Int
  ) throws(TemplateFailure) -> TemplateValue {
    let value = try evaluate(operand)
    var bounds: [TemplateValue] = []
    for bound in [slice.start, slice.stop, slice.step] {
      bounds.append(try evaluate(optional: bound))
    }
    self.offset = offset
    return try self.slice(of: value, start: bounds[0], stop: bounds[1], step: bounds[2])
  }

  @inline(never)
  private func evaluateBinary(
    _ first: TemplateExpression, _ operations: [TemplateOperation]
  ) throws(TemplateFailure) -> TemplateValue {
    var left = try evaluate(first)
    for operation in operations {
      let right = try evaluate(operation.operand)
      offset = operation.offset
      left = try apply(operation.binary, left, right)
    }
    return left
  }

  @inline(never)
  private func evaluateConcatenation(
    _ operands: [TemplateExpression]
  ) throws(TemplateFailure) -> TemplateValue {
    var result = TemplateString()
    for operand in operands {
      let part = try text(of: evaluate(operand))
      try charge(bytes: part.footprint)
      try check(bytes: result.footprint + part.footprint)
      result.append(part)
    }
    return .string(result)
  }

  @inline(never)
  private func evaluateComparison(
    _ first: TemplateExpression, _ rest: [(TemplateComparison, TemplateExpression)], at offset: Int
  ) throws(TemplateFailure) -> TemplateValue {
    var left = try evaluate(first)
    for (comparison, operand) in rest {
      let right = try evaluate(operand)
      self.offset = offset
      guard try compare(left, comparison, right) else { return .bool(false) }
      left = right
    }
    return .bool(true)
  }

  /// Python's `and` and `or`: the operand that decides is the value.
  @inline(never)
  private func evaluateLogical(
    _ operands: [TemplateExpression], stopsAt outcome: Bool
  ) throws(TemplateFailure) -> TemplateValue {
    var value = TemplateValue.bool(!outcome)
    for (index, operand) in operands.enumerated() {
      value = try evaluate(operand)
      if index < operands.count - 1, value.isTrue == outcome { break }
    }
    return value
  }

  // MARK: Filters and tests

  func apply(
    _ call: TemplateFilterCall, to value: TemplateValue
  ) throws(TemplateFailure) -> TemplateValue {
    let arguments = call.arguments.isEmpty ? TemplateArguments() : try evaluate(call.arguments)
    offset = call.offset
    guard let filter = call.filter else { throw .evaluation("there is no filter '\(call.name)'") }
    try charge(texts: value, arguments)
    return try filter(self, value, arguments)
  }

  private func apply(
    _ call: TemplateTestCall, to value: TemplateValue
  ) throws(TemplateFailure) -> Bool {
    let arguments = call.arguments.isEmpty ? TemplateArguments() : try evaluate(call.arguments)
    offset = call.offset
    guard let test = call.test else { throw .evaluation("there is no test '\(call.name)'") }
    return try test(self, value, arguments)
  }

  /// The filters of a block, the innermost of which takes the rendered body.
  func evaluateFilters(
    _ expression: TemplateExpression, onBody body: TemplateValue
  ) throws(TemplateFailure) -> TemplateValue {
    guard case .filter(let operand, let call) = expression else { return try evaluate(expression) }
    guard let operand else { return try apply(call, to: body) }
    return try apply(call, to: evaluateFilters(operand, onBody: body))
  }

  // MARK: Calls

  func evaluate(
    _ arguments: TemplateCallArguments
  ) throws(TemplateFailure) -> TemplateArguments {
    var evaluated = TemplateArguments()
    evaluated.positional = try evaluate(arguments.positional)
    for argument in arguments.named {
      evaluated.named.append((argument.name, try evaluate(argument.value)))
    }
    if let spread = arguments.spread {
      evaluated.positional += try elements(of: evaluate(spread))
    }
    if let spread = arguments.spreadNamed { try spreadNamed(spread, into: &evaluated) }
    return evaluated
  }

  private func spreadNamed(
    _ expression: TemplateExpression, into arguments: inout TemplateArguments
  ) throws(TemplateFailure) {
    guard case .dictionary(let dictionary) = try evaluate(expression) else {
      throw .evaluation("the value after '**' must be a dictionary")
    }
    for entry in dictionary.entries {
      guard case .string(let name) = entry.name else {
        throw .evaluation("the keys of the dictionary after '**' must be strings")
      }
      try charge(arguments.named.count)
      guard !arguments.named.contains(where: { $0.name.utf8.elementsEqual(name.bytes) }) else {
        throw .evaluation("the argument '\(name.text)' is given twice")
      }
      arguments.named.append((name.text, entry.value))
    }
  }

  @inline(never)
  private func evaluateCall(
    _ callee: TemplateExpression, _ arguments: TemplateCallArguments, at offset: Int
  ) throws(TemplateFailure) -> TemplateValue {
    let function: TemplateValue
    if case .attribute(let operand, let attribute, let attributeOffset) = callee {
      let receiver = try evaluate(operand)
      self.offset = attributeOffset
      function = try self.attribute(attribute, of: receiver)
    } else {
      function = try evaluate(callee)
    }
    let evaluated = arguments.isEmpty ? TemplateArguments() : try evaluate(arguments)
    self.offset = offset
    return try call(function, evaluated)
  }
}
