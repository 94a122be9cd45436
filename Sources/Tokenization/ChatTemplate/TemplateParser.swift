/// Makes a program of template source, by recursive descent over the tokens.
///
/// Grammar and precedence are those of jinja2 with the settings of transformers: loop controls and
/// `generation` blocks are there, statements that load other templates are refused.
struct TemplateParser {
  let source: TemplateSource
  let tokens: [TemplateToken]
  var position = 0
  /// Expressions and statements that are open here.
  var depth = 0
  var names: [String] = []
  private var symbols: [String: TemplateSymbol] = [:]
  /// Loops around this place that `break` may leave.
  var loopDepth = 0
  /// The special names that the macro being read mentions.
  var specialNames: Set<String> = []

  private init(_ source: TemplateSource) throws(ChatTemplateError) {
    self.source = source
    tokens = try TemplateLexer.tokens(of: source)
    for name in TemplateSymbol.reserved { _ = symbol(name) }
  }

  static func parse(_ text: String) throws(ChatTemplateError) -> TemplateProgram {
    let source = TemplateSource(text)
    var parser = try TemplateParser(source)
    let statements = try parser.parseBody(until: [])
    return TemplateProgram(statements: statements, names: parser.names, source: source)
  }

  // MARK: Tokens

  var current: TemplateToken { tokens[position] }
  var next: TemplateToken { tokens[min(position + 1, tokens.count - 1)] }

  mutating func advance() {
    if position < tokens.count - 1 { position += 1 }
  }

  func failure(_ reason: String, at offset: Int? = nil) -> ChatTemplateError {
    .syntax(reason: reason, source.location(of: offset ?? current.offset))
  }

  func unexpected(expected: String) -> ChatTemplateError {
    failure("expected \(expected), found \(current.description)")
  }

  func isAt(_ symbol: TemplateToken.Symbol) -> Bool { current.kind == .symbol(symbol) }
  func isAt(name: String) -> Bool { current.kind == .name(name) }

  mutating func skip(_ symbol: TemplateToken.Symbol) -> Bool {
    guard isAt(symbol) else { return false }
    advance()
    return true
  }

  mutating func skip(name: String) -> Bool {
    guard isAt(name: name) else { return false }
    advance()
    return true
  }

  mutating func expect(_ symbol: TemplateToken.Symbol) throws(ChatTemplateError) {
    guard skip(symbol) else { throw unexpected(expected: "'\(symbol.rawValue)'") }
  }

  mutating func expectName() throws(ChatTemplateError) -> String {
    guard case .name(let name) = current.kind else { throw unexpected(expected: "a name") }
    advance()
    return name
  }

  mutating func expectStatementEnd() throws(ChatTemplateError) {
    guard current.kind == .statementEnd else { throw unexpected(expected: "'%}'") }
    advance()
  }

  /// The end of a tag that a body follows; jinja2 lets a colon stand before it.
  mutating func expectBodyStart() throws(ChatTemplateError) {
    _ = skip(.colon)
    try expectStatementEnd()
  }

  mutating func symbol(_ name: String) -> TemplateSymbol {
    if let symbol = symbols[name] { return symbol }
    let symbol = TemplateSymbol(index: names.count)
    names.append(name)
    symbols[name] = symbol
    return symbol
  }

  /// Goes one level deeper, so that no source nests beyond what the stack carries.
  mutating func enter() throws(ChatTemplateError) {
    guard depth < ChatTemplateLimits.sourceDepth else {
      throw failure("the template nests deeper than \(ChatTemplateLimits.sourceDepth) levels")
    }
    depth += 1
  }

  // MARK: Bodies

  /// Statements up to one of the closing names, which stays the current token.
  mutating func parseBody(until closing: [String]) throws(ChatTemplateError) -> [TemplateStatement]
  {
    try enter()
    defer { depth -= 1 }
    let start = current.offset
    var body: [TemplateStatement] = []
    while true {
      switch current.kind {
      case .text(let bytes):
        body.append(.text(TemplateString(bytes: bytes)))
        advance()
      case .outputStart:
        advance()
        body.append(.output(try parseTuple()))
        guard current.kind == .outputEnd else { throw unexpected(expected: "'}}'") }
        advance()
      case .statementStart:
        advance()
        if case .name(let name) = current.kind, closing.contains(name) { return body }
        if let statement = try parseStatement(closing) { body.append(statement) }
      case .end:
        guard closing.isEmpty else {
          let wanted = closing.map { "'\($0)'" }.joined(separator: " or ")
          throw failure(
            "the template ends where \(wanted) is missing for the block that starts here", at: start
          )
        }
        return body
      default: throw unexpected(expected: "text or a tag")
      }
    }
  }

  /// Statements up to the end of their block, the closing tag included.
  mutating func parseBlock(closing: String) throws(ChatTemplateError) -> [TemplateStatement] {
    try expectBodyStart()
    let body = try parseBody(until: [closing])
    advance()
    return body
  }
}
