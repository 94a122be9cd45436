/// Statements: what stands between `{%` and `%}`.
extension TemplateParser {
  /// One statement, its name being the current token; nil for one that does nothing.
  mutating func parseStatement(
    _ closing: [String]
  ) throws(ChatTemplateError) -> TemplateStatement? {
    let offset = current.offset
    guard case .name(let name) = current.kind else {
      throw unexpected(expected: "the name of a statement")
    }
    advance()
    switch name {
    case "if": return try parseIf()
    case "for": return try parseFor(at: offset)
    case "set": return try parseSet()
    case "with": return try parseWith()
    case "macro": return try parseMacro()
    case "call": return try parseCallBlock(at: offset)
    case "filter": return try parseFilterBlock()
    case "generation": return try parseGeneration()
    case "break", "continue": return try parseLoopControl(name, at: offset)
    case "print": return try parsePrint()
    case "include", "import", "from", "extends", "block", "autoescape":
      throw failure("'\(name)' is not available in a chat template", at: offset)
    default: throw unknownStatement(name, closing, at: offset)
    }
  }

  private func unknownStatement(
    _ name: String, _ closing: [String], at offset: Int
  ) -> ChatTemplateError {
    let wanted = closing.map { "'\($0)'" }.joined(separator: " or ")
    let hint = closing.isEmpty ? "" : "; the block around it ends with \(wanted)"
    return failure("unknown statement '\(name)'\(hint)", at: offset)
  }

  private mutating func parseIf() throws(ChatTemplateError) -> TemplateStatement {
    var branches: [(condition: TemplateExpression, body: [TemplateStatement])] = []
    repeat {
      let condition = try parseTuple(allowsConditional: false)
      try expectBodyStart()
      branches.append((condition, try parseBody(until: ["elif", "else", "endif"])))
    } while skip(name: "elif")
    let otherwise = try parseElse(closing: "endif")
    return .branch(branches, otherwise: otherwise)
  }

  /// The part after `else`, empty where there is none, and the closing tag.
  private mutating func parseElse(
    closing: String
  ) throws(ChatTemplateError) -> [TemplateStatement] {
    var body: [TemplateStatement] = []
    if skip(name: "else") {
      try expectBodyStart()
      body = try parseBody(until: [closing])
    }
    advance()
    try expectStatementEnd()
    return body
  }

  private mutating func parseFor(at offset: Int) throws(ChatTemplateError) -> TemplateStatement {
    let target = try parseTargets(isEnd: { $0.isAt(name: "in") })
    guard skip(name: "in") else { throw unexpected(expected: "'in'") }
    let iterable = try parseTuple(allowsConditional: false, isEnd: { $0.isAt(name: "recursive") })
    let filter = skip(name: "if") ? try parseExpression() : nil
    let isRecursive = skip(name: "recursive")
    try expectBodyStart()
    loopDepth += 1
    let body = try parseBody(until: ["else", "endfor"])
    loopDepth -= 1
    let otherwise = try parseElse(closing: "endfor")
    return .loop(
      TemplateLoopStatement(
        target: target, iterable: iterable, filter: filter, body: body, otherwise: otherwise,
        isRecursive: isRecursive, offset: offset))
  }

  private mutating func parseSet() throws(ChatTemplateError) -> TemplateStatement {
    let target = try parseTargets(allowsAttributes: true, isEnd: { _ in false })
    if skip(.assign) {
      let value = try parseTuple()
      try expectStatementEnd()
      return .set(target, value)
    }
    let filter = try parseFilterChain(after: nil)
    let body = try parseScopedBlock(closing: "endset")
    try expectStatementEnd()
    return .setBlock(target, filter: filter, body: body)
  }

  private mutating func parseWith() throws(ChatTemplateError) -> TemplateStatement {
    var assignments: [(target: TemplateTarget, value: TemplateExpression)] = []
    while current.kind != .statementEnd && !isAt(.colon) {
      if !assignments.isEmpty { try expect(.comma) }
      let target = try parseTarget()
      try expect(.assign)
      assignments.append((target, try parseExpression()))
    }
    let body = try parseBlock(closing: "endwith")
    try expectStatementEnd()
    return .with(assignments, body: body)
  }

  private mutating func parseFilterBlock() throws(ChatTemplateError) -> TemplateStatement {
    guard let filter = try parseFilterChain(after: nil, startsWithoutBar: true) else {
      throw unexpected(expected: "the name of a filter")
    }
    let body = try parseScopedBlock(closing: "endfilter")
    try expectStatementEnd()
    return .filterBlock(filter, body: body)
  }

  private mutating func parseGeneration() throws(ChatTemplateError) -> TemplateStatement {
    let body = try parseScopedBlock(closing: "endgeneration")
    try expectStatementEnd()
    return .scope(body)
  }

  /// A body whose text is captured: `break` cannot leave it.
  private mutating func parseScopedBlock(
    closing: String
  ) throws(ChatTemplateError) -> [TemplateStatement] {
    let outer = loopDepth
    loopDepth = 0
    defer { loopDepth = outer }
    return try parseBlock(closing: closing)
  }

  private mutating func parsePrint() throws(ChatTemplateError) -> TemplateStatement? {
    guard current.kind != .statementEnd else {
      advance()
      return nil
    }
    var values = [try parseExpression()]
    while skip(.comma) { values.append(try parseExpression()) }
    try expectStatementEnd()
    return .output(.concatenation(values))
  }

  private mutating func parseLoopControl(
    _ name: String, at offset: Int
  ) throws(ChatTemplateError) -> TemplateStatement {
    guard loopDepth > 0 else { throw failure("'\(name)' outside of a loop", at: offset) }
    try expectStatementEnd()
    return name == "break" ? .break : .continue
  }

  // MARK: Macros

  private mutating func parseMacro() throws(ChatTemplateError) -> TemplateStatement {
    let name = try expectName()
    let macro = try parseMacroBody(name: name, try parseSignature(), closing: "endmacro")
    return .macro(symbol(name), macro)
  }

  private mutating func parseCallBlock(
    at offset: Int
  ) throws(ChatTemplateError) -> TemplateStatement {
    let signature = isAt(.openParenthesis) ? try parseSignature() : Signature()
    guard case .call(let callee, let arguments, _) = try parseExpression() else {
      throw failure("'call' needs the call of a macro", at: offset)
    }
    let caller = try parseMacroBody(name: "caller", signature, closing: "endcall")
    return .callBlock(callee, arguments, caller: caller, at: offset)
  }

  private struct Signature {
    var parameters: [(name: TemplateSymbol, text: String)] = []
    var defaults: [TemplateExpression] = []
  }

  private mutating func parseSignature() throws(ChatTemplateError) -> Signature {
    var signature = Signature()
    try expect(.openParenthesis)
    while !isAt(.closeParenthesis) {
      if !signature.parameters.isEmpty { try expect(.comma) }
      let offset = current.offset
      let name = try expectName()
      guard !signature.parameters.contains(where: { $0.text == name }) else {
        throw failure("the parameter '\(name)' occurs twice", at: offset)
      }
      signature.parameters.append((symbol(name), name))
      if skip(.assign) {
        signature.defaults.append(try parseExpression())
      } else if !signature.defaults.isEmpty {
        throw failure("a parameter without a default follows one with a default", at: offset)
      }
    }
    advance()
    return signature
  }

  private mutating func parseMacroBody(
    name: String, _ signature: Signature, closing: String
  ) throws(ChatTemplateError) -> TemplateMacro {
    let outerNames = specialNames
    specialNames = []
    let body = try parseScopedBlock(closing: closing)
    try expectStatementEnd()
    let parameterNames = signature.parameters.map(\.text)
    let used = specialNames.subtracting(parameterNames)
    specialNames = outerNames.union(used)
    return TemplateMacro(
      name: name, parameters: signature.parameters, defaults: signature.defaults, body: body,
      takesVariadic: used.contains("varargs"), takesNamed: used.contains("kwargs"),
      takesCaller: used.contains("caller") || parameterNames.contains("caller"))
  }

  // MARK: Targets

  /// Names that are assigned to, with commas between them.
  private mutating func parseTargets(
    allowsAttributes: Bool = false, isEnd: (TemplateParser) -> Bool
  ) throws(ChatTemplateError) -> TemplateTarget {
    let offset = current.offset
    var targets: [TemplateTarget] = []
    var isTuple = false
    while true {
      if isAt(.assign) || isAt(.closeParenthesis) || current.kind == .statementEnd || isEnd(self) {
        break
      }
      targets.append(try parseTarget(allowsAttributes: allowsAttributes))
      guard skip(.comma) else { break }
      isTuple = true
    }
    guard let first = targets.first else { throw unexpected(expected: "a name to assign to") }
    return isTuple ? .tuple(targets, at: offset) : first
  }

  private mutating func parseTarget(
    allowsAttributes: Bool = false
  ) throws(ChatTemplateError) -> TemplateTarget {
    if skip(.openParenthesis) {
      try enter()
      defer { depth -= 1 }
      let target = try parseTargets(
        allowsAttributes: allowsAttributes, isEnd: { $0.isAt(.closeParenthesis) })
      try expect(.closeParenthesis)
      return target
    }
    let offset = current.offset
    let name = try expectName()
    guard !Self.constants.keys.contains(name) else {
      throw failure("'\(name)' cannot be assigned to", at: offset)
    }
    if allowsAttributes && skip(.dot) {
      return .attribute(symbol(name), name: try expectName(), at: offset)
    }
    return .name(symbol(name))
  }
}
