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

/// Where a part of a rendered prompt came from.
package enum PromptOrigin: Sendable, Hashable {
  /// The template itself, with control tokens that it was given and the roles of messages.
  case template
  /// The message at this place of the conversation.
  case message(Int)
  /// The definitions of functions.
  case tools
  /// Another variable.
  case variable

  /// Whether it is not the template.
  package var isContent: Bool { self != .template }
}

/// A part of a rendered prompt with its origin.
package struct PromptPart: Sendable, Equatable {
  package var text: String
  package var origin: PromptOrigin

  package init(text: String, origin: PromptOrigin) {
    self.text = text
    self.origin = origin
  }
}
