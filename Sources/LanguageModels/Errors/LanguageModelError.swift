public import Foundation

/// Why a model gave no response.
///
/// Cancelling throws `CancellationError` instead, a tool that fails
/// ``LanguageModelSession/ToolCallError``.
public enum LanguageModelError: LocalizedError {
  /// The prompt does not fit the context window, or the response has filled it.
  case contextSizeExceeded(ContextSizeExceeded)
  /// There have been too many requests.
  case rateLimited(RateLimited)
  /// The prompt or the response is against the rules of the model's provider.
  case guardrailViolation(GuardrailViolation)
  /// The model does not want to answer.
  case refusal(Refusal)
  /// The request needs something that the model cannot do.
  case unsupportedCapability(UnsupportedCapability)
  /// The transcript has entries that the model cannot take.
  case unsupportedTranscriptContent(UnsupportedTranscriptContent)
  /// The schema has a guide that does not go with its type.
  case unsupportedGenerationGuide(UnsupportedGenerationGuide)
  /// The model does not know the language.
  case unsupportedLanguageOrLocale(UnsupportedLanguageOrLocale)
  /// The model took too long.
  case timeout(Timeout)
}

extension LanguageModelError: CustomDebugStringConvertible {
  /// What exactly happened.
  public var debugDescription: String {
    switch self {
    case .contextSizeExceeded(let payload): payload.debugDescription
    case .rateLimited(let payload): payload.debugDescription
    case .guardrailViolation(let payload): payload.debugDescription
    case .refusal(let payload): payload.debugDescription
    case .unsupportedCapability(let payload): payload.debugDescription
    case .unsupportedTranscriptContent(let payload): payload.debugDescription
    case .unsupportedGenerationGuide(let payload): payload.debugDescription
    case .unsupportedLanguageOrLocale(let payload): payload.debugDescription
    case .timeout(let payload): payload.debugDescription
    }
  }

  /// What happened, and with what numbers or names.
  public var errorDescription: String? {
    switch self {
    case .contextSizeExceeded(let payload):
      "The context window of \(payload.contextSize) tokens is too small: \(payload.tokenCount) "
        + "would be needed. \(debugDescription)"
    case .rateLimited: "There have been too many requests. \(debugDescription)"
    case .guardrailViolation: "The content is against the rules of the model. \(debugDescription)"
    case .refusal: "The model does not want to answer. \(debugDescription)"
    case .unsupportedCapability: "The model cannot do this. \(debugDescription)"
    case .unsupportedTranscriptContent:
      "The model cannot take this transcript. \(debugDescription)"
    case .unsupportedGenerationGuide:
      "The schema has a guide that does not go with its type. \(debugDescription)"
    case .unsupportedLanguageOrLocale(let payload):
      "The model does not know the language \(payload.languageCode.identifier). "
        + debugDescription
    case .timeout: "The model took too long. \(debugDescription)"
    }
  }
}
