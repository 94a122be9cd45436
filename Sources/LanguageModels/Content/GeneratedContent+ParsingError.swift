public import Foundation

extension GeneratedContent {
  /// Content that is no JSON, or no value of the type that was asked for.
  public struct ParsingError: LocalizedError, Sendable {
    /// The content as it came.
    public var rawContent: String
    /// What went wrong below, if something else did.
    public var underlyingError: (any Error)?
    /// What is wrong and where.
    public var debugDescription: String

    /// An error about `rawContent`.
    public init(
      rawContent: String, underlyingError: (any Error)? = nil, debugDescription: String
    ) {
      self.rawContent = rawContent
      self.underlyingError = underlyingError
      self.debugDescription = debugDescription
    }

    /// What is wrong and where.
    public var errorDescription: String? { debugDescription }
  }
}
