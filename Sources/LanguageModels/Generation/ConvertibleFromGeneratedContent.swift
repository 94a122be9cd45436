/// A type whose values can be made from what a model generated.
public protocol ConvertibleFromGeneratedContent: SendableMetatype {
  /// The value that `content` stands for.
  /// - Throws: ``GeneratedContent/ParsingError`` if it stands for none.
  init(_ content: GeneratedContent) throws
}
