/// Constants, names, brackets, and what may follow them: attributes, calls, filters, tests.
extension TemplateParser {
  mutating func parsePrimary() throws(ChatTemplateError) -> TemplateExpression {
    let token = current
    advance()
    switch token.kind {
    case .name(let name):
      if let constant = Self.constants[name] { return .constant(constant) }
      if ["varargs", "kwargs", "caller"].contains(name) { specialNames.insert(name) }
      return .name(symbol(name))
    case .string(var text):
      while case .string(let more) = current.kind {
        text += more
        advance()
      }
      return .constant(.string(TemplateString(bytes: text)))
    case .integer(let number): return .constant(.int(number))
    case .float(let number): return .constant(.double(number))
    case .symbol(.openParenthesis): return try parseParentheses()
    case .symbol(.openBracket): return .list(try parseElements(until: .closeBracket))
    case .symbol(.openBrace): return try parseDictionary(at: token.offset)
    default:
      throw failure("expected an expression, found \(token.description)", at: token.offset)
    }
  }

  private mutating func parseParentheses() throws(ChatTemplateError) -> TemplateExpression {
    if skip(.closeParenthesis) { return .tuple([]) }
    try enter()
    defer { depth -= 1 }
    let expression = try parseTuple()
    try expect(.closeParenthesis)
    return expression
  }

  private mutating func parseElements(
    until closing: TemplateToken.Symbol
  ) throws(ChatTemplateError) -> [TemplateExpression] {
    var elements: [TemplateExpression] = []
    while !skip(closing) {
      if !elements.isEmpty {
        try expect(.comma)
        if skip(closing) { break }
      }
      elements.append(try parseExpression())
    }
    return elements
  }

  private mutating func parseDictionary(
    at offset: Int
  ) throws(ChatTemplateError) -> TemplateExpression {
    var entries: [(key: TemplateExpression, value: TemplateExpression)] = []
    while !skip(.closeBrace) {
      if !entries.isEmpty {
        try expect(.comma)
        if skip(.closeBrace) { break }
      }
      let key = try parseExpression()
      try expect(.colon)
      entries.append((key, try parseExpression()))
    }
    return .dictionary(entries, at: offset)
  }

  // MARK: Attributes, items, calls

  /// Reads what follows an operand; the caller restores the depth that is added here.
  mutating func parsePostfix(
    _ operand: TemplateExpression
  ) throws(ChatTemplateError) -> TemplateExpression {
    var expression = operand
    while true {
      let offset = current.offset
      switch current.kind {
      case .symbol(.dot):
        advance()
        expression = try parseAttribute(of: expression, at: offset)
      case .symbol(.openBracket):
        advance()
        expression = try parseSubscript(of: expression, at: offset)
      case .symbol(.openParenthesis):
        expression = .call(expression, try parseArguments(), at: offset)
      default: return expression
      }
      try enter()
    }
  }

  private mutating func parseAttribute(
    of expression: TemplateExpression, at offset: Int
  ) throws(ChatTemplateError) -> TemplateExpression {
    if case .integer(let index) = current.kind {
      advance()
      return .item(expression, .constant(.int(index)), at: offset)
    }
    return .attribute(expression, TemplateAttribute(try expectName()), at: offset)
  }

  private mutating func parseSubscript(
    of expression: TemplateExpression, at offset: Int
  ) throws(ChatTemplateError) -> TemplateExpression {
    var start: TemplateExpression?
    if !isAt(.colon) {
      let index = try parseExpression()
      if isAt(.comma) {
        var indices = [index]
        while skip(.comma) { indices.append(try parseExpression()) }
        try expect(.closeBracket)
        return .item(expression, .tuple(indices), at: offset)
      }
      if skip(.closeBracket) { return .item(expression, index, at: offset) }
      start = index
    }
    try expect(.colon)
    var stop: TemplateExpression?
    var step: TemplateExpression?
    if !isAt(.colon) && !isAt(.closeBracket) { stop = try parseExpression() }
    if skip(.colon), !isAt(.closeBracket) { step = try parseExpression() }
    try expect(.closeBracket)
    return .slice(expression, TemplateSlice(start: start, stop: stop, step: step), at: offset)
  }

  mutating func parseArguments() throws(ChatTemplateError) -> TemplateCallArguments {
    var arguments = TemplateCallArguments()
    try expect(.openParenthesis)
    var isFirst = true
    while !skip(.closeParenthesis) {
      if !isFirst {
        try expect(.comma)
        if skip(.closeParenthesis) { break }
      }
      isFirst = false
      try parseArgument(into: &arguments)
    }
    return arguments
  }

  private mutating func parseArgument(
    into arguments: inout TemplateCallArguments
  ) throws(ChatTemplateError) {
    let offset = current.offset
    if skip(.multiply) {
      guard arguments.spread == nil && arguments.spreadNamed == nil else {
        throw failure("arguments after '*' and '**' must be named", at: offset)
      }
      arguments.spread = try parseExpression()
    } else if skip(.power) {
      guard arguments.spreadNamed == nil else { throw failure("'**' occurs twice", at: offset) }
      arguments.spreadNamed = try parseExpression()
    } else if case .name(let name) = current.kind, next.kind == .symbol(.assign) {
      guard arguments.spreadNamed == nil else {
        throw failure("no argument may follow '**'", at: offset)
      }
      guard !arguments.named.contains(where: { $0.name == name }) else {
        throw failure("the argument '\(name)' occurs twice", at: offset)
      }
      advance()
      advance()
      arguments.named.append((name, try parseExpression()))
    } else {
      guard arguments.named.isEmpty && arguments.spread == nil && arguments.spreadNamed == nil
      else {
        throw failure("an argument without a name follows one with a name", at: offset)
      }
      arguments.positional.append(try parseExpression())
    }
  }

  // MARK: Filters and tests

  mutating func parseFiltersAndTests(
    _ operand: TemplateExpression
  ) throws(ChatTemplateError) -> TemplateExpression {
    var expression = operand
    while true {
      let offset = current.offset
      switch current.kind {
      case .symbol(.bar):
        advance()
        expression = .filter(expression, try parseFilterCall())
      case .name("is"):
        advance()
        expression = try parseTest(of: expression)
      case .symbol(.openParenthesis):
        expression = .call(expression, try parseArguments(), at: offset)
      default: return expression
      }
      try enter()
    }
  }

  /// Filters in a row, nil where there is none; without an operand they take a rendered body.
  mutating func parseFilterChain(
    after operand: TemplateExpression?, startsWithoutBar: Bool = false
  ) throws(ChatTemplateError) -> TemplateExpression? {
    let outerDepth = depth
    defer { depth = outerDepth }
    var expression = operand
    if startsWithoutBar { expression = .filter(expression, try parseFilterCall()) }
    while skip(.bar) {
      try enter()
      expression = .filter(expression, try parseFilterCall())
    }
    return expression
  }

  private mutating func parseDottedName() throws(ChatTemplateError) -> String {
    var name = try expectName()
    while skip(.dot) { name += "." + (try expectName()) }
    return name
  }

  private mutating func parseFilterCall() throws(ChatTemplateError) -> TemplateFilterCall {
    let offset = current.offset
    let name = try parseDottedName()
    let arguments = isAt(.openParenthesis) ? try parseArguments() : TemplateCallArguments()
    return TemplateFilterCall(
      name: name, filter: TemplateFilters.table[name], arguments: arguments, offset: offset)
  }

  private mutating func parseTest(
    of operand: TemplateExpression
  ) throws(ChatTemplateError) -> TemplateExpression {
    let isNegated = skip(name: "not")
    let offset = current.offset
    let name = try parseDottedName()
    var arguments = TemplateCallArguments()
    if isAt(.openParenthesis) {
      arguments = try parseArguments()
    } else if startsTestArgument() {
      guard !isAt(name: "is") else { throw failure("tests with 'is' cannot be chained") }
      let outerDepth = depth
      try enter()
      arguments.positional = [try parsePostfix(try parsePrimary())]
      depth = outerDepth
    }
    let call = TemplateTestCall(
      name: name, test: TemplateTests.table[name], arguments: arguments, offset: offset)
    let test = TemplateExpression.test(operand, call)
    return isNegated ? .not(test) : test
  }

  /// Whether an argument without parentheses follows the name of a test.
  private func startsTestArgument() -> Bool {
    switch current.kind {
    case .name(let name): !["else", "or", "and"].contains(name)
    case .string, .integer, .float, .symbol(.openBracket), .symbol(.openBrace): true
    default: false
    }
  }
}
