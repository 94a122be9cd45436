public import Foundation

extension SystemLanguageModel {
  /// Weights that change what the model is good at; on this device there are none.
  ///
  /// Both initialisers throw, so there is never an adapter to do anything with.
  public struct Adapter: Sendable {
    /// Opens the adapter in a file.
    ///
    /// - Throws: ``AssetError/invalidAsset(_:)``, always.
    public init(fileURL: URL) throws {
      throw AssetError.invalidAsset(
        .init(
          debugDescription: "“\(fileURL.lastPathComponent)” cannot be used: models on this device "
            + "take no adapters."))
    }

    /// Opens an adapter that was downloaded.
    ///
    /// - Throws: ``AssetError/compatibleAdapterNotFound(_:)``, always.
    public init(name: String) throws {
      throw AssetError.compatibleAdapterNotFound(
        .init(debugDescription: "There is no adapter “\(name)”: models on this device take none."))
    }

    /// What the maker of the adapter says.
    public var creatorDefinedMetadata: [String: Any] { [:] }

    /// Gets the adapter ready for use.
    ///
    /// - Throws: nothing.
    @concurrent public func compile() async throws {}

    /// The downloaded adapters of a name, of which there are none.
    public static func compatibleAdapterIdentifiers(name: String) -> [String] { [] }

    /// Removes adapters of earlier models, of which there are none.
    ///
    /// - Throws: nothing.
    public static func removeObsoleteAdapters() throws {}

    /// Why an adapter cannot be used.
    public enum AssetError: Swift.Error, LocalizedError {
      /// The file is no adapter for this model.
      case invalidAsset(Context)
      /// The name is none that an adapter can have.
      case invalidAdapterName(Context)
      /// There is no adapter of this name for this model.
      case compatibleAdapterNotFound(Context)

      /// What exactly is the matter.
      public struct Context: Sendable {
        /// What exactly is the matter.
        public let debugDescription: String

        /// A description.
        public init(debugDescription: String) { self.debugDescription = debugDescription }
      }

      /// What is the matter.
      public var errorDescription: String? {
        switch self {
        case .invalidAsset(let context), .invalidAdapterName(let context),
          .compatibleAdapterNotFound(let context):
          context.debugDescription
        }
      }

      /// What to do.
      public var recoverySuggestion: String? { "Use the model without an adapter." }
    }
  }
}
