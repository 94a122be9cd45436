public import Foundation

/// Something beside text in a prompt or instructions; only models with vision take images.
public struct Attachment<Content> {
  let attachment: Transcript.Attachment
  var label: String?

  /// The same attachment under a name that the model can refer to.
  public func label(_ label: String) -> Attachment<Content> {
    var copy = self
    copy.label = label
    return copy
  }
}

extension Attachment: Sendable {}

extension Attachment: PromptRepresentable, InstructionsRepresentable {
  /// The attachment as a prompt of its own.
  public var promptRepresentation: Prompt {
    Prompt(content: PromptContent(.attachment(attachment, label: label)))
  }

  /// The attachment as instructions of its own.
  public var instructionsRepresentation: Instructions {
    Instructions(content: PromptContent(.attachment(attachment, label: label)))
  }
}

/// The content of an attachment that is an image.
public struct ImageAttachmentContent: Sendable, Equatable {}

extension Attachment where Content == ImageAttachmentContent {
  /// An image in a file; nothing is read until a model takes it.
  public init(imageURL: URL) {
    attachment = .image(Transcript.ImageAttachment(imageURL: imageURL))
  }
}
