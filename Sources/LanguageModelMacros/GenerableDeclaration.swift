internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// A type that `@Generable` stands at, as far as its conformance needs.
struct GenerableDeclaration {
  /// What kinds of types there are.
  enum Body {
    case structure([StoredProperty])
    case enumeration([EnumerationCase], hasStringValues: Bool)
  }

  let body: Body
  let access: AccessLevel
  /// Whether the type says that it is `Sendable`.
  let isSendable: Bool
  /// Argument labels of the initialisers that the type has.
  let initializers: [[String]]
  let arguments: GenerableArguments

  /// Reads `declaration`; what cannot be generated is passed to `report`, and the result is nil.
  ///
  /// - Parameters:
  ///   - declaration: the type.
  ///   - attribute: its `@Generable`.
  ///   - context: what is around the type, the innermost first.
  ///   - report: gets what is wrong.
  init?(
    _ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax, in context: [Syntax],
    report: (MacroProblem) -> Void
  ) {
    var problems: [MacroProblem] = []
    arguments = GenerableArguments(attribute)
    let names = declaration.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
    isSendable = names.contains("Sendable") || names.contains("Swift.Sendable")
    // Members of a private type need not be private themselves.
    access = max(AccessLevel(of: declaration, in: context), .internal)
    let members = declaration.memberBlock.members.map(\.decl)
    initializers = members.compactMap { $0.as(InitializerDeclSyntax.self) }.map { initializer in
      initializer.signature.parameterClause.parameters.map(\.firstName.text)
    }
    if let structure = declaration.as(StructDeclSyntax.self) {
      problems += Self.genericProblem(structure.genericParameterClause)
      body = .structure(Self.properties(in: members, &problems))
    } else if let enumeration = declaration.as(EnumDeclSyntax.self) {
      problems += Self.genericProblem(enumeration.genericParameterClause)
      let cases = Self.cases(in: members, &problems)
      if cases.isEmpty && problems.isEmpty {
        problems.append(MacroProblem("there is no case to generate", at: enumeration.name))
      }
      let hasStringValues = Self.hasStringValues(members, names)
      body = .enumeration(cases, hasStringValues: hasStringValues)
    } else {
      body = .structure([])
      problems.append(
        MacroProblem(
          "@Generable works on structures and enumerations only", at: declaration.introducer))
    }
    problems.forEach(report)
    if !problems.isEmpty { return nil }
  }

  private static func genericProblem(_ clause: GenericParameterClauseSyntax?) -> [MacroProblem] {
    guard let clause else { return [] }
    return [
      MacroProblem(
        "a generic type cannot be @Generable; write one type for each use", at: clause)
    ]
  }

  /// Whether the raw values of an enumeration are strings, perhaps under another name of the type.
  private static func hasStringValues(_ members: [DeclSyntax], _ inherited: [String]) -> Bool {
    let name = inherited.first.map { $0.replacing("Swift.", with: "") }
    if name == "String" { return true }
    guard !["Character", "Unicode.Scalar", "StaticString", "Substring"].contains(name) else {
      return false
    }
    return members.compactMap { $0.as(EnumCaseDeclSyntax.self) }.flatMap(\.elements)
      .contains { $0.rawValue?.value.is(StringLiteralExprSyntax.self) ?? false }
  }

  private static func properties(
    in members: [DeclSyntax], _ problems: inout [MacroProblem]
  ) -> [StoredProperty] {
    var result: [StoredProperty] = []
    for member in members {
      if let condition = member.as(IfConfigDeclSyntax.self), condition.declaresStorage {
        problems.append(
          MacroProblem(
            "a property of a @Generable type cannot stand inside #if", at: condition))
      }
      guard let variable = member.as(VariableDeclSyntax.self) else { continue }
      do throws(MacroProblem) {
        result += try StoredProperty.properties(in: variable)
      } catch {
        problems.append(error)
      }
    }
    return result
  }

  private static func cases(
    in members: [DeclSyntax], _ problems: inout [MacroProblem]
  ) -> [EnumerationCase] {
    var result: [EnumerationCase] = []
    for member in members {
      if let condition = member.as(IfConfigDeclSyntax.self), condition.declaresStorage {
        problems.append(
          MacroProblem("a case of a @Generable type cannot stand inside #if", at: condition))
      }
      for element in member.as(EnumCaseDeclSyntax.self)?.elements ?? [] {
        do throws(MacroProblem) {
          result.append(try EnumerationCase(element))
        } catch {
          problems.append(error)
        }
      }
    }
    return result
  }
}

/// The arguments of a `@Generable` attribute, as expressions.
struct GenerableArguments {
  private(set) var name: String?
  private(set) var description: String?
  private(set) var representsNil: String?

  init(_ attribute: AttributeSyntax) {
    guard case .argumentList(let list) = attribute.arguments else { return }
    for argument in list {
      let text = argument.expression.trimmedDescription
      switch argument.label?.text {
      case "name": name = text
      case "description": description = text == "nil" ? nil : text
      case "representNilExplicitlyInGeneratedContent": representsNil = text
      default: break
      }
    }
  }
}

extension IfConfigDeclSyntax {
  /// Whether a branch holds cases or properties in memory.
  fileprivate var declaresStorage: Bool {
    clauses.contains { clause in
      guard case .decls(let members) = clause.elements else { return false }
      return members.contains { member in
        member.decl.is(EnumCaseDeclSyntax.self)
          || member.decl.as(VariableDeclSyntax.self)?.isStoredInInstances ?? false
          || member.decl.as(IfConfigDeclSyntax.self)?.declaresStorage ?? false
      }
    }
  }
}
