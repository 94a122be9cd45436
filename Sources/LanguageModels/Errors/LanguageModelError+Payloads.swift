public import Foundation

// What the cases of the error carry.

extension LanguageModelError {
  /// The prompt does not fit the context window, or the response has filled it.
  public struct ContextSizeExceeded: Sendable {
    /// Tokens that fit the window.
    public var contextSize: Int
    /// Tokens that would be needed.
    public var tokenCount: Int
    /// What exactly happened.
    public var debugDescription: String
    /// More that the provider says.
    public var metadata: [String: any Sendable]

    /// An error to throw.
    public init(
      contextSize: Int, tokenCount: Int, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.contextSize = contextSize
      self.tokenCount = tokenCount
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}

extension LanguageModelError {
  /// There have been too many requests.
  public struct RateLimited: Sendable {
    /// When requests are taken again, where that is known.
    public var resetDate: Date?
    /// What exactly happened.
    public var debugDescription: String
    /// More that the provider says.
    public var metadata: [String: any Sendable]

    /// An error to throw.
    public init(
      resetDate: Date?, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.resetDate = resetDate
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}

extension LanguageModelError {
  /// The prompt or the response is against the rules of the model's provider.
  public struct GuardrailViolation: Sendable {
    /// What exactly happened.
    public var debugDescription: String
    /// More that the provider says.
    public var metadata: [String: any Sendable]

    /// An error to throw.
    public init(
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}

extension LanguageModelError {
  /// The request needs something that the model cannot do.
  public struct UnsupportedCapability: Sendable {
    /// What the model cannot do.
    public var capability: LanguageModelCapabilities.Capability
    /// What exactly happened.
    public var debugDescription: String
    /// More that the provider says.
    public var metadata: [String: any Sendable]

    /// An error to throw.
    public init(
      capability: LanguageModelCapabilities.Capability, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.capability = capability
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}

extension LanguageModelError {
  /// The transcript has entries that the model cannot take.
  public struct UnsupportedTranscriptContent: Sendable {
    /// The entries.
    public var unsupportedContent: [Transcript.Entry]
    /// What exactly happened.
    public var debugDescription: String
    /// More that the provider says.
    public var metadata: [String: any Sendable]

    /// An error to throw.
    public init(
      unsupportedContent: [Transcript.Entry], debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.unsupportedContent = unsupportedContent
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}

extension LanguageModelError {
  /// The schema has a guide that does not go with its type.
  public struct UnsupportedGenerationGuide: Sendable {
    /// The name of the schema, where there is one.
    public var schemaName: String?
    /// What exactly happened.
    public var debugDescription: String
    /// More that the provider says.
    public var metadata: [String: any Sendable]

    /// An error to throw.
    public init(
      schemaName: String?, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.schemaName = schemaName
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}

extension LanguageModelError {
  /// The model does not know the language.
  public struct UnsupportedLanguageOrLocale: Sendable {
    /// The language.
    public var languageCode: Locale.LanguageCode
    /// What exactly happened.
    public var debugDescription: String
    /// More that the provider says.
    public var metadata: [String: any Sendable]

    /// An error to throw.
    public init(
      languageCode: Locale.LanguageCode, debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.languageCode = languageCode
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}

extension LanguageModelError {
  /// The model took too long.
  public struct Timeout: Sendable {
    /// What exactly happened.
    public var debugDescription: String
    /// More that the provider says.
    public var metadata: [String: any Sendable]

    /// An error to throw.
    public init(
      debugDescription: String,
      metadata: [String: any Sendable] = [:]
    ) {
      self.debugDescription = debugDescription
      self.metadata = metadata
    }
  }
}
