/// What a model is asked: texts, examples and attachments in order.
///
/// Texts that follow each other stand on lines of their own.
public struct Prompt: Sendable {
  let content: PromptContent

  init(content: PromptContent) { self.content = content }

  /// A prompt of one part.
  public init(_ content: some PromptRepresentable) { self = content.promptRepresentation }

  /// A prompt put together from parts.
  ///
  /// - Throws: what `content` throws.
  public init(@PromptBuilder _ content: () throws -> Prompt) rethrows { self = try content() }

  init<each Part: PromptRepresentable>(joining parts: repeat each Part) {
    var content = PromptContent()
    for part in repeat each parts { content.append(part.promptRepresentation.content) }
    self.content = content
  }

  init(joining parts: [some PromptRepresentable]) {
    var content = PromptContent()
    for part in parts { content.append(part.promptRepresentation.content) }
    self.content = content
  }

  /// The prompt as segments of a transcript.
  package var segments: [Transcript.Segment] { content.segments }
}

/// A value that can be part of a prompt.
public protocol PromptRepresentable {
  /// The value as a prompt.
  @PromptBuilder var promptRepresentation: Prompt { get }
}

extension Prompt: PromptRepresentable {
  /// The prompt itself.
  public var promptRepresentation: Prompt {
    // Without `return` the builder of the requirement would ask `self` for its representation.
    let prompt = self
    return prompt
  }
}

extension String: PromptRepresentable {
  /// The text itself.
  public var promptRepresentation: Prompt { Prompt(content: PromptContent(.text(self))) }
}

extension Array: PromptRepresentable where Element: PromptRepresentable {
  /// The elements, one below the other.
  public var promptRepresentation: Prompt { Prompt(joining: self) }
}

extension Optional: PromptRepresentable where Wrapped: PromptRepresentable {
  /// The value, or nothing.
  public var promptRepresentation: Prompt {
    self?.promptRepresentation ?? Prompt(content: PromptContent())
  }
}
