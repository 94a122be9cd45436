/// A part of a chat prompt, with who wrote it.
///
/// The parts of a prompt are tokenized as one text, except that control tokens are found only in
/// what the template wrote.
package struct PromptFragment: Equatable, Sendable {
  package enum Source: Sendable {
    /// The chat template: may spell control tokens.
    case template
    /// A message, a tool's answer or any other data: never becomes a control token.
    case content
  }

  package var text: String
  package var source: Source

  package init(_ text: String, _ source: Source) {
    self.text = text
    self.source = source
  }
}
