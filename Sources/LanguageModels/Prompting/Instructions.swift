/// How a model is to behave.
public struct Instructions: Sendable {
  package var text: String

  package init(text: String) {
    self.text = text
  }

  /// Instructions of `content`.
  public init(_ content: some InstructionsRepresentable) {
    self = content.instructionsRepresentation
  }

  /// Instructions of the parts in `content`.
  public init(@InstructionsBuilder _ content: () throws -> Instructions) rethrows {
    self = try content()
  }
}
