/// A piece of template source with the byte offset where it starts.
struct TemplateToken: Sendable {
  enum Kind: Sendable, Equatable {
    /// Text outside of tags, white space already removed as the tags around it ask.
    case text([UInt8])
    case outputStart, outputEnd
    case statementStart, statementEnd
    case name(String)
    case string([UInt8])
    case integer(Int)
    case float(Double)
    case symbol(Symbol)
    case end
  }

  enum Symbol: String, Sendable, CaseIterable {
    case floorDivide = "//"
    case power = "**"
    case equal = "=="
    case notEqual = "!="
    case greaterOrEqual = ">="
    case lessOrEqual = "<="
    case plus = "+"
    case minus = "-"
    case divide = "/"
    case multiply = "*"
    case remainder = "%"
    case tilde = "~"
    case openBracket = "["
    case closeBracket = "]"
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBrace = "{"
    case closeBrace = "}"
    case greater = ">"
    case less = "<"
    case assign = "="
    case dot = "."
    case colon = ":"
    case bar = "|"
    case comma = ","
    case semicolon = ";"
  }

  let kind: Kind
  let offset: Int

  /// The token as an error message shows it.
  var description: String {
    switch kind {
    case .text: "text"
    case .outputStart: "'{{'"
    case .outputEnd: "'}}'"
    case .statementStart: "'{%'"
    case .statementEnd: "'%}'"
    case .name(let name): "'\(name)'"
    case .string: "a string"
    case .integer(let number): "'\(number)'"
    case .float(let number): "'\(number)'"
    case .symbol(let symbol): "'\(symbol.rawValue)'"
    case .end: "the end of the template"
    }
  }
}
