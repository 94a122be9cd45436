internal import SwiftSyntax

/// The type of a property or of a value in a case, as the source spells it.
struct PropertyType {
  /// The spelling that stands before `.self`.
  let text: String
  let isOptional: Bool
  /// A ``GenerationID`` comes with the content; no model generates it.
  let isIdentifier: Bool

  /// - Throws: ``MacroProblem`` for a type that no conformance can make generable.
  init(_ type: TypeSyntax) throws(MacroProblem) {
    let type = Self.withoutParentheses(type)
    try Self.check(type)
    if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      text = unwrapped.wrappedType.trimmedDescription + "?"
      isOptional = true
    } else {
      text = type.trimmedDescription
      isOptional =
        type.is(OptionalTypeSyntax.self)
        || ["Optional", "Swift.Optional"].contains(Self.nameAndArguments(of: type)?.name)
    }
    isIdentifier = text == "GenerationID" || text.hasSuffix(".GenerationID")
  }

  /// The type of a literal, or nil where only the compiler can tell.
  init?(of value: ExprSyntax) {
    switch value.kind {
    case .stringLiteralExpr: text = "String"
    case .integerLiteralExpr: text = "Int"
    case .floatLiteralExpr: text = "Double"
    case .booleanLiteralExpr: text = "Bool"
    case .prefixOperatorExpr:
      guard let inner = value.as(PrefixOperatorExprSyntax.self), inner.operator.text == "-",
        let type = PropertyType(of: inner.expression), ["Int", "Double"].contains(type.text)
      else { return nil }
      text = type.text
    case .functionCallExpr:
      guard let callee = value.as(FunctionCallExprSyntax.self)?.calledExpression,
        callee.trimmedDescription == "GenerationID"
      else { return nil }
      text = "GenerationID"
    default: return nil
    }
    isOptional = false
    isIdentifier = text == "GenerationID"
  }

  private static func withoutParentheses(_ type: TypeSyntax) -> TypeSyntax {
    guard let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1,
      let element = tuple.elements.first, element.firstName == nil
    else { return type }
    return withoutParentheses(element.type)
  }

  // MARK: What cannot be generated

  private static func check(_ type: TypeSyntax) throws(MacroProblem) {
    if let optional = type.as(OptionalTypeSyntax.self) {
      return try checkOptional(optional.wrappedType, type)
    }
    if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return try checkOptional(optional.wrappedType, type)
    }
    if let array = type.as(ArrayTypeSyntax.self) { return try checkElement(array.element) }
    switch type.kind {
    case .dictionaryType: throw MacroProblem(dictionaryMessage(type), at: type)
    case .tupleType:
      throw MacroProblem(
        "a tuple cannot be generated; use a structure with @Generable", at: type)
    case .functionType: throw MacroProblem("a function cannot be generated", at: type)
    case .someOrAnyType:
      throw MacroProblem(
        "\(type.trimmedDescription) cannot be generated; name a type that is Generable", at: type)
    case .metatypeType: throw MacroProblem("a metatype cannot be generated", at: type)
    case .inlineArrayType:
      throw MacroProblem(
        "an inline array cannot be generated; use an array with a count guide", at: type)
    default: break
    }
    guard let (name, arguments) = nameAndArguments(of: type) else { return }
    switch (name, arguments.count) {
    case ("Optional", 1), ("Swift.Optional", 1): try checkOptional(arguments[0], type)
    case ("Array", 1), ("Swift.Array", 1): try checkElement(arguments[0])
    case ("Dictionary", _), ("Swift.Dictionary", _):
      throw MacroProblem(dictionaryMessage(type), at: type)
    default:
      guard let advice = advice[name] else { return }
      throw MacroProblem("\(name) cannot be generated; \(advice)", at: type)
    }
  }

  private static func checkOptional(
    _ wrapped: TypeSyntax, _ type: TypeSyntax
  ) throws(MacroProblem) {
    let wrapped = withoutParentheses(wrapped)
    if isOptional(wrapped) {
      throw MacroProblem("an optional of an optional cannot be generated", at: type)
    }
    try check(wrapped)
  }

  private static func checkElement(_ element: TypeSyntax) throws(MacroProblem) {
    let element = withoutParentheses(element)
    if isOptional(element) {
      throw MacroProblem(
        "an array of optionals cannot be generated; leave the missing elements out", at: element)
    }
    try check(element)
  }

  private static func isOptional(_ type: TypeSyntax) -> Bool {
    type.is(OptionalTypeSyntax.self) || nameAndArguments(of: type)?.name == "Optional"
  }

  private static func dictionaryMessage(_ type: TypeSyntax) -> String {
    "a dictionary cannot be generated; use an array of structures with a key and a value"
  }

  /// What to use instead of types that look as if they could be generated.
  private static let advice: [String: String] = {
    var advice = [
      "Any": "name a type that is Generable", "AnyObject": "name a type that is Generable",
      "Set": "use an array", "Character": "use String",
      "Date": "use String with a pattern, and convert it",
      "URL": "use String, and convert it",
      "UUID": "use String, or GenerationID to tell values apart",
      "Data": "use String, and convert it", "CGFloat": "use Double", "Float16": "use Float",
      "Float80": "use Double", "Substring": "use String",
    ]
    for name in [
      "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
      "UInt128",
    ] {
      advice[name] = "use Int, with a range if it must fit"
    }
    return advice
  }()

  private static func nameAndArguments(
    of type: TypeSyntax
  ) -> (name: String, arguments: [TypeSyntax])? {
    if let member = type.as(MemberTypeSyntax.self) {
      let name = "\(member.baseType.trimmedDescription).\(member.name.text)"
      return (name, types(in: member.genericArgumentClause))
    }
    guard let identifier = type.as(IdentifierTypeSyntax.self) else { return nil }
    return (identifier.name.text, types(in: identifier.genericArgumentClause))
  }

  private static func types(in clause: GenericArgumentClauseSyntax?) -> [TypeSyntax] {
    clause?.arguments.compactMap { $0.argument.as(TypeSyntax.self) } ?? []
  }
}
