/// Puts dynamic instructions together from the statements of a body.
@resultBuilder
public struct DynamicInstructionsBuilder {
  /// A tool that the model may call.
  public static func buildExpression<Added: Tool>(_ expression: Added) -> some DynamicInstructions {
    ToolInstructions(tools: [expression])
  }

  /// Instructions.
  public static func buildExpression<Added: DynamicInstructions>(_ expression: Added) -> Added {
    expression
  }

  /// Tools that the model may call.
  public static func buildExpression(_ tools: [any Tool]) -> some DynamicInstructions {
    ToolInstructions(tools: tools)
  }

  /// All parts, one below the other.
  @_disfavoredOverload
  public static func buildBlock<each Content: DynamicInstructions>(
    _ contents: repeat each Content
  ) -> TupleDynamicInstructions<repeat each Content> {
    TupleDynamicInstructions(repeat each contents)
  }

  /// A single part.
  public static func buildBlock<Content: DynamicInstructions>(_ content: Content) -> Content {
    content
  }

  /// Nothing.
  public static func buildBlock() -> EmptyDynamicInstructions { EmptyDynamicInstructions() }

  /// The branch of a condition that holds.
  public static func buildEither<TrueContent, FalseContent>(
    first content: TrueContent
  ) -> ConditionalDynamicInstructions<TrueContent, FalseContent> {
    ConditionalDynamicInstructions(.trueContent(content))
  }

  /// The branch of a condition that does not hold.
  public static func buildEither<TrueContent, FalseContent>(
    second content: FalseContent
  ) -> ConditionalDynamicInstructions<TrueContent, FalseContent> {
    ConditionalDynamicInstructions(.falseContent(content))
  }

  /// Nothing where a condition without an alternative does not hold.
  public static func buildOptional<Content: DynamicInstructions>(_ content: Content?) -> Content? {
    content
  }

  /// A part that only some systems have.
  public static func buildLimitedAvailability(
    _ content: some DynamicInstructions
  ) -> AnyDynamicInstructions {
    AnyDynamicInstructions(content)
  }
}
