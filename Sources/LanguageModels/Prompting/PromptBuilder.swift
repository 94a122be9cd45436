/// Puts prompts together from parts.
@resultBuilder
public struct PromptBuilder {
  /// All parts, each on a line of its own.
  public static func buildBlock<each Part: PromptRepresentable>(_ parts: repeat each Part) -> Prompt
  {
    var texts: [String] = []
    for part in repeat each parts {
      let text = part.promptRepresentation.text
      if !text.isEmpty { texts.append(text) }
    }
    return Prompt(text: texts.joined(separator: "\n"))
  }
}
