/// What a prompt or instructions are made of, in order.
struct PromptContent: Sendable {
  enum Part: Sendable {
    case text(String)
    case structure(GeneratedContent, schemaName: String)
    case attachment(Transcript.Attachment, label: String?)
  }

  private(set) var parts: [Part] = []

  init() {}

  init(_ part: Part) { parts = [part] }

  /// Texts that follow each other become one, a line each.
  mutating func append(_ other: PromptContent) {
    for part in other.parts {
      if case .text(let more) = part, case .text(let text)? = parts.last {
        parts[parts.count - 1] = .text(text + "\n" + more)
      } else {
        parts.append(part)
      }
    }
  }

  /// The same as segments of a transcript, each with a new identifier.
  var segments: [Transcript.Segment] {
    parts.map { part in
      switch part {
      case .text(let text):
        .text(Transcript.TextSegment(content: text))
      case .structure(let content, let schemaName):
        .structure(Transcript.StructuredSegment(schemaName: schemaName, content: content))
      case .attachment(let attachment, let label):
        .attachment(Transcript.AttachmentSegment(content: attachment, label: label))
      }
    }
  }
}

extension ConvertibleToGeneratedContent {
  /// Structures and arrays stay what they are; everything else is said as text.
  var promptContent: PromptContent {
    let content = generatedContent
    switch content.kind {
    case .structure, .array:
      return PromptContent(.structure(content, schemaName: String(describing: Self.self)))
    case .string(let text):
      return PromptContent(.text(text))
    case .null, .bool, .number:
      return PromptContent(.text(content.jsonString))
    }
  }

  /// The value as a prompt shows it: a structure as its JSON, a string as itself.
  public var promptRepresentation: Prompt { Prompt(content: promptContent) }

  /// The value as instructions show it: a structure as its JSON, a string as itself.
  public var instructionsRepresentation: Instructions { Instructions(content: promptContent) }
}
