internal import Foundation

extension Transcript: Codable {
  /// Reads a saved transcript.
  ///
  /// - Throws: `DecodingError` with the place of what cannot be read.
  public init(from decoder: any Decoder) throws {
    let saved = try SavedTranscript(from: decoder)
    self.init(entries: try saved.transcript.entries.map { try $0.entry() })
  }

  /// Saves the transcript; reading it again gives an equal one.
  ///
  /// - Throws: what `encoder` throws.
  public func encode(to encoder: any Encoder) throws {
    try SavedTranscript(transcript: .init(entries: map(SavedEntry.init))).encode(to: encoder)
  }
}

private struct SavedTranscript: Codable {
  struct Entries: Codable {
    var entries: [SavedEntry]
  }

  var type = "FoundationModels.Transcript"
  var version: String? = "1.1"
  var transcript: Entries

  init(transcript: Entries) { self.transcript = transcript }

  init(from decoder: any Decoder) throws {
    // Whatever version wrote it: the entries say themselves whether they can be read.
    let container = try decoder.container(keyedBy: CodingKeys.self)
    transcript = try container.decode(Entries.self, forKey: .transcript)
  }
}

/// An entry of any kind; the role and the members that are there tell which.
private struct SavedEntry: Codable {
  enum Role: String, Codable {
    case instructions, user, response, tool, reasoning
  }

  var role: Role
  var id: String?
  var contents: [SavedSegment]?
  var tools: [SavedTool]?
  var options: SavedOptions?
  var contextOptions: SavedContextOptions?
  var responseFormat: SavedFormat?
  var toolCalls: [SavedCall]?
  var toolName: String?
  var toolCallID: String?
  var assets: [String]?
  var signature: Data?
  var metadata: [String: SavedContent]?

  init(_ entry: Transcript.Entry) {
    id = entry.id
    contents = entry.segments.map(SavedSegment.init)
    switch entry {
    case .instructions(let entry):
      role = .instructions
      tools = entry.toolDefinitions.map(SavedTool.init)
    case .prompt(let entry):
      role = .user
      options = SavedOptions(entry.options)
      contextOptions = SavedContextOptions(entry.contextOptions)
      responseFormat = entry.responseFormat.map(SavedFormat.init)
      metadata = entry.metadata.mapValues(SavedContent.init)
    case .toolCalls(let entry):
      role = .response
      contents = nil
      toolCalls = entry.map(SavedCall.init)
    case .toolOutput(let entry):
      role = .tool
      toolName = entry.toolName
      toolCallID = entry.id
    case .response(let entry):
      role = .response
      assets = entry.assetIDs
      metadata = entry.metadata.mapValues(SavedContent.init)
    case .reasoning(let entry):
      role = .reasoning
      signature = entry.signature
      metadata = entry.metadata.mapValues(SavedContent.init)
    }
  }

  func entry() throws -> Transcript.Entry {
    let id = id ?? UUID().uuidString
    let segments = (contents ?? []).map(\.segment)
    let metadata = (metadata ?? [:]).mapValues(\.content)
    switch role {
    case .instructions:
      return .instructions(
        .init(id: id, segments: segments, toolDefinitions: (tools ?? []).map(\.definition)))
    case .user:
      return .prompt(
        .init(
          id: id, metadata: metadata, segments: segments,
          options: options?.options ?? GenerationOptions(),
          responseFormat: responseFormat?.format,
          contextOptions: contextOptions?.options ?? ContextOptions()))
    case .response:
      if let toolCalls { return .toolCalls(.init(id: id, toolCalls.map(\.call))) }
      var response = Transcript.Response(id: id, metadata: metadata, segments: segments)
      response.assetIDs = assets ?? []
      return .response(response)
    case .tool:
      return .toolOutput(
        .init(id: toolCallID ?? id, toolName: toolName ?? "", segments: segments))
    case .reasoning:
      return .reasoning(
        .init(id: id, metadata: metadata, segments: segments, signature: signature))
    }
  }
}

private struct SavedSegment: Codable {
  enum Kind: String, Codable {
    case text, structure, image
  }

  struct Structure: Codable {
    var source: String
    var content: SavedContent
  }

  struct Image: Codable {
    var url: URL
    var label: String?
  }

  var type: Kind
  var id: String
  private var text: String?
  private var structure: Structure?
  private var image: Image?
  let segment: Transcript.Segment

  enum CodingKeys: CodingKey {
    case type, id, text, structure, image
  }

  init(_ segment: Transcript.Segment) {
    self.segment = segment
    id = segment.id
    switch segment {
    case .text(let segment):
      type = .text
      text = segment.content
    case .structure(let segment):
      type = .structure
      structure = Structure(source: segment.schemaName, content: SavedContent(segment.content))
    case .attachment(let segment):
      type = .image
      if case .image(let attachment) = segment.content, let url = attachment.url {
        image = Image(url: url, label: segment.label)
      }
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let id = try container.decodeIfPresent(String.self, forKey: .id) ?? UUID().uuidString
    switch try container.decode(Kind.self, forKey: .type) {
    case .text:
      let text = try container.decode(String.self, forKey: .text)
      self.init(.text(.init(id: id, content: text)))
    case .structure:
      let value = try container.decode(Structure.self, forKey: .structure)
      self.init(
        .structure(.init(id: id, schemaName: value.source, content: value.content.content)))
    case .image:
      let image = try container.decode(Image.self, forKey: .image)
      self.init(
        .attachment(.init(id: id, content: .image(.init(imageURL: image.url)), label: image.label)))
    }
  }
}

private struct SavedTool: Codable {
  struct Function: Codable {
    var name: String
    var description: String
    var parameters: GenerationSchema
    var includesSchemaInInstructions: Bool?
  }

  var type: String? = "function"
  var function: Function

  init(_ definition: Transcript.ToolDefinition) {
    function = Function(
      name: definition.name, description: definition.description,
      parameters: definition.parameters,
      includesSchemaInInstructions: definition.includesSchemaInInstructions ? nil : false)
  }

  var definition: Transcript.ToolDefinition {
    var definition = Transcript.ToolDefinition(
      name: function.name, description: function.description, parameters: function.parameters)
    definition.includesSchemaInInstructions = function.includesSchemaInInstructions ?? true
    return definition
  }
}

private struct SavedCall: Codable {
  var id: String
  var name: String
  var arguments: SavedContent
  var metadata: [String: SavedContent]?

  init(_ call: Transcript.ToolCall) {
    id = call.id
    name = call.toolName
    arguments = SavedContent(call.arguments)
    metadata = call.metadata.mapValues(SavedContent.init)
  }

  var call: Transcript.ToolCall {
    Transcript.ToolCall(
      id: id, metadata: (metadata ?? [:]).mapValues(\.content), toolName: name,
      arguments: arguments.content)
  }
}

private struct SavedFormat: Codable {
  struct NamedSchema: Codable {
    var name: String?
    var schema: GenerationSchema
  }

  var type: String? = "jsonSchema"
  var jsonSchema: NamedSchema

  init(_ format: Transcript.ResponseFormat) {
    switch format.kind {
    case .schema(let schema): jsonSchema = NamedSchema(name: schema.name, schema: schema)
    }
  }

  var format: Transcript.ResponseFormat { .init(schema: jsonSchema.schema) }
}
