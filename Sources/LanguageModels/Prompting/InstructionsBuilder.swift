/// Puts instructions together from parts.
@resultBuilder
public struct InstructionsBuilder {
  /// All parts, each on a line of its own.
  public static func buildBlock<each Part: InstructionsRepresentable>(
    _ parts: repeat each Part
  ) -> Instructions {
    var texts: [String] = []
    for part in repeat each parts {
      let text = part.instructionsRepresentation.text
      if !text.isEmpty { texts.append(text) }
    }
    return Instructions(text: texts.joined(separator: "\n"))
  }
}
