public import Foundation

extension LanguageModelSession {
  /// Why a model gave no response, as version 26 has it.
  ///
  /// Requests throw these only where ``errorFamily-swift.property`` says so. Any error can be turned
  /// into one with ``init(_:)``.
  public enum GenerationError: Swift.Error, LocalizedError {
    /// The prompt does not fit the context window, or the response has filled it.
    case exceededContextWindowSize(Context)
    /// The model is not there.
    case assetsUnavailable(Context)
    /// The prompt or the response is against the rules of the model's provider.
    case guardrailViolation(Context)
    /// The schema has a guide that does not go with its type.
    case unsupportedGuide(Context)
    /// The model does not know the language.
    case unsupportedLanguageOrLocale(Context)
    /// The response is no value of the type that was asked for.
    case decodingFailure(Context)
    /// There have been too many requests.
    case rateLimited(Context)
    /// A request was made while another one is being answered.
    case concurrentRequests(Context)
    /// The model does not want to answer.
    case refusal(Refusal, Context)

    /// What exactly happened.
    public struct Context: Sendable {
      /// What exactly happened.
      public let debugDescription: String

      /// A description.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// What the model says about a refusal.
    public struct Refusal: Sendable {
      private let text: String

      /// A refusal with what the model said in place of a response.
      public init(transcriptEntries: [Transcript.Entry]) {
        let responses = transcriptEntries.compactMap { entry in
          if case .response(let response) = entry { response } else { nil }
        }
        text = responses.last?.segments.compactMap(\.text).joined(separator: "\n") ?? ""
      }

      init(text: String) { self.text = text }

      /// What the model says about it.
      public var explanation: Response<String> {
        get async throws { try await explanationStream.collect() }
      }

      /// What the model says about it, as a stream.
      public var explanationStream: ResponseStream<String> { ResponseStream(saying: text) }
    }
  }
}

extension LanguageModelSession.GenerationError {
  private var context: Context {
    switch self {
    case .exceededContextWindowSize(let context), .assetsUnavailable(let context),
      .guardrailViolation(let context), .unsupportedGuide(let context),
      .unsupportedLanguageOrLocale(let context), .decodingFailure(let context),
      .rateLimited(let context), .concurrentRequests(let context), .refusal(_, let context):
      context
    }
  }

  /// What happened.
  public var errorDescription: String? { context.debugDescription }

  /// What exactly happened.
  public var failureReason: String? { context.debugDescription }

  /// What to do.
  public var recoverySuggestion: String? {
    switch self {
    case .exceededContextWindowSize: "Start a new session, or shorten the prompt or the history."
    case .assetsUnavailable: "Look at the model's availability and try again when it is there."
    case .guardrailViolation, .refusal: "Ask for something else."
    case .unsupportedGuide: "Take a guide that goes with the type of its property."
    case .unsupportedLanguageOrLocale: "Use one of the model's supported languages."
    case .decodingFailure: "Try again, or allow a longer response."
    case .rateLimited: "Try again later."
    case .concurrentRequests: "Wait until isResponding is false, or use another session."
    }
  }
}
