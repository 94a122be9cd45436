extension LanguageModelError {
  /// The model does not want to answer.
  public struct Refusal: Sendable {
    /// What exactly happened.
    public var debugDescription: String
    /// More that the provider says.
    public var metadata: [String: any Sendable]
    /// What the model says about it.
    let text: String

    /// An error to throw.
    public init(
      explanation: String, debugDescription: String, metadata: [String: any Sendable] = [:]
    ) {
      text = explanation
      self.debugDescription = debugDescription
      self.metadata = metadata
    }

    /// What the model says about it.
    public var explanation: LanguageModelSession.Response<String> {
      get async throws { try await explanationStream.collect() }
    }

    /// What the model says about it, as a stream.
    public var explanationStream: LanguageModelSession.ResponseStream<String> {
      LanguageModelSession.ResponseStream(saying: text)
    }
  }
}
