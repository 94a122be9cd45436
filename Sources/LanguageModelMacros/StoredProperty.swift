internal import SwiftSyntax

/// A stored property of a structure, with what its `@Guide` attributes say.
struct StoredProperty {
  /// The name as code spells it, in backticks where it needs them.
  let identifier: String
  let type: PropertyType
  let access: AccessLevel
  /// How far an initialiser may be seen that takes the property.
  let initializerAccess: AccessLevel
  /// What the memberwise initialiser takes where the caller gives nothing.
  let defaultValue: String?
  /// The expression for what the model is told.
  let description: String?
  /// The expressions for the rules.
  let guides: [String]

  /// The name without backticks.
  var name: String { identifier.filter { $0 != "`" } }

  /// The stored properties that `variable` declares; none for constants that have their values.
  static func properties(in variable: VariableDeclSyntax) throws(MacroProblem) -> [StoredProperty] {
    guard variable.isStoredInInstances else { return [] }
    let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    if let lazy = variable.modifiers.first(where: { $0.name.tokenKind == .keyword(.lazy) }) {
      throw MacroProblem(
        "a lazy property cannot be generated; compute it, or give it a value", at: lazy)
    }
    let guide = GuideArguments(variable.attributes)
    let access = AccessLevel(variable.modifiers)
    var result: [StoredProperty] = []
    // `var a, b: Int`: the type stands with the last name.
    var annotation: TypeSyntax?
    for binding in variable.bindings.reversed() {
      annotation = binding.typeAnnotation?.type ?? (binding.initializer == nil ? annotation : nil)
      if isConstant && binding.initializer != nil { continue }
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
        throw MacroProblem(
          "a property of a @Generable type needs a declaration of its own", at: binding.pattern)
      }
      guard pattern.identifier.text != "`self`" else {
        throw MacroProblem(
          "a property called “self” cannot be generated; give it another name", at: pattern)
      }
      let value = binding.initializer?.value
      let type: PropertyType
      if let annotation {
        type = try PropertyType(annotation)
      } else if let known = value.flatMap(PropertyType.init(of:)) {
        type = known
      } else {
        throw MacroProblem(
          "a property of a @Generable type needs a type, as in “\(pattern.identifier.text): String”",
          at: pattern)
      }
      if type.isIdentifier, let attribute = guide.attribute {
        throw MacroProblem("no model generates a GenerationID, so it takes no guide", at: attribute)
      }
      for use in guide.uses { try use.check(for: type) }
      result.append(
        StoredProperty(
          identifier: pattern.identifier.text, type: type, access: access,
          // What others can call must not use, for a default, what they cannot see.
          initializerAccess: value?.isLiteral ?? true ? access : min(access, .internal),
          defaultValue: value?.trimmedDescription ?? type.implicitValue(isConstant: isConstant),
          description: guide.description, guides: guide.guides))
    }
    return result.reversed()
  }
}

extension VariableDeclSyntax {
  /// Whether every value of the type around has this in memory: neither static nor computed.
  var isStoredInInstances: Bool {
    let isStatic = modifiers.contains {
      [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind)
    }
    return !isStatic && bindings.allSatisfy { $0.accessorBlock?.isObserving ?? true }
  }
}

extension AccessorBlockSyntax {
  /// Whether there are observers only, which leave the property stored.
  fileprivate var isObserving: Bool {
    guard case .accessors(let accessors) = accessors else { return false }
    return accessors.allSatisfy {
      [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
    }
  }
}

extension PropertyType {
  /// What a property holds that nothing was assigned to.
  fileprivate func implicitValue(isConstant: Bool) -> String? {
    if isIdentifier { return "LanguageModels.GenerationID()" }
    return isOptional && !isConstant ? "nil" : nil
  }
}

extension ExprSyntax {
  /// Whether the expression names nothing.
  fileprivate var isLiteral: Bool {
    switch kind {
    case .stringLiteralExpr, .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr,
      .nilLiteralExpr:
      true
    case .arrayExpr: self.as(ArrayExprSyntax.self)?.elements.isEmpty ?? false
    default: false
    }
  }
}

/// What the `@Guide` attributes of a property say together.
struct GuideArguments {
  private(set) var guides: [String] = []
  /// The guides as they stand in the code.
  private(set) var uses: [GuideUse] = []
  /// The first attribute.
  private(set) var attribute: AttributeSyntax?
  private var descriptions: [String] = []

  /// The expression for what all attributes tell the model.
  var description: String? {
    descriptions.count < 2
      ? descriptions.first : "[\(descriptions.joined(separator: ", "))].joined(separator: \" \")"
  }

  init(_ attributes: AttributeListSyntax) {
    for case .attribute(let attribute) in attributes where attribute.isNamed("Guide") {
      self.attribute = self.attribute ?? attribute
      guard case .argumentList(let arguments) = attribute.arguments else { continue }
      for argument in arguments {
        if argument.label?.text == "description" {
          if !argument.expression.is(NilLiteralExprSyntax.self) {
            descriptions.append(argument.expression.trimmedDescription)
          }
        } else {
          guides.append(Self.guide(argument.expression))
          uses.append(GuideUse(expression: argument.expression))
        }
      }
    }
  }

  /// The expression of a guide; a regular expression becomes one.
  private static func guide(_ expression: ExprSyntax) -> String {
    let text = expression.trimmedDescription
    let callee = expression.as(FunctionCallExprSyntax.self)?.calledExpression.trimmedDescription
    let isRegex =
      expression.is(RegexLiteralExprSyntax.self)
      || callee.map { $0 == "Regex" || $0.hasPrefix("Regex<") } ?? false
    return isRegex ? ".pattern(\(text))" : text
  }
}

extension AttributeSyntax {
  /// Whether this is the macro `name`, with or without the name of its module.
  func isNamed(_ name: String) -> Bool {
    let text = attributeName.trimmedDescription
    return text == name || text.hasSuffix("." + name)
  }
}
