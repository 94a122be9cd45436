/// A type whose values can be written as a model would generate them.
///
/// In prompts and instructions such a value stands as JSON, which makes it an example to follow.
public protocol ConvertibleToGeneratedContent: InstructionsRepresentable, PromptRepresentable {
  /// This value as content.
  var generatedContent: GeneratedContent { get }
}

extension ConvertibleToGeneratedContent {
  /// The value's JSON as part of instructions.
  public var instructionsRepresentation: Instructions {
    Instructions(text: generatedContent.jsonString)
  }

  /// The value's JSON as part of a prompt.
  public var promptRepresentation: Prompt {
    Prompt(text: generatedContent.jsonString)
  }
}
