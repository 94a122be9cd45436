/// Names an image that is attached somewhere in a transcript.
public struct ImageReference: Sendable, Equatable {
  /// The label of the attachment.
  public let attachmentLabel: String

  /// The image of that label; the last one where there are several.
  ///
  /// - Parameter transcript: where to look.
  /// - Returns: the image, or nil where none has this label.
  public func resolve(in transcript: Transcript) -> Transcript.ImageAttachment? {
    for entry in transcript.reversed() {
      for case .attachment(let segment) in entry.segments where segment.label == attachmentLabel {
        guard case .image(let image) = segment.content else { continue }
        return image
      }
    }
    return nil
  }
}

extension ImageReference: Generable {
  /// An image reference while it is being generated.
  public struct PartiallyGenerated: Identifiable, ConvertibleFromGeneratedContent, Equatable {
    /// Stays the same within a response.
    public var id: GenerationID
    /// The label, as far as it is there.
    public var attachmentLabel: String?

    /// Reads what is there.
    ///
    /// - Throws: `GeneratedContent.ParsingError` when it is no structure.
    public init(_ content: GeneratedContent) throws {
      id = content.id ?? GenerationID()
      attachmentLabel = try content.value(forProperty: "attachmentLabel")
    }
  }

  /// A structure with the label.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Self.self,
      properties: [
        GenerationSchema.Property(
          name: "attachmentLabel", description: "The label of an image.", type: String.self)
      ])
  }

  /// Reads a generated reference.
  ///
  /// - Throws: `GeneratedContent.ParsingError` when the label is missing.
  public init(_ content: GeneratedContent) throws {
    attachmentLabel = try content.value(forProperty: "attachmentLabel")
  }

  /// The label as a structure.
  public var generatedContent: GeneratedContent {
    GeneratedContent(properties: ["attachmentLabel": attachmentLabel])
  }
}
