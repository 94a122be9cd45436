package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Guide` marks a property; ``GenerableMacro`` reads what it says.
package struct GuideMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    []
  }
}
