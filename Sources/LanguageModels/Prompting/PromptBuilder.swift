/// Puts a prompt together from the statements of a closure.
@resultBuilder
public struct PromptBuilder {
  /// All parts, one below the other.
  public static func buildBlock<each Part: PromptRepresentable>(
    _ components: repeat each Part
  ) -> Prompt {
    Prompt(joining: repeat each components)
  }

  /// The rounds of a loop, one below the other.
  public static func buildArray(_ prompts: [some PromptRepresentable]) -> Prompt {
    Prompt(joining: prompts)
  }

  /// The branch of a condition that holds.
  public static func buildEither(first component: some PromptRepresentable) -> Prompt {
    Prompt(component)
  }

  /// The branch of a condition that does not hold.
  public static func buildEither(second component: some PromptRepresentable) -> Prompt {
    Prompt(component)
  }

  /// Nothing where a condition without an alternative does not hold.
  public static func buildOptional(_ component: Prompt?) -> Prompt {
    component ?? Prompt(content: PromptContent())
  }

  /// A part that only some systems have.
  public static func buildLimitedAvailability(_ prompt: some PromptRepresentable) -> Prompt {
    Prompt(prompt)
  }

  /// A value that can be part of a prompt.
  @_disfavoredOverload
  public static func buildExpression<Part: PromptRepresentable>(_ expression: Part) -> Part {
    expression
  }

  /// A prompt inside a prompt.
  public static func buildExpression(_ expression: Prompt) -> Prompt { expression }

  /// Any other value is an error of the program, and this one says so.
  @available(*, unavailable, message: "Only 'Prompt' and 'PromptRepresentable' values can be here.")
  public static func buildExpression<Other>(_ expression: Other) -> Prompt {
    Prompt(content: PromptContent())
  }
}
