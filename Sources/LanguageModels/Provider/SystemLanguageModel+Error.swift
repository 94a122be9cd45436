public import Foundation

extension SystemLanguageModel {
  /// Why the model could not be used.
  public enum Error: LocalizedError {
    /// The model is not there, or not allowed, or does not fit.
    case assetsUnavailable(AssetsUnavailable)

    /// The model is not there, or not allowed, or does not fit.
    public struct AssetsUnavailable: Sendable {
      /// What exactly is the matter.
      public var debugDescription: String

      /// An error to throw.
      public init(debugDescription: String) { self.debugDescription = debugDescription }

      init(_ availability: Availability) {
        let reason =
          switch availability {
          case .available: "The model was not there when it was needed."
          case .unavailable(.deviceNotEligible): "This device cannot run the model."
          case .unavailable(.appleIntelligenceNotEnabled):
            "Models on this device are switched off."
          case .unavailable(.modelNotReady): "The model has not been fetched yet."
          }
        self.init(debugDescription: reason)
      }
    }

    /// What is the matter.
    public var errorDescription: String? { debugDescription }
  }
}

extension SystemLanguageModel.Error: CustomDebugStringConvertible {
  /// What exactly is the matter.
  public var debugDescription: String {
    switch self {
    case .assetsUnavailable(let payload): payload.debugDescription
    }
  }
}
