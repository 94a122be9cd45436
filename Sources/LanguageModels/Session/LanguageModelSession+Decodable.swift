extension LanguageModelSession {
  /// A whole response as a value of a `Decodable` type.
  public struct DecodedResponse<Value: Decodable> {
    /// The response as a value.
    public let content: Value
    /// The response as it was generated.
    public let rawContent: GeneratedContent
    /// What the request added to the transcript behind its prompt.
    public let transcriptEntries: ArraySlice<Transcript.Entry>
    /// What the request has cost.
    public let usage: Usage
  }

  /// Asks for a value of a type that is only `Decodable`.
  ///
  /// Its schema is found out by letting the type decode samples.
  ///
  /// - Parameters:
  ///   - prompt: what is asked.
  ///   - type: the type of the value.
  ///   - includeSchemaInPrompt: whether the model reads the schema, which it follows in any case.
  ///   - options: how the response is made.
  /// - Returns: the response.
  /// - Throws: ``SchemaDerivationError`` for a type whose schema cannot be found out, and what
  ///   other requests throw.
  @discardableResult
  public nonisolated(nonsending) func respond<Value: Decodable & SendableMetatype>(
    to prompt: Prompt, decoding type: Value.Type, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> DecodedResponse<Value> {
    let request = SessionRequest(
      prompt: prompt, schema: try GenerationSchema(decodable: type), options: options,
      contextOptions: ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt),
      check: { _ = try $0.value(decoding: type) })
    let state = try await claim(request, isStreamed: false).response()
    return DecodedResponse(
      content: try state.content.value(decoding: type), rawContent: state.content,
      transcriptEntries: state.entries, usage: state.usage)
  }

  /// Asks for a value of a type that is only `Decodable`, with a plain string.
  ///
  /// - Throws: as the form with a ``Prompt`` does.
  @discardableResult
  @_disfavoredOverload
  public nonisolated(nonsending) func respond<Value: Decodable & SendableMetatype>(
    to prompt: String, decoding type: Value.Type, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> DecodedResponse<Value> {
    try await respond(
      to: Prompt(prompt), decoding: type, includeSchemaInPrompt: includeSchemaInPrompt,
      options: options)
  }

  /// Asks for a value of a type that is only `Decodable`, with a prompt built in a closure.
  ///
  /// - Throws: as the form with a ``Prompt`` does.
  @discardableResult
  public nonisolated(nonsending) func respond<Value: Decodable & SendableMetatype>(
    decoding type: Value.Type, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> DecodedResponse<Value> {
    try await respond(
      to: prompt(), decoding: type, includeSchemaInPrompt: includeSchemaInPrompt, options: options)
  }
}

extension LanguageModelSession.DecodedResponse: Sendable where Value: Sendable {}

extension GeneratedContent {
  /// The value that this content stands for.
  ///
  /// - Throws: ``ParsingError`` with what the type throws.
  fileprivate func value<Value: Decodable>(decoding type: Value.Type) throws -> Value {
    do {
      return try decoded(as: type)
    } catch {
      throw ParsingError(
        rawContent: jsonString, underlyingError: error,
        debugDescription: "this is no \(type): \(error)")
    }
  }
}
