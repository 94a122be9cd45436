import LanguageModelMacros
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// Source code after its macros were expanded, and what they reported.
struct Expansion {
  let source: String
  /// Each as "line:column: message".
  let problems: [String]

  init(_ source: String) {
    let file = Parser.parse(source: source)
    let reports = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Sample", fullFilePath: "Sample.swift")])
    let specs: [String: MacroSpec] = [
      "Generable": MacroSpec(type: GenerableMacro.self, conformances: ["Generable"]),
      "Guide": MacroSpec(type: GuideMacro.self),
      "SessionPropertyEntry": MacroSpec(type: SessionPropertyEntryMacro.self),
    ]
    let expanded = file.expand(macroSpecs: specs) { node in
      BasicMacroExpansionContext(
        sharingWith: reports, lexicalContext: node.allMacroLexicalContexts())
    }
    self.source = expanded.description
    problems = reports.diagnostics.map { diagnostic in
      let place = reports.location(
        for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Sample.swift")
      return "\(place.line):\(place.column): \(diagnostic.message)"
    }
  }

  /// The expansion without blanks, which the compiler does not care about.
  var words: String { Self.words(source) }

  static func words(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
