public import Foundation
public import Observation

/// Apple's model in its data centres, which no device of this kind reaches.
///
/// Code that asks whether it is there compiles and takes its other way.
public final class PrivateCloudComputeLanguageModel: Sendable {
  /// The model.
  public init() {}

  /// Whether the model can be used.
  @frozen
  public enum Availability: Equatable, Sendable {
    /// The model can be used.
    case available
    /// The model cannot be used, for a reason.
    case unavailable(UnavailableReason)

    /// Why the model cannot be used.
    public enum UnavailableReason: Hashable, Sendable {
      /// The device has no access.
      case deviceNotEligible
      /// The system is not ready yet.
      case systemNotReady
    }
  }

  /// Never available here.
  public var availability: Availability { .unavailable(.deviceNotEligible) }

  /// False.
  public var isAvailable: Bool { false }

  /// None.
  public var supportedLanguages: Set<Locale.Language> { [] }

  /// False.
  public func supportsLocale(_ locale: Locale = Locale.current) -> Bool { false }

  /// Tokens that fit the context window.
  public var contextSize: Int {
    get async throws { throw Error.notHere }
  }

  /// How much of an allowance is used.
  public var quotaUsage: QuotaUsage { QuotaUsage() }

  /// How much of an allowance is used; here there is nothing to use.
  public struct QuotaUsage: Sendable {
    /// Whether requests are still taken.
    public enum Status: Sendable {
      /// They are.
      case belowLimit(BelowLimit)
      /// They are not.
      case limitReached(LimitReached)

      /// Requests are taken.
      public struct BelowLimit: Sendable {
        /// Whether not many more are.
        public var isApproachingLimit = false
      }

      /// Requests are not taken.
      public struct LimitReached: Sendable {}
    }

    /// How to get a larger allowance.
    public struct LimitIncreaseSuggestion: Sendable {
      /// Shows the user where to get it; here there is nothing to show.
      public func show() {}
    }

    /// Whether requests are still taken.
    public var status: Status { .belowLimit(.init()) }
    /// How to get a larger allowance.
    public var limitIncreaseSuggestion: LimitIncreaseSuggestion? { nil }
    /// When the allowance is renewed.
    public var resetDate: Date? { nil }
    /// Whether the allowance is used up.
    public var isLimitReached: Bool { false }
  }

  /// Why a request failed.
  public enum Error: LocalizedError {
    /// The network did not reach the model.
    case networkFailure(NetworkFailure)
    /// The allowance is used up.
    case quotaLimitReached(QuotaLimitReached)
    /// The model is not there.
    case serviceUnavailable(ServiceUnavailable)

    /// The network did not reach the model.
    public struct NetworkFailure: Sendable {
      /// What exactly happened.
      public var debugDescription: String

      /// An error to throw.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// The allowance is used up.
    public struct QuotaLimitReached: Sendable {
      /// How to get a larger allowance.
      public var limitIncreaseSuggestion: QuotaUsage.LimitIncreaseSuggestion?
      /// When the allowance is renewed.
      public var resetDate: Date?
      /// What exactly happened.
      public var debugDescription: String

      /// An error to throw.
      public init(
        limitIncreaseSuggestion: QuotaUsage.LimitIncreaseSuggestion? = nil,
        resetDate: Date? = nil, debugDescription: String
      ) {
        self.limitIncreaseSuggestion = limitIncreaseSuggestion
        self.resetDate = resetDate
        self.debugDescription = debugDescription
      }
    }

    /// The model is not there.
    public struct ServiceUnavailable: Sendable {
      /// What exactly happened.
      public var debugDescription: String

      /// An error to throw.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    static let notHere = Error.serviceUnavailable(
      .init(debugDescription: "Private Cloud Compute cannot be reached from this device."))

    /// What happened.
    public var errorDescription: String? { debugDescription }
  }
}

extension PrivateCloudComputeLanguageModel.Error: CustomDebugStringConvertible {
  /// What exactly happened.
  public var debugDescription: String {
    switch self {
    case .networkFailure(let payload): payload.debugDescription
    case .quotaLimitReached(let payload): payload.debugDescription
    case .serviceUnavailable(let payload): payload.debugDescription
    }
  }
}

extension PrivateCloudComputeLanguageModel: Observable {}

extension PrivateCloudComputeLanguageModel: LanguageModel {
  /// What the model could do.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.vision, .guidedGeneration, .reasoning, .toolCalling])
  }

  /// The same for all.
  public var executorConfiguration: Executor.Configuration { .init() }

  /// Refuses requests.
  public struct Executor: LanguageModelExecutor {
    /// The same for all.
    public struct Configuration: Hashable, Sendable {}

    /// An executor.
    public init(configuration: Configuration) {}

    /// Refuses a request.
    ///
    /// - Throws: ``PrivateCloudComputeLanguageModel/Error/serviceUnavailable(_:)``.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest,
      model: PrivateCloudComputeLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      throw Error.notHere
    }
  }
}
