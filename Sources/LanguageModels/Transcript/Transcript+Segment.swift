public import Foundation

extension Transcript {
  /// A part of an entry.
  public enum Segment: Sendable, Identifiable, Equatable {
    /// A text.
    case text(TextSegment)
    /// A value with properties or elements.
    case structure(StructuredSegment)
    /// Something beside text.
    case attachment(AttachmentSegment)

    /// The identifier of the segment inside.
    public var id: String {
      switch self {
      case .text(let segment): segment.id
      case .structure(let segment): segment.id
      case .attachment(let segment): segment.id
      }
    }

    /// The segment as a model reads it, or nil for what is no text; a structure is its JSON.
    package var text: String? {
      switch self {
      case .text(let segment): segment.content
      case .structure(let segment): segment.content.jsonString
      case .attachment: nil
      }
    }
  }

  /// A part of an entry that is text.
  public struct TextSegment: Sendable, Identifiable, Equatable {
    /// Tells the segment from others.
    public var id: String
    /// The text.
    public var content: String

    /// A text.
    public init(id: String = UUID().uuidString, content: String) {
      self.id = id
      self.content = content
    }
  }

  /// A part of an entry that is a value with properties or elements.
  public struct StructuredSegment: Sendable, Identifiable, Equatable {
    /// Tells the segment from others.
    public var id: String
    /// The name of the schema that the value follows.
    public var schemaName: String
    /// The value.
    public var content: GeneratedContent

    /// The name of the schema; what version 26 called ``schemaName``.
    public var source: String {
      get { schemaName }
      set { schemaName = newValue }
    }

    /// A value that follows a schema.
    public init(id: String = UUID().uuidString, schemaName: String, content: GeneratedContent) {
      self.id = id
      self.schemaName = schemaName
      self.content = content
    }

    /// A value that follows a schema, by the names of version 26.
    public init(id: String = UUID().uuidString, source: String, content: GeneratedContent) {
      self.init(id: id, schemaName: source, content: content)
    }
  }

  /// A part of an entry that is no text.
  public struct AttachmentSegment: Sendable, Identifiable, Equatable {
    /// Tells the segment from others.
    public var id: String
    /// What is attached.
    public var content: Attachment
    /// The name by which a model refers to it.
    public var label: String?

    /// An attachment, perhaps with a name.
    public init(id: String = UUID().uuidString, content: Attachment, label: String? = nil) {
      self.id = id
      self.content = content
      self.label = label
    }
  }

  /// Something beside text.
  public enum Attachment: Sendable, Equatable {
    /// An image.
    case image(ImageAttachment)
  }

  /// An image in a file.
  public struct ImageAttachment: Sendable, Equatable {
    /// Where the image is.
    public let url: URL?

    /// An image in a file; nothing is read until a model takes it.
    public init(imageURL: URL) { url = imageURL }
  }
}
