/// What is asked for in one request.
struct SessionRequest: Sendable {
  var prompt: Prompt
  /// What the response must follow; nil for text.
  var schema: GenerationSchema?
  var options: GenerationOptions
  var contextOptions = ContextOptions()
  var metadata: [String: GeneratedContent] = [:]
  /// Throws where the response is no value of the type that was asked for.
  var check: @Sendable (GeneratedContent) throws -> Void = { _ in }

  /// The request as it stands in a transcript.
  var entry: Transcript.Entry {
    .prompt(
      Transcript.Prompt(
        metadata: metadata, segments: prompt.segments, options: options,
        responseFormat: schema.map(Transcript.ResponseFormat.init), contextOptions: contextOptions))
  }
}

/// What there is of a response at some moment.
struct ResponseState: Sendable {
  var content: GeneratedContent
  /// What the request has added to the transcript behind its prompt.
  var entries: ArraySlice<Transcript.Entry>
  var usage: LanguageModelSession.Usage
}
