// Every form of a request whose response is awaited as a whole. Those with `includeSchemaInPrompt` are of
// version 26, those with `contextOptions` of version 27; where both fit, the shorter one is taken.
// The forms with a `String` are disfavoured so that a literal is not ambiguous.

// MARK: Version 26

extension LanguageModelSession {
  /// Asks for a text.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func respond(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await response(prompt, options)
  }

  /// Asks for a text with a plain string.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  @_disfavoredOverload
  public nonisolated(nonsending) func respond(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await response(Prompt(prompt), options)
  }

  /// Asks for a text with a prompt built in a closure.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func respond(
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await response(prompt(), options)
  }

  /// Asks for content that follows a schema.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func respond(
    to prompt: Prompt, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await response(
      prompt, schema: schema, options, ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }

  /// Asks for content that follows a schema with a plain string.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  @_disfavoredOverload
  public nonisolated(nonsending) func respond(
    to prompt: String, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<GeneratedContent> {
    try await response(
      Prompt(prompt), schema: schema, options,
      ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }

  /// Asks for content that follows a schema with a prompt built in a closure.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func respond(
    schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<GeneratedContent> {
    try await response(
      prompt(), schema: schema, options,
      ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }

  /// Asks for a value of a type.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func respond<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await response(
      prompt, schema: type.generationSchema, options,
      ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }

  /// Asks for a value of a type with a plain string.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  @_disfavoredOverload
  public nonisolated(nonsending) func respond<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    try await response(
      Prompt(prompt), schema: type.generationSchema, options,
      ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }

  /// Asks for a value of a type with a prompt built in a closure.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func respond<Content: Generable>(
    generating type: Content.Type = Content.self, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<Content> {
    try await response(
      prompt(), schema: type.generationSchema, options,
      ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }
}

// MARK: Version 27

extension LanguageModelSession {
  /// Asks for a text.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func respond(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<String> {
    try await response(prompt, options, contextOptions, metadata)
  }

  /// Asks for a text with a plain string.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  @_disfavoredOverload
  public nonisolated(nonsending) func respond(
    to prompt: String, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<String> {
    try await response(Prompt(prompt), options, contextOptions, metadata)
  }

  /// Asks for a text with a prompt built in a closure.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func respond(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await response(prompt(), options, contextOptions, metadata)
  }

  /// Asks for content that follows a schema.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  @_disfavoredOverload
  public nonisolated(nonsending) func respond(
    to prompt: Prompt, schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<GeneratedContent> {
    try await response(prompt, schema: schema, options, contextOptions, metadata)
  }

  /// Asks for content that follows a schema with a plain string.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  @_disfavoredOverload
  public nonisolated(nonsending) func respond(
    to prompt: String, schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<GeneratedContent> {
    try await response(Prompt(prompt), schema: schema, options, contextOptions, metadata)
  }

  /// Asks for content that follows a schema with a prompt built in a closure.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  @_disfavoredOverload
  public nonisolated(nonsending) func respond(
    schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<GeneratedContent> {
    try await response(prompt(), schema: schema, options, contextOptions, metadata)
  }

  /// Asks for a value of a type.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func respond<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<Content> {
    try await response(prompt, schema: type.generationSchema, options, contextOptions, metadata)
  }

  /// Asks for a value of a type with a plain string.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  @_disfavoredOverload
  public nonisolated(nonsending) func respond<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<Content> {
    try await response(
      Prompt(prompt), schema: type.generationSchema, options, contextOptions, metadata)
  }

  /// Asks for a value of a type with a prompt built in a closure.
  ///
  /// - Throws: ``LanguageModelError``, ``Error``, ``ToolCallError``, `SystemLanguageModel.Error`,
  ///   `GeneratedContent.ParsingError`, or `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func respond<Content: Generable>(
    generating type: Content.Type = Content.self, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<Content> {
    try await response(prompt(), schema: type.generationSchema, options, contextOptions, metadata)
  }
}

extension LanguageModelSession {
  private nonisolated(nonsending) func response<Content: Generable>(
    _ prompt: Prompt, schema: GenerationSchema? = nil, _ options: GenerationOptions,
    _ contextOptions: ContextOptions = ContextOptions(),
    _ metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) async throws -> Response<Content> {
    let request = SessionRequest(
      prompt: prompt, schema: schema, options: options, contextOptions: contextOptions,
      metadata: metadata.mapValues(\.generatedContent), check: { _ = try Content($0) })
    return try await Response(claim(request, isStreamed: false).response())
  }
}
