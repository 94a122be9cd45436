/// A value that can be a part of instructions.
public protocol InstructionsRepresentable {
  /// The value as instructions.
  @InstructionsBuilder var instructionsRepresentation: Instructions { get }
}

extension Instructions: InstructionsRepresentable {
  /// These instructions.
  public var instructionsRepresentation: Instructions { self }
}
