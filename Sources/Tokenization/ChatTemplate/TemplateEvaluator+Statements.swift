/// Running statements.
extension TemplateEvaluator {
  /// How a body ended: at its end, or by a loop control that the loop around it must see.
  enum Flow { case end, leaveLoop, nextRound }

  func execute(_ body: [TemplateStatement]) throws(TemplateFailure) -> Flow {
    try enter()
    defer { leave() }
    for statement in body {
      let flow = try execute(statement)
      if flow != .end { return flow }
    }
    return .end
  }

  private func execute(_ statement: TemplateStatement) throws(TemplateFailure) -> Flow {
    switch statement {
    case .text(let text): try write(text)
    case .output(let expression): try write(try text(of: evaluate(expression)))
    case .branch(let branches, let otherwise): return try executeBranch(branches, otherwise)
    case .loop(let loop): try executeLoop(loop)
    case .set(let target, let expression): try assign(evaluate(expression), to: target)
    case .setBlock(let target, let filter, let body):
      try assign(try captured(body, filter), to: target)
    case .with(let assignments, let body): return try executeWith(assignments, body)
    case .macro(let symbol, let macro):
      assign(try make(.macro(macro, scope: scope)), to: symbol)
    case .callBlock(let callee, let arguments, let caller, let offset):
      try executeCall(callee, arguments, caller, at: offset)
    case .filterBlock(let filter, let body):
      try write(try text(of: captured(body, filter)))
    case .scope(let body):
      _ = try withScope(inside: scope) { () throws(TemplateFailure) in try execute(body) }
    case .break: return .leaveLoop
    case .continue: return .nextRound
    }
    return .end
  }

  private func executeBranch(
    _ branches: [(condition: TemplateExpression, body: [TemplateStatement])],
    _ otherwise: [TemplateStatement]
  ) throws(TemplateFailure) -> Flow {
    for branch in branches {
      if try evaluate(branch.condition).isTrue { return try execute(branch.body) }
    }
    return otherwise.isEmpty ? .end : try execute(otherwise)
  }

  private func executeWith(
    _ assignments: [(target: TemplateTarget, value: TemplateExpression)],
    _ body: [TemplateStatement]
  ) throws(TemplateFailure) -> Flow {
    // All values are taken before any name is set.
    var values: [TemplateValue] = []
    for assignment in assignments { values.append(try evaluate(assignment.value)) }
    return try withScope(inside: scope) { () throws(TemplateFailure) in
      for (assignment, value) in zip(assignments, values) {
        try assign(value, to: assignment.target)
      }
      return try execute(body)
    }
  }

  /// The text of a body as a value, passed through filters.
  private func captured(
    _ body: [TemplateStatement], _ filter: TemplateExpression?
  ) throws(TemplateFailure) -> TemplateValue {
    let text = try capture { () throws(TemplateFailure) in
      _ = try withScope(inside: scope) { () throws(TemplateFailure) in try execute(body) }
    }
    guard let filter else { return .string(text) }
    return try evaluateFilters(filter, onBody: .string(text))
  }

  private func executeCall(
    _ callee: TemplateExpression, _ arguments: TemplateCallArguments, _ caller: TemplateMacro,
    at offset: Int
  ) throws(TemplateFailure) {
    let function = try evaluate(callee)
    var evaluated = try evaluate(arguments)
    evaluated.named.append(("caller", try make(.macro(caller, scope: scope))))
    self.offset = offset
    try write(try text(of: call(function, evaluated)))
  }

  // MARK: Assignment

  func assign(_ value: TemplateValue, to target: TemplateTarget) throws(TemplateFailure) {
    switch target {
    case .name(let symbol): assign(value, to: symbol)
    case .attribute(let symbol, let name, let offset):
      self.offset = offset
      guard case .object(let identity) = try self.value(of: symbol),
        case .namespace(var attributes) = objects[identity]
      else { throw .evaluation("attributes can be set on a namespace only") }
      // Let go of the stored copy first, so that it is changed in place.
      objects[identity] = .namespace(TemplateDictionary())
      try attributes.set(name, to: value)
      objects[identity] = .namespace(attributes)
    case .tuple(let targets, let offset):
      self.offset = offset
      let values = try elements(of: value)
      guard values.count == targets.count else {
        throw .evaluation("cannot unpack \(values.count) values into \(targets.count) names")
      }
      for (target, value) in zip(targets, values) { try assign(value, to: target) }
    }
  }

  // MARK: Loops

  private func executeLoop(_ loop: TemplateLoopStatement) throws(TemplateFailure) {
    let iterable = try evaluate(loop.iterable)
    offset = loop.offset
    try executeLoop(loop, over: iterable, inside: scope, level: 0)
  }

  /// Runs a loop over a value, also when a recursive loop calls itself.
  func executeLoop(
    _ statement: TemplateLoopStatement, over iterable: TemplateValue, inside parent: TemplateScope?,
    level: Int
  ) throws(TemplateFailure) {
    let items = try filtered(try elements(of: iterable), by: statement, inside: parent)
    let loop = TemplateLoop(statement, scope: parent, items: items, level: level)
    let object = try make(.loop(loop))
    rounds: for (index, item) in items.enumerated() {
      loop.index = index
      let flow = try withScope(inside: parent) { () throws(TemplateFailure) in
        scope?[.loop] = object
        try assign(item, to: statement.target)
        return try execute(statement.body)
      }
      if flow == .leaveLoop { break rounds }
    }
    if items.isEmpty && !statement.otherwise.isEmpty {
      _ = try withScope(inside: parent) { () throws(TemplateFailure) in
        try execute(statement.otherwise)
      }
    }
  }

  private func filtered(
    _ items: [TemplateValue], by statement: TemplateLoopStatement, inside parent: TemplateScope?
  ) throws(TemplateFailure) -> [TemplateValue] {
    guard let filter = statement.filter else { return items }
    var kept: [TemplateValue] = []
    for item in items {
      let isKept = try withScope(inside: parent) { () throws(TemplateFailure) in
        try assign(item, to: statement.target)
        return try evaluate(filter).isTrue
      }
      if isKept { kept.append(item) }
    }
    return kept
  }
}
