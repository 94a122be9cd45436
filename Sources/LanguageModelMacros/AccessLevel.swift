internal import SwiftSyntax

/// Who sees a declaration.
enum AccessLevel: Int, Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`

  /// What `modifiers` say; without a word it is internal.
  init(_ modifiers: DeclModifierListSyntax) {
    let levels = modifiers.lazy.filter { $0.detail == nil }.compactMap { modifier -> AccessLevel? in
      switch modifier.name.tokenKind {
      case .keyword(.private): .private
      case .keyword(.fileprivate): .fileprivate
      case .keyword(.package): .package
      case .keyword(.public): .public
      default: nil
      }
    }
    self = levels.first ?? .internal
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
