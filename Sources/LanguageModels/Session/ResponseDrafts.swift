internal import Foundation

/// An entry of a transcript while it is being generated.
enum Draft {
  case response(TextDraft)
  case reasoning(TextDraft)
  case toolCalls(CallsDraft)

  var id: String {
    switch self {
    case .response(let draft), .reasoning(let draft): draft.id
    case .toolCalls(let draft): draft.id
    }
  }

  var isResponse: Bool { if case .response = self { true } else { false } }
  var isReasoning: Bool { if case .reasoning = self { true } else { false } }
  var isToolCalls: Bool { if case .toolCalls = self { true } else { false } }
}

/// A response, or thoughts, while they are being generated.
struct TextDraft {
  enum Segment {
    case text(id: String, String)
    case attachment(Transcript.AttachmentSegment)

    var id: String {
      switch self {
      case .text(let id, _): id
      case .attachment(let segment): segment.id
      }
    }

    var isAttachment: Bool { if case .attachment = self { true } else { false } }
  }

  let id: String
  var segments: [Segment] = []
  var metadata: [String: GeneratedContent] = [:]
  var signature: Data?
  /// What the text says as JSON, once somebody has read it.
  var content: GeneratedContent?

  init(id: String) { self.id = id }

  mutating func append(_ text: String, segmentID: String?) {
    content = nil
    let (id, index) = textSegment(segmentID)
    guard case .text(_, var whole) = segments[index] else { return }
    // Taken out first, so that the text grows in place.
    segments[index] = .text(id: id, "")
    whole += text
    segments[index] = .text(id: id, whole)
  }

  mutating func replace(_ text: String, segmentID: String?) {
    content = nil
    let (id, index) = textSegment(segmentID)
    segments[index] = .text(id: id, text)
  }

  /// The segment of that name, else the last one if it is text, else a new one.
  private mutating func textSegment(_ id: String?) -> (id: String, index: Int) {
    let index =
      if let id {
        segments.firstIndex { !$0.isAttachment && $0.id == id }
      } else {
        segments.indices.last.flatMap { segments[$0].isAttachment ? nil : $0 }
      }
    if let index { return (segments[index].id, index) }
    let id = id ?? UUID().uuidString
    segments.append(.text(id: id, ""))
    return (id, segments.endIndex - 1)
  }

  func text(separator: String) -> String {
    let texts = segments.compactMap { segment in
      if case .text(_, let text) = segment { text } else { nil }
    }
    return texts.joined(separator: separator)
  }

  var transcriptSegments: [Transcript.Segment] {
    segments.map { segment in
      switch segment {
      case .text(let id, let text): .text(.init(id: id, content: text))
      case .attachment(let segment): .attachment(segment)
      }
    }
  }
}

/// Calls of tools while they are being generated.
struct CallsDraft {
  struct Call {
    let id: String
    let name: String
    var arguments = ""
    var metadata: [String: GeneratedContent] = [:]

    func call() throws -> Transcript.ToolCall {
      // A tool without arguments may be called with nothing at all.
      let content = try GeneratedContent(json: arguments.isEmpty ? "{}" : arguments)
      guard content.isComplete else {
        throw GeneratedContent.ParsingError(
          rawContent: arguments,
          debugDescription: "the arguments for the tool “\(name)” end early")
      }
      return Transcript.ToolCall(
        id: id, metadata: metadata, toolName: name, arguments: content)
    }

    /// The call with as much of its arguments as can be read.
    var callSoFar: Transcript.ToolCall {
      let content = try? GeneratedContent(json: arguments)
      return Transcript.ToolCall(
        id: id, metadata: metadata, toolName: name,
        arguments: content ?? GeneratedContent(kind: .string(arguments)))
    }
  }

  let id: String
  var calls: [Call] = []

  init(id: String) { self.id = id }

  mutating func update(_ id: String, _ name: String, _ change: (inout Call) -> Void) {
    if let index = calls.firstIndex(where: { $0.id == id }) {
      change(&calls[index])
    } else {
      var call = Call(id: id, name: name)
      change(&call)
      calls.append(call)
    }
  }
}
