public import Foundation

/// What an executor is asked for.
public struct LanguageModelExecutorGenerationRequest: Sendable {
  /// Tells the request from others, in logs.
  public var id: UUID
  /// All that was said; it ends with a prompt, or with the outputs of tools.
  public var transcript: Transcript
  /// The tools that may be called now, whatever the instructions in the transcript list.
  public var enabledToolDefinitions: [Transcript.ToolDefinition]
  /// What the response must follow; nil for text.
  public var schema: GenerationSchema?
  /// How the response is made.
  public var generationOptions: GenerationOptions
  /// How the prompt is put before the model.
  public var contextOptions: ContextOptions
  /// Notes of the caller.
  public var metadata: [String: GeneratedContent]
  /// Whether to refuse a prompt that leaves little room for the response: there is a history of
  /// which less can be shown.
  package var needsRoomForResponse = false

  /// A request.
  public init(
    id: UUID, transcript: Transcript, enabledTools: [Transcript.ToolDefinition],
    schema: GenerationSchema? = nil, generationOptions: GenerationOptions,
    contextOptions: ContextOptions, metadata: [String: any ConvertibleToGeneratedContent]
  ) {
    self.id = id
    self.transcript = transcript
    enabledToolDefinitions = enabledTools
    self.schema = schema
    self.generationOptions = generationOptions
    self.contextOptions = contextOptions
    self.metadata = metadata.mapValues(\.generatedContent)
  }
}
