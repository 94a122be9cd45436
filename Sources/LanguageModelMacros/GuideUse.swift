internal import SwiftSyntax

/// A guide where it stands in the code.
struct GuideUse {
  let expression: ExprSyntax

  /// Refuses a guide that values of a type cannot follow, where both are known by their names.
  ///
  /// The compiler would say so too, though inside the expansion and in its own words.
  func check(for type: PropertyType) throws(MacroProblem) {
    guard let name, let fitting = Self.fitting[name], let kind = type.kind, kind != fitting else {
      return
    }
    throw MacroProblem(
      "the guide “\(name)” is for \(fitting.rawValue); \(type.text) is \(kind.rawValue)",
      at: expression)
  }

  /// The name of a guide in the form `.name` or `.name(…)`; that of a regular expression is pattern.
  private var name: String? {
    if expression.is(RegexLiteralExprSyntax.self) { return "pattern" }
    let callee = expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? expression
    guard let member = callee.as(MemberAccessExprSyntax.self), member.base == nil else {
      return nil
    }
    return member.declName.baseName.text
  }

  private static let fitting: [String: PropertyType.Kind] = [
    "constant": .text, "anyOf": .text, "pattern": .text, "verbatim": .text,
    "minimum": .number, "maximum": .number, "range": .number,
    "minimumCount": .array, "maximumCount": .array, "count": .array, "element": .array,
  ]
}

extension PropertyType {
  /// Kinds of values that guides tell apart.
  enum Kind: String {
    case text = "a text", number = "a number", array = "an array", truth = "true or false"
  }

  /// The kind, where the name of the type alone tells it.
  var kind: Kind? {
    var name = text.replacing("Swift.", with: "")
    while name.hasSuffix("?") || name.hasSuffix("!") { name.removeLast() }
    return switch name {
    case "String": .text
    case "Int", "Double", "Float", "Decimal", "Foundation.Decimal": .number
    case "Bool": .truth
    default: name.hasPrefix("[") && name.hasSuffix("]") ? .array : nil
    }
  }
}
