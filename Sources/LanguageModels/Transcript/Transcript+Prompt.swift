public import Foundation

extension Transcript {
  /// What a model was told about its task, and the tools it may call.
  public struct Instructions: Sendable, Identifiable, Equatable {
    /// Tells the entry from others.
    public var id: String
    /// The text in parts.
    public var segments: [Segment]
    /// The tools, as the model sees them.
    public var toolDefinitions: [ToolDefinition]

    /// Instructions with tools.
    public init(
      id: String = UUID().uuidString, segments: [Segment], toolDefinitions: [ToolDefinition]
    ) {
      self.id = id
      self.segments = segments
      self.toolDefinitions = toolDefinitions
    }
  }

  /// What a model was asked, and how it was to answer.
  public struct Prompt: Sendable, Identifiable, Equatable {
    /// Tells the entry from others.
    public var id: String
    /// The prompt in parts.
    public var segments: [Segment]
    /// How the response was to be made.
    public var options: GenerationOptions
    /// How the prompt was to be put before the model.
    public var contextOptions: ContextOptions
    /// Notes of the caller, which no model sees.
    public var metadata: [String: GeneratedContent]
    /// The schema of the response; nil for text.
    public var responseFormat: ResponseFormat?

    /// A prompt.
    public init(
      id: String = UUID().uuidString, segments: [Segment],
      options: GenerationOptions = GenerationOptions(), responseFormat: ResponseFormat? = nil
    ) {
      self.init(
        id: id, metadata: [:], segments: segments, options: options,
        responseFormat: responseFormat, contextOptions: ContextOptions())
    }

    /// A prompt with notes and options of version 27.
    public init(
      id: String = UUID().uuidString, metadata: [String: any ConvertibleToGeneratedContent] = [:],
      segments: [Segment], options: GenerationOptions = GenerationOptions(),
      responseFormat: ResponseFormat? = nil, contextOptions: ContextOptions = ContextOptions()
    ) {
      self.id = id
      self.segments = segments
      self.options = options
      self.contextOptions = contextOptions
      self.metadata = metadata.mapValues(\.generatedContent)
      self.responseFormat = responseFormat
    }
  }

  /// The schema that a response was to follow.
  public struct ResponseFormat: Sendable, Equatable {
    /// What the format is.
    public enum Kind: Sendable, Equatable {
      /// A value that follows a schema.
      case schema(GenerationSchema)

      /// Whether both are the same schema.
      public static func == (a: Kind, b: Kind) -> Bool {
        switch (a, b) {
        case (.schema(let a), .schema(let b)): a.isIdentical(to: b)
        }
      }
    }

    /// What the format is.
    public let kind: Kind

    /// The name of the schema.
    public var name: String {
      switch kind {
      case .schema(let schema): schema.name
      }
    }

    /// The format of a type's values.
    public init<Content: Generable>(type: Content.Type) { self.init(schema: type.generationSchema) }

    /// The format that a schema describes.
    public init(schema: GenerationSchema) { kind = .schema(schema) }
  }
}
