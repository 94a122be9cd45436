internal import Foundation

/// Tells a generated value from others while it is being generated.
///
/// An identifier stays the same in all snapshots of one response, and never returns in another.
public struct GenerationID: Sendable, Hashable {
  private let response: UUID
  /// Where the value stands in its response: the steps from the root, as in a JSON pointer.
  private let path: String

  /// An identifier that no other value has.
  public init() {
    response = UUID()
    path = ""
  }

  private init(response: UUID, path: String) {
    self.response = response
    self.path = path
  }

  /// The identifier of the part `step` of the value that this identifier stands for.
  func appending(_ step: String) -> GenerationID {
    GenerationID(response: response, path: path + "/" + step)
  }
}
