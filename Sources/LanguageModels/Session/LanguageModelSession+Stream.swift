// Every form of a request whose response is streamed. Those with `includeSchemaInPrompt` are of
// version 26, those with `contextOptions` of version 27; where both fit, the shorter one is taken.
// The forms with a `String` are disfavoured so that a literal is not ambiguous.

// MARK: Version 26

extension LanguageModelSession {
  /// Asks for a text, and streams it.
  public func streamResponse(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(prompt, options)
  }

  /// Asks for a text with a plain string, and streams it.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    stream(Prompt(prompt), options)
  }

  /// Asks for a text with a prompt built in a closure, and streams it.
  ///
  /// - Throws: what the closure throws; all else appears while reading.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    stream(try prompt(), options)
  }

  /// Asks for content that follows a schema, and streams it.
  public func streamResponse(
    to prompt: Prompt, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<GeneratedContent> {
    stream(
      prompt, schema: schema, options, ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }

  /// Asks for content that follows a schema with a plain string, and streams it.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<GeneratedContent> {
    stream(
      Prompt(prompt), schema: schema, options,
      ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }

  /// Asks for content that follows a schema with a prompt built in a closure, and streams it.
  ///
  /// - Throws: what the closure throws; all else appears while reading.
  public func streamResponse(
    schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<GeneratedContent> {
    stream(
      try prompt(), schema: schema, options,
      ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }

  /// Asks for a value of a type, and streams it.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(
      prompt, schema: type.generationSchema, options,
      ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }

  /// Asks for a value of a type with a plain string, and streams it.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    stream(
      Prompt(prompt), schema: type.generationSchema, options,
      ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }

  /// Asks for a value of a type with a prompt built in a closure, and streams it.
  ///
  /// - Throws: what the closure throws; all else appears while reading.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self, includeSchemaInPrompt: Bool = true,
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<Content> {
    stream(
      try prompt(), schema: type.generationSchema, options,
      ContextOptions(includeSchemaInPrompt: includeSchemaInPrompt))
  }
}

// MARK: Version 27

extension LanguageModelSession {
  /// Asks for a text, and streams it.
  public func streamResponse(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<String> {
    stream(prompt, options, contextOptions, metadata)
  }

  /// Asks for a text with a plain string, and streams it.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<String> {
    stream(Prompt(prompt), options, contextOptions, metadata)
  }

  /// Asks for a text with a prompt built in a closure, and streams it.
  ///
  /// - Throws: what the closure throws; all else appears while reading.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<String> {
    stream(try prompt(), options, contextOptions, metadata)
  }

  /// Asks for content that follows a schema, and streams it.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: Prompt, schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<GeneratedContent> {
    stream(prompt, schema: schema, options, contextOptions, metadata)
  }

  /// Asks for content that follows a schema with a plain string, and streams it.
  @_disfavoredOverload
  public func streamResponse(
    to prompt: String, schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<GeneratedContent> {
    stream(Prompt(prompt), schema: schema, options, contextOptions, metadata)
  }

  /// Asks for content that follows a schema with a prompt built in a closure, and streams it.
  ///
  /// - Throws: what the closure throws; all else appears while reading.
  @_disfavoredOverload
  public func streamResponse(
    schema: GenerationSchema, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<GeneratedContent> {
    stream(try prompt(), schema: schema, options, contextOptions, metadata)
  }

  /// Asks for a value of a type, and streams it.
  public func streamResponse<Content: Generable>(
    to prompt: Prompt, generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<Content> {
    stream(prompt, schema: type.generationSchema, options, contextOptions, metadata)
  }

  /// Asks for a value of a type with a plain string, and streams it.
  @_disfavoredOverload
  public func streamResponse<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> sending ResponseStream<Content> {
    stream(Prompt(prompt), schema: type.generationSchema, options, contextOptions, metadata)
  }

  /// Asks for a value of a type with a prompt built in a closure, and streams it.
  ///
  /// - Throws: what the closure throws; all else appears while reading.
  public func streamResponse<Content: Generable>(
    generating type: Content.Type = Content.self, options: GenerationOptions = GenerationOptions(),
    contextOptions: ContextOptions = ContextOptions(includeSchemaInPrompt: true),
    metadata: [String: any ConvertibleToGeneratedContent] = [:],
    @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> sending ResponseStream<Content> {
    stream(try prompt(), schema: type.generationSchema, options, contextOptions, metadata)
  }
}

extension LanguageModelSession {
  private func stream<Content: Generable>(
    _ prompt: Prompt, schema: GenerationSchema? = nil, _ options: GenerationOptions,
    _ contextOptions: ContextOptions = ContextOptions(),
    _ metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> ResponseStream<Content> {
    let request = SessionRequest(
      prompt: prompt, schema: schema, options: options, contextOptions: contextOptions,
      metadata: metadata.mapValues(\.generatedContent), check: { _ = try Content($0) })
    return ResponseStream(StreamSource(Result { try claim(request, isStreamed: true) }))
  }
}
