public import Foundation

extension Transcript {
  /// A tool as a model sees it.
  public struct ToolDefinition: Sendable, Equatable {
    /// What the model calls the tool.
    public var name: String
    /// What the tool is for.
    public var description: String
    /// The arguments that the tool takes.
    public var parameters: GenerationSchema
    /// Whether the model reads the schema of the arguments; they follow it in any case.
    package var includesSchemaInInstructions = true

    /// The definition of a tool.
    public init(name: String, description: String, parameters: GenerationSchema) {
      self.name = name
      self.description = description
      self.parameters = parameters
    }

    /// The definition of a tool as it is now.
    public init(tool: some Tool) {
      self.init(name: tool.name, description: tool.description, parameters: tool.parameters)
      includesSchemaInInstructions = tool.includesSchemaInInstructions
    }

    /// Whether both describe the same tool.
    public static func == (a: ToolDefinition, b: ToolDefinition) -> Bool {
      a.name == b.name && a.description == b.description
        && a.includesSchemaInInstructions == b.includesSchemaInInstructions
        && a.parameters.isIdentical(to: b.parameters)
    }
  }

  /// Tools that a model wants called, all at the same time.
  public struct ToolCalls: Sendable, Identifiable, Equatable {
    /// Tells the entry from others.
    public var id: String
    private var calls: [ToolCall]

    /// Some calls.
    public init<Calls: Sequence>(id: String = UUID().uuidString, _ calls: Calls)
    where Calls.Element == ToolCall {
      self.id = id
      self.calls = Array(calls)
    }
  }

  /// One call of a tool.
  public struct ToolCall: Sendable, Identifiable, Equatable {
    /// Tells the call from others; its output has the same identifier.
    public var id: String
    /// The name of the tool.
    public var toolName: String
    /// The arguments, which follow the schema of the tool.
    public var arguments: GeneratedContent
    /// Notes of the model's provider.
    public var metadata: [String: GeneratedContent]

    /// A call.
    public init(id: String, toolName: String, arguments: GeneratedContent) {
      self.init(id: id, metadata: [:], toolName: toolName, arguments: arguments)
    }

    /// A call with notes.
    public init(
      id: String, metadata: [String: any ConvertibleToGeneratedContent], toolName: String,
      arguments: GeneratedContent
    ) {
      self.id = id
      self.toolName = toolName
      self.arguments = arguments
      self.metadata = metadata.mapValues(\.generatedContent)
    }
  }

  /// What one call of a tool gave.
  public struct ToolOutput: Sendable, Identifiable, Equatable {
    /// The identifier of the call.
    public var id: String
    /// The name of the tool.
    public var toolName: String
    /// The output in parts.
    public var segments: [Segment]

    /// The output of a call.
    public init(id: String, toolName: String, segments: [Segment]) {
      self.id = id
      self.toolName = toolName
      self.segments = segments
    }
  }
}

extension Transcript.ToolCalls: RandomAccessCollection {
  /// Zero.
  public var startIndex: Int { calls.startIndex }

  /// The number of calls.
  public var endIndex: Int { calls.endIndex }

  /// One call.
  public subscript(position: Int) -> Transcript.ToolCall { calls[position] }
}
