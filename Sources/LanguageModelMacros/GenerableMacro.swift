package import SwiftSyntax
internal import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Generable` makes a type conform to `Generable`.
package struct GenerableMacro: MemberMacro, ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let type = GenerableDeclaration(declaration, node, in: context.lexicalContext) {
      context.report($0)
    }
    guard let type else { return [] }
    return type.members.map { "\(raw: $0)" }
  }

  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // The members' expansion has reported what is wrong.
    let generable = GenerableDeclaration(
      declaration, node, in: context.lexicalContext, report: { _ in })
    guard let generable else { return [] }
    let conformance = protocols.isEmpty ? "" : ": LanguageModels.Generable"
    let members = generable.conversions.joined(separator: "\n\n")
    return [
      try ExtensionDeclSyntax(
        "nonisolated extension \(raw: type.trimmedDescription)\(raw: conformance) {\n\(raw: members)\n}"
      )
    ]
  }
}
