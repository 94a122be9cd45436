extension LanguageModelSession {
  /// A whole response.
  public struct Response<Content: Generable> {
    /// The response as a value.
    public let content: Content
    /// The response as it was generated.
    public let rawContent: GeneratedContent
    /// What the request added to the transcript behind its prompt.
    public let transcriptEntries: ArraySlice<Transcript.Entry>
    /// What the request has cost.
    public let usage: Usage

    init(_ state: ResponseState) throws {
      content = try Content(state.content)
      rawContent = state.content
      transcriptEntries = state.entries
      usage = state.usage
    }
  }
}

extension LanguageModelSession.Response: Sendable where Content: Sendable {}
