internal import LanguageModelMacros
@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling
internal import SwiftSyntaxMacros

/// The program that the compiler starts to expand the macros of `LanguageModels`.
@main
struct Plugin: PluginProvider {
  /// The compiler asked for a macro that this plugin does not have.
  struct UnknownMacro: Error {
    var name: String
  }

  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    switch typeName {
    case "GenerableMacro": GenerableMacro.self
    case "GuideMacro": GuideMacro.self
    case "SessionPropertyEntryMacro": SessionPropertyEntryMacro.self
    default: throw UnknownMacro(name: typeName)
    }
  }

  static func main() throws {
    let connection = try StandardIOMessageConnection()
    try CompilerPluginMessageListener(connection: connection, provider: Plugin()).main()
  }
}
