/// Why a chat template cannot be used or did not render, and where in its source.
package enum ChatTemplateError: Error, Equatable, Sendable {
  /// The model file carries no template of this name (nil: the default one).
  case missing(name: String?)
  /// The text has no template tag in it: it is a name such as `llama2`, or plain text.
  case notATemplate(String)
  /// The source is longer than the limit, both in bytes.
  case sourceTooLarge(bytes: Int, limit: Int)
  /// An input does not have the form of a conversation.
  case input(reason: String)
  /// The source is not in the template language, or uses a statement that is refused here.
  case syntax(reason: String, SourceLocation)
  /// The template itself refuses this conversation: the text given to `raise_exception`.
  case refused(message: String, SourceLocation)
  /// A missing value was used where one is needed.
  case undefined(reason: String, SourceLocation)
  /// An operation failed: wrong types, division by zero, unknown names.
  case evaluation(reason: String, SourceLocation)
  /// The template asked for something a sandbox does not give.
  case forbidden(reason: String, SourceLocation)
  /// A limit on the work of one rendering was reached.
  case limitExceeded(ChatTemplateLimits.Limit, SourceLocation)
  /// The task that rendered was cancelled.
  case cancelled

  /// A place in the source, both counted from 1; columns count Unicode scalars.
  package struct SourceLocation: Equatable, Sendable, CustomStringConvertible {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }

    package var description: String { "\(line):\(column)" }
  }

  /// The place in the source, nil where the source as a whole is at fault.
  package var location: SourceLocation? {
    switch self {
    case .missing, .notATemplate, .sourceTooLarge, .input, .cancelled: nil
    case .syntax(_, let place), .refused(_, let place), .undefined(_, let place),
      .evaluation(_, let place), .forbidden(_, let place), .limitExceeded(_, let place):
      place
    }
  }
}

extension ChatTemplateError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing(nil):
      "The model file has no chat template. Pass a template or the name of a built-in one."
    case .missing(let name?):
      "The model file has no chat template named '\(name)'."
    case .notATemplate(let text):
      "'\(text)' is not a chat template: it has no {{ }} or {% %} in it."
        + " Pass the source of a template."
    case .sourceTooLarge(let bytes, let limit):
      "The chat template has \(bytes) bytes, more than the limit of \(limit)."
    case .input(let reason): "The input of the chat template is malformed: \(reason)."
    case .syntax(let reason, let place): "Chat template, \(place): \(reason)"
    case .refused(let message, let place):
      "The chat template refuses this conversation (\(place)): \(message)"
    case .undefined(let reason, let place): "Chat template, \(place): \(reason)"
    case .evaluation(let reason, let place): "Chat template, \(place): \(reason)"
    case .forbidden(let reason, let place): "Chat template, \(place): \(reason)"
    case .limitExceeded(let limit, let place): "Chat template, \(place): \(limit.description)"
    case .cancelled: "Rendering the chat template was cancelled."
    }
  }
}

/// A failure inside an operation that does not know its place; the evaluator adds it.
enum TemplateFailure: Error, Equatable {
  case refused(String)
  case undefined(String)
  case evaluation(String)
  case forbidden(String)
  case limit(ChatTemplateLimits.Limit)
  case cancelled

  func located(_ place: ChatTemplateError.SourceLocation) -> ChatTemplateError {
    switch self {
    case .refused(let message): .refused(message: message, place)
    case .undefined(let reason): .undefined(reason: reason, place)
    case .evaluation(let reason): .evaluation(reason: reason, place)
    case .forbidden(let reason): .forbidden(reason: reason, place)
    case .limit(let limit): .limitExceeded(limit, place)
    case .cancelled: .cancelled
    }
  }
}
