/// Puts instructions together from the statements of a closure.
@resultBuilder
public struct InstructionsBuilder {
  /// All parts, one below the other.
  public static func buildBlock<each Part: InstructionsRepresentable>(
    _ components: repeat each Part
  ) -> Instructions {
    Instructions(joining: repeat each components)
  }

  /// The rounds of a loop, one below the other.
  public static func buildArray(_ instructions: [some InstructionsRepresentable]) -> Instructions {
    Instructions(joining: instructions)
  }

  /// The branch of a condition that holds.
  public static func buildEither(first component: some InstructionsRepresentable) -> Instructions {
    Instructions(component)
  }

  /// The branch of a condition that does not hold.
  public static func buildEither(second component: some InstructionsRepresentable) -> Instructions {
    Instructions(component)
  }

  /// Nothing where a condition without an alternative does not hold.
  public static func buildOptional(_ component: Instructions?) -> Instructions {
    component ?? Instructions(content: PromptContent())
  }

  /// A part that only some systems have.
  public static func buildLimitedAvailability(
    _ instructions: some InstructionsRepresentable
  ) -> Instructions {
    Instructions(instructions)
  }

  /// A value that can be part of instructions.
  @_disfavoredOverload
  public static func buildExpression<Part: InstructionsRepresentable>(_ expression: Part) -> Part {
    expression
  }

  /// Instructions inside instructions.
  public static func buildExpression(_ expression: Instructions) -> Instructions { expression }

  /// Any other value is an error of the program, and this one says so.
  @available(
    *, unavailable,
    message: "Only 'Instructions' and 'InstructionsRepresentable' values can be here."
  )
  public static func buildExpression<Other>(_ expression: Other) -> Instructions {
    Instructions(content: PromptContent())
  }
}
