/// A part of a rendered prompt.
package enum PromptFragment: Sendable, Equatable {
  /// Text of the template: control tokens that it spells are control tokens.
  case template(String)
  /// Text of the conversation: whatever it spells is text.
  case content(String)

  package var text: String {
    switch self {
    case .template(let text), .content(let text): text
    }
  }
}
