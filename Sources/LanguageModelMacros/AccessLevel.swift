internal import SwiftSyntax

/// Who sees a declaration.
enum AccessLevel: Int, Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`

  /// What `modifiers` say; without a word it is internal.
  init(_ modifiers: DeclModifierListSyntax) {
    self = Self.stated(by: modifiers) ?? .internal
  }

  /// That of a type: without a word of its own, the extension decides that it stands in.
  ///
  /// - Parameters:
  ///   - declaration: the type.
  ///   - context: what is around it, the innermost first.
  init(of declaration: some DeclGroupSyntax, in context: [Syntax]) {
    let around = context.first?.as(ExtensionDeclSyntax.self)
    self =
      Self.stated(by: declaration.modifiers) ?? around.flatMap { Self.stated(by: $0.modifiers) }
      ?? .internal
  }

  private static func stated(by modifiers: DeclModifierListSyntax) -> AccessLevel? {
    let levels = modifiers.lazy.filter { $0.detail == nil }.compactMap { modifier -> AccessLevel? in
      switch modifier.name.tokenKind {
      case .keyword(.private): .private
      case .keyword(.fileprivate): .fileprivate
      case .keyword(.internal): .internal
      case .keyword(.package): .package
      case .keyword(.public): .public
      default: nil
      }
    }
    return levels.first
  }

  /// What a declaration of this level begins with.
  var modifier: String {
    switch self {
    case .private: "private "
    case .fileprivate: "fileprivate "
    case .internal: ""
    case .package: "package "
    case .public: "public "
    }
  }

  static func < (a: AccessLevel, b: AccessLevel) -> Bool { a.rawValue < b.rawValue }
}
