package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Guide` marks a property; ``GenerableMacro`` reads what it says.
package struct GuideMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self), variable.isStoredInInstances
    else {
      context.report(MacroProblem("@Guide works on stored properties only", at: node))
      return []
    }
    if variable.bindingSpecifier.tokenKind == .keyword(.let),
      variable.bindings.contains(where: { $0.initializer != nil })
    {
      context.report(
        MacroProblem("a constant that has its value is not generated; use var", at: node))
    }
    return []
  }
}
