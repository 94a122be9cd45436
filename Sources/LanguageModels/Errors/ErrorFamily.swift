internal import Synchronization

extension LanguageModelSession {
  /// Which types of errors requests throw; a `catch` finds only one of them.
  public enum ErrorFamily: Sendable {
    /// ``LanguageModelError``, ``Error``, `SystemLanguageModel.Error`,
    /// `GeneratedContent.ParsingError`: those of version 27.
    case languageModelError
    /// ``GenerationError``, that of version 26, for all that it has a case for.
    case generationError

    func translate(_ error: any Swift.Error) -> any Swift.Error {
      switch self {
      case .languageModelError: error
      case .generationError: GenerationError(error) ?? error
      }
    }
  }

  private static let newSessionsThrow = Mutex(ErrorFamily.languageModelError)

  /// The ``errorFamily-swift.property`` that new sessions begin with.
  ///
  /// A program whose `catch` clauses are those of version 26 sets this once, when it starts.
  public static var defaultErrorFamily: ErrorFamily {
    get { newSessionsThrow.withLock { $0 } }
    set { newSessionsThrow.withLock { $0 = newValue } }
  }
}

extension LanguageModelSession.GenerationError {
  /// An error as version 26 has it, or nil for one that it has no case for.
  public init?(_ error: any Error) {
    func context(_ error: any CustomDebugStringConvertible) -> Context {
      Context(debugDescription: error.debugDescription)
    }
    switch error {
    case let error as LanguageModelSession.GenerationError: self = error
    case let error as LanguageModelError: self.init(error, context(error))
    case LanguageModelSession.Error.concurrentRequests:
      self = .concurrentRequests(context(LanguageModelSession.Error.concurrentRequests))
    case let error as SystemLanguageModel.Error: self = .assetsUnavailable(context(error))
    case let error as GeneratedContent.ParsingError:
      self = .decodingFailure(Context(debugDescription: error.debugDescription))
    default: return nil
    }
  }

  private init?(_ error: LanguageModelError, _ context: Context) {
    switch error {
    case .contextSizeExceeded: self = .exceededContextWindowSize(context)
    case .rateLimited: self = .rateLimited(context)
    case .guardrailViolation: self = .guardrailViolation(context)
    case .refusal(let refusal): self = .refusal(Refusal(text: refusal.text), context)
    case .unsupportedGenerationGuide: self = .unsupportedGuide(context)
    case .unsupportedLanguageOrLocale: self = .unsupportedLanguageOrLocale(context)
    case .unsupportedCapability, .unsupportedTranscriptContent, .timeout: return nil
    }
  }
}
