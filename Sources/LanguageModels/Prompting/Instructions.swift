/// What a model is told about its task, before anything is asked: texts and examples in order.
///
/// Texts that follow each other stand on lines of their own.
public struct Instructions: Sendable {
  let content: PromptContent

  init(content: PromptContent) { self.content = content }

  /// Instructions of one part.
  public init(_ content: some InstructionsRepresentable) {
    self = content.instructionsRepresentation
  }

  /// Instructions put together from parts.
  ///
  /// - Throws: what `content` throws.
  public init(@InstructionsBuilder _ content: () throws -> Instructions) rethrows {
    self = try content()
  }

  init<each Part: InstructionsRepresentable>(joining parts: repeat each Part) {
    var content = PromptContent()
    for part in repeat each parts { content.append(part.instructionsRepresentation.content) }
    self.content = content
  }

  init(joining parts: [some InstructionsRepresentable]) {
    var content = PromptContent()
    for part in parts { content.append(part.instructionsRepresentation.content) }
    self.content = content
  }

  /// The instructions as segments of a transcript.
  package var segments: [Transcript.Segment] { content.segments }
}

/// A value that can be part of instructions.
public protocol InstructionsRepresentable {
  /// The value as instructions.
  @InstructionsBuilder var instructionsRepresentation: Instructions { get }
}

extension Instructions: InstructionsRepresentable {
  /// The instructions themselves.
  public var instructionsRepresentation: Instructions {
    // Without `return` the builder of the requirement would ask `self` for its representation.
    let instructions = self
    return instructions
  }
}

extension String: InstructionsRepresentable {
  /// The text itself.
  public var instructionsRepresentation: Instructions {
    Instructions(content: PromptContent(.text(self)))
  }
}

extension Array: InstructionsRepresentable where Element: InstructionsRepresentable {
  /// The elements, one below the other.
  public var instructionsRepresentation: Instructions { Instructions(joining: self) }
}

extension Optional: InstructionsRepresentable where Wrapped: InstructionsRepresentable {
  /// The value, or nothing.
  public var instructionsRepresentation: Instructions {
    self?.instructionsRepresentation ?? Instructions(content: PromptContent())
  }
}
