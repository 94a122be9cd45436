/// What a model is asked.
public struct Prompt: Sendable {
  package var text: String

  package init(text: String) {
    self.text = text
  }

  /// A prompt of `content`.
  public init(_ content: some PromptRepresentable) {
    self = content.promptRepresentation
  }

  /// A prompt of the parts in `content`.
  public init(@PromptBuilder _ content: () throws -> Prompt) rethrows {
    self = try content()
  }
}
