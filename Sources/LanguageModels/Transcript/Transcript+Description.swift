internal import Foundation

extension Transcript.Entry: CustomStringConvertible {
  /// Who speaks, and what.
  public var description: String {
    switch self {
    case .instructions(let entry): "Instructions: \(entry)"
    case .prompt(let entry): "Prompt: \(entry)"
    case .toolCalls(let entry): "ToolCalls: \(entry)"
    case .toolOutput(let entry): "ToolOutput: \(entry)"
    case .response(let entry): "Response: \(entry)"
    case .reasoning(let entry): "Reasoning: \(entry)"
    }
  }
}

extension Transcript.Segment: CustomStringConvertible {
  /// The text, the JSON or the place of the attachment.
  public var description: String {
    switch self {
    case .text(let segment): segment.description
    case .structure(let segment): segment.description
    case .attachment(let segment): segment.description
    }
  }
}

extension Transcript.TextSegment: CustomStringConvertible {
  /// The text.
  public var description: String { content }
}

extension Transcript.StructuredSegment: CustomStringConvertible {
  /// The value as JSON.
  public var description: String { content.jsonString }
}

extension Transcript.AttachmentSegment: CustomStringConvertible {
  /// The label, else where the attachment is.
  public var description: String {
    switch content {
    case .image(let image): "<image \(label ?? image.url?.absoluteString ?? id)>"
    }
  }
}

extension Transcript.Instructions: CustomStringConvertible {
  /// The text, and the names of the tools.
  public var description: String {
    let tools = toolDefinitions.map(\.name).joined(separator: ", ")
    return segments.joinedDescription + (tools.isEmpty ? "" : "\nTools: \(tools)")
  }
}

extension Transcript.Prompt: CustomStringConvertible {
  /// The text.
  public var description: String { segments.joinedDescription }
}

extension Transcript.ResponseFormat: CustomStringConvertible {
  /// The name of the schema.
  public var description: String { name }
}

extension Transcript.ToolCalls: CustomStringConvertible {
  /// The calls, a line each.
  public var description: String { map(\.description).joined(separator: "\n") }
}

extension Transcript.ToolCall: CustomStringConvertible {
  /// The name of the tool with the arguments as JSON.
  public var description: String { "\(toolName)(\(arguments.jsonString))" }
}

extension Transcript.ToolOutput: CustomStringConvertible {
  /// The name of the tool and its output.
  public var description: String { "\(toolName): \(segments.joinedDescription)" }
}

extension Transcript.Response: CustomStringConvertible {
  /// The text.
  public var description: String { segments.joinedDescription }
}

extension Transcript.Reasoning: CustomStringConvertible {
  /// The text.
  public var description: String { segments.joinedDescription }
}

extension [Transcript.Segment] {
  fileprivate var joinedDescription: String { map(\.description).joined(separator: "\n") }
}
