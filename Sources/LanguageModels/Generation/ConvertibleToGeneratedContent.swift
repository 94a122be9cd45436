/// A type whose values can be written as a model would generate them.
///
/// In prompts and instructions such a value stands as JSON, which makes it an example to follow.
public protocol ConvertibleToGeneratedContent: InstructionsRepresentable, PromptRepresentable {
  /// This value as content.
  var generatedContent: GeneratedContent { get }
}
