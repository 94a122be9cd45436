internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// What a macro cannot do, in a sentence for the author of the code.
struct MacroProblem: Error, DiagnosticMessage {
  let message: String
  let node: Syntax

  init(_ message: String, at node: some SyntaxProtocol) {
    self.message = message
    self.node = Syntax(node)
  }

  var severity: DiagnosticSeverity { .error }
  var diagnosticID: MessageID { MessageID(domain: "LanguageModelMacros", id: "problem") }
}

extension MacroExpansionContext {
  func report(_ problem: MacroProblem) {
    diagnose(Diagnostic(node: problem.node, message: problem))
  }
}
