public import Foundation

extension Bool: Generable {
  /// True or false.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(SchemaNode(.boolean))
  }

  /// The truth value that `content` is.
  public init(_ content: GeneratedContent) throws {
    guard case .bool(let value) = content.kind else { throw content.mismatch("a boolean") }
    self = value
  }

  /// This value as content.
  public var generatedContent: GeneratedContent { GeneratedContent(kind: .bool(self)) }
}

extension String: Generable {
  /// Any text.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(SchemaNode(.string(StringSchema())))
  }

  /// The text that `content` is.
  public init(_ content: GeneratedContent) throws {
    guard case .string(let value) = content.kind else { throw content.mismatch("a string") }
    self = value
  }

  /// This text as content.
  public var generatedContent: GeneratedContent { GeneratedContent(kind: .string(self)) }
}

extension Int: Generable {
  /// Any integer of 64 bits.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(SchemaNode(.number(NumberSchema(isInteger: true))))
  }

  /// The integer that `content` is.
  public init(_ content: GeneratedContent) throws {
    let number = try content.number("an integer")
    guard let value = number.exact.map({ Int($0) }) ?? Int(exactly: number.value) else {
      throw content.error("expected an integer of 64 bits, found \(number.text)")
    }
    self = value
  }

  /// This integer as content, without loss.
  public var generatedContent: GeneratedContent { GeneratedContent(JSONNumber(self)) }
}

extension Float: Generable {
  /// Any number.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(SchemaNode(.number(NumberSchema(isInteger: false)), title: "Float"))
  }

  /// The nearest value to the number that `content` is.
  public init(_ content: GeneratedContent) throws {
    self = try Float(content.number("a number").value)
  }

  /// This number as content, with as many digits as a `Float` has.
  public var generatedContent: GeneratedContent {
    GeneratedContent(JSONNumber(literal: description))
  }
}

extension Double: Generable {
  /// Any number.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(SchemaNode(.number(NumberSchema(isInteger: false))))
  }

  /// The number that `content` is.
  public init(_ content: GeneratedContent) throws {
    self = try content.number("a number").value
  }

  /// This number as content.
  public var generatedContent: GeneratedContent { GeneratedContent(JSONNumber(self)) }
}

extension Decimal: Generable {
  /// Any number.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(SchemaNode(.number(NumberSchema(isInteger: false)), title: "Decimal"))
  }

  /// The number that `content` is, digit by digit.
  public init(_ content: GeneratedContent) throws {
    let number = try content.number("a number")
    guard let value = Decimal(string: number.text, locale: Locale(identifier: "en_US_POSIX")) else {
      throw content.error("\(number.text) does not fit a Decimal")
    }
    self = value
  }

  /// This number as content, without loss.
  public var generatedContent: GeneratedContent { GeneratedContent(JSONNumber(self)) }
}

extension Never: Generable {
  /// No value at all.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(SchemaNode(.never))
  }

  /// Always fails.
  public init(_ content: GeneratedContent) throws {
    throw content.error("there is no value of type Never")
  }

  /// Cannot be asked for.
  public var generatedContent: GeneratedContent {
    switch self {}
  }
}

extension GeneratedContent {
  init(_ number: JSONNumber) {
    self.init(
      kind: .number(number.value), id: nil, isComplete: true, exactNumber: number.exact)
  }

  func number(_ expected: String) throws -> JSONNumber {
    guard case .number(let value) = kind else { throw mismatch(expected) }
    return exactNumber.map(JSONNumber.init(literal:)) ?? JSONNumber(value)
  }
}
