package import SwiftSyntax
internal import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@SessionPropertyEntry` stores a property of `SessionPropertyValues` under a key of its own.
package struct SessionPropertyEntryMacro: AccessorMacro, PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let entry = Entry(declaration, report: { _ in }) else { return [] }
    return [
      "get { self[\(raw: entry.key).self] }", "set { self[\(raw: entry.key).self] = newValue }",
    ]
  }

  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let entry = Entry(declaration, report: { context.report($0) }) else { return [] }
    return [
      """
      private nonisolated enum \(raw: entry.key): LanguageModels.SessionPropertyKey {
        static var defaultValue: \(raw: entry.type) { \(raw: entry.value) }
      }
      """
    ]
  }

  /// The property that the attribute stands at.
  private struct Entry {
    let key: String
    let type: String
    let value: String

    init?(_ declaration: some DeclSyntaxProtocol, report: (MacroProblem) -> Void) {
      guard let variable = declaration.as(VariableDeclSyntax.self),
        variable.bindingSpecifier.tokenKind == .keyword(.var), variable.isStoredInInstances,
        variable.bindings.count == 1, let binding = variable.bindings.first,
        let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
      else {
        report(MacroProblem("@SessionPropertyEntry works on a single var only", at: declaration))
        return nil
      }
      let annotation = binding.typeAnnotation?.type
      guard let type = annotation?.trimmedDescription else {
        report(MacroProblem("a session property needs a type", at: pattern))
        return nil
      }
      let isOptional = annotation?.is(OptionalTypeSyntax.self) ?? false
      guard
        let value = binding.initializer?.value.trimmedDescription ?? (isOptional ? "nil" : nil)
      else {
        report(MacroProblem("a session property needs a default value", at: pattern))
        return nil
      }
      key = "__Key_" + pattern.identifier.text.filter { $0 != "`" }
      self.type = type
      self.value = value
    }
  }
}
