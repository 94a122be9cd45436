/// A value that can be a part of a prompt.
public protocol PromptRepresentable {
  /// The value as a prompt.
  @PromptBuilder var promptRepresentation: Prompt { get }
}

extension Prompt: PromptRepresentable {
  /// This prompt.
  public var promptRepresentation: Prompt { self }
}

extension String {
  /// This text as a prompt.
  public var promptRepresentation: Prompt { Prompt(text: self) }

  /// This text as instructions.
  public var instructionsRepresentation: Instructions { Instructions(text: self) }
}

extension Array where Element: PromptRepresentable {
  /// The elements, each on a line of its own.
  public var promptRepresentation: Prompt {
    Prompt(text: map(\.promptRepresentation.text).joined(separator: "\n"))
  }
}

extension Array where Element: InstructionsRepresentable {
  /// The elements, each on a line of its own.
  public var instructionsRepresentation: Instructions {
    Instructions(text: map(\.instructionsRepresentation.text).joined(separator: "\n"))
  }
}

extension Optional: PromptRepresentable where Wrapped: PromptRepresentable {
  /// The value, or nothing.
  public var promptRepresentation: Prompt {
    self?.promptRepresentation ?? Prompt(text: "")
  }
}

extension Optional: InstructionsRepresentable where Wrapped: InstructionsRepresentable {
  /// The value, or nothing.
  public var instructionsRepresentation: Instructions {
    self?.instructionsRepresentation ?? Instructions(text: "")
  }
}
