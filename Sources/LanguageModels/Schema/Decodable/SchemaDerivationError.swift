public import Foundation

/// Why no schema can be derived from a `Decodable` type.
public struct SchemaDerivationError: LocalizedError, Sendable {
  /// The type that cannot be derived.
  public let typeName: String
  /// Where it stands: coding keys from the type that was asked for.
  public let codingPath: [String]
  /// What is wrong, and what to do about it.
  public let reason: String

  init(_ type: any Any.Type, _ codingPath: [any CodingKey], _ reason: String) {
    typeName = String(describing: type)
    self.codingPath = codingPath.map(\.stringValue)
    self.reason = reason
  }

  /// What is wrong and where.
  public var errorDescription: String? {
    let place = codingPath.isEmpty ? "" : " at “\(codingPath.joined(separator: "."))”"
    return "no schema can be derived from \(typeName)\(place): \(reason)"
  }
}
