/// A name of a template by its place in the table of names.
struct TemplateSymbol: Sendable, Hashable {
  let index: Int

  /// Names that the language itself gives a meaning, at the start of every table.
  static let reserved = ["loop", "caller", "varargs", "kwargs"]
  static let loop = TemplateSymbol(index: 0)
  static let caller = TemplateSymbol(index: 1)
  static let variadic = TemplateSymbol(index: 2)
  static let named = TemplateSymbol(index: 3)
}

/// The name after a dot, with everything about it that is known before evaluating.
struct TemplateAttribute: Sendable {
  let name: String
  let key: TemplateKey
  let stringMethod: TemplateStringMethod?
  let sequenceMethod: TemplateSequenceMethod?
  let dictionaryMethod: TemplateDictionaryMethod?

  init(_ name: String) {
    self.name = name
    key = .string(Array(name.utf8))
    stringMethod = TemplateStringMethod(rawValue: name)
    sequenceMethod = TemplateSequenceMethod(rawValue: name)
    dictionaryMethod = TemplateDictionaryMethod(rawValue: name)
  }
}

/// An expression with the byte offset in the source where a failure would be reported.
indirect enum TemplateExpression: Sendable {
  case constant(TemplateValue)
  case name(TemplateSymbol)
  case list([TemplateExpression])
  case tuple([TemplateExpression])
  case dictionary([(key: TemplateExpression, value: TemplateExpression)], at: Int)
  case attribute(TemplateExpression, TemplateAttribute, at: Int)
  case item(TemplateExpression, TemplateExpression, at: Int)
  case slice(TemplateExpression, TemplateSlice, at: Int)
  case call(TemplateExpression, TemplateCallArguments, at: Int)
  case filter(TemplateExpression?, TemplateFilterCall)
  case test(TemplateExpression, TemplateTestCall)
  case unary(TemplateUnaryOperator, TemplateExpression, at: Int)
  /// Operators of one strength in a row, from the left; flat, so that length is not depth.
  case binary(TemplateExpression, [TemplateOperation])
  case concatenation([TemplateExpression])
  case comparison(TemplateExpression, [(TemplateComparison, TemplateExpression)], at: Int)
  case and([TemplateExpression])
  case or([TemplateExpression])
  case not(TemplateExpression)
  case conditional(
    TemplateExpression, condition: TemplateExpression, otherwise: TemplateExpression?)
}

/// A binary operator with its right operand.
struct TemplateOperation: Sendable {
  let binary: TemplateBinaryOperator
  let operand: TemplateExpression
  let offset: Int
}

struct TemplateSlice: Sendable {
  let start: TemplateExpression?
  let stop: TemplateExpression?
  let step: TemplateExpression?
}

/// A filter with its arguments; the text before the bar is kept apart, since blocks have none.
struct TemplateFilterCall: Sendable {
  let name: String
  /// Nil where no filter has this name: an error if the expression is ever reached.
  let filter: TemplateFilter?
  let arguments: TemplateCallArguments
  let offset: Int
}

struct TemplateTestCall: Sendable {
  let name: String
  let test: TemplateTest?
  let arguments: TemplateCallArguments
  let offset: Int
}

/// Arguments as written, not yet evaluated.
struct TemplateCallArguments: Sendable {
  var positional: [TemplateExpression] = []
  var named: [(name: String, value: TemplateExpression)] = []
  /// The sequence after `*`.
  var spread: TemplateExpression?
  /// The dictionary after `**`.
  var spreadNamed: TemplateExpression?

  var isEmpty: Bool {
    positional.isEmpty && named.isEmpty && spread == nil && spreadNamed == nil
  }
}

enum TemplateUnaryOperator: Sendable {
  case negate
  case plus
}

enum TemplateBinaryOperator: String, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case floorDivide = "//"
  case remainder = "%"
  case power = "**"
}

enum TemplateComparison: String, Sendable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case `in` = "in"
  case notIn = "not in"
}

/// What `for`, `set` and `with` assign to.
indirect enum TemplateTarget: Sendable {
  case name(TemplateSymbol)
  /// An attribute of a namespace.
  case attribute(TemplateSymbol, name: String, at: Int)
  case tuple([TemplateTarget], at: Int)
}

indirect enum TemplateStatement: Sendable {
  case text(TemplateString)
  case output(TemplateExpression)
  case branch(
    [(condition: TemplateExpression, body: [TemplateStatement])], otherwise: [TemplateStatement])
  case loop(TemplateLoopStatement)
  case set(TemplateTarget, TemplateExpression)
  /// The rendered body, passed through the filters, becomes the value.
  case setBlock(TemplateTarget, filter: TemplateExpression?, body: [TemplateStatement])
  case with([(target: TemplateTarget, value: TemplateExpression)], body: [TemplateStatement])
  case macro(TemplateSymbol, TemplateMacro)
  case callBlock(TemplateExpression, TemplateCallArguments, caller: TemplateMacro, at: Int)
  case filterBlock(TemplateExpression, body: [TemplateStatement])
  /// A body in a scope of its own: `generation` marks what the model said, for training.
  case scope([TemplateStatement])
  case `break`
  case `continue`
}

struct TemplateLoopStatement: Sendable {
  let target: TemplateTarget
  let iterable: TemplateExpression
  let filter: TemplateExpression?
  let body: [TemplateStatement]
  let otherwise: [TemplateStatement]
  let isRecursive: Bool
  let offset: Int
}

struct TemplateMacro: Sendable {
  let name: String
  let parameters: [(name: TemplateSymbol, text: String)]
  /// Defaults of the last parameters.
  let defaults: [TemplateExpression]
  let body: [TemplateStatement]
  let takesVariadic: Bool
  let takesNamed: Bool
  let takesCaller: Bool
}

/// A compiled template: what the parser makes and the evaluator runs.
struct TemplateProgram: Sendable {
  let statements: [TemplateStatement]
  /// All names that occur, by symbol.
  let names: [String]
  let source: TemplateSource
}

/// The source with line ends made uniform, to find lines and columns in.
struct TemplateSource: Sendable {
  let bytes: [UInt8]

  /// Makes every line end a line feed and drops one at the end, as jinja2 does by default.
  init(_ text: String) {
    var uniform: [UInt8] = []
    uniform.reserveCapacity(text.utf8.count)
    var afterReturn = false
    for byte in text.utf8 {
      if byte == 0x0D {
        uniform.append(0x0A)
      } else if byte != 0x0A || !afterReturn {
        uniform.append(byte)
      }
      afterReturn = byte == 0x0D
    }
    if uniform.last == 0x0A { uniform.removeLast() }
    bytes = uniform
  }

  func location(of offset: Int) -> ChatTemplateError.SourceLocation {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return ChatTemplateError.SourceLocation(line: line, column: column)
  }
}
