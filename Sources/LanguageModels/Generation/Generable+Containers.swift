extension Array: ConvertibleFromGeneratedContent where Element: ConvertibleFromGeneratedContent {
  /// The elements of the array that `content` is.
  ///
  /// A last element that is still being generated, and cannot be an `Element` yet, is left out.
  public init(_ content: GeneratedContent) throws {
    guard case .array(let elements) = content.kind else { throw content.mismatch("an array") }
    self = try elements.compactMap { element in
      element.isComplete ? try Element(element) : try? Element(element)
    }
  }
}

extension Array: ConvertibleToGeneratedContent where Element: ConvertibleToGeneratedContent {
  /// The elements as content.
  public var generatedContent: GeneratedContent {
    GeneratedContent(kind: .array(map(\.generatedContent)))
  }
}

extension Array: Generable where Element: Generable {
  /// What is there of the elements while they are being generated.
  public typealias PartiallyGenerated = [Element.PartiallyGenerated]

  /// Arrays of any number of elements.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(SchemaNode(.array(ArraySchema(element: SchemaNode(type: Element.self)))))
  }
}

extension Optional: ConvertibleToGeneratedContent
where Wrapped: ConvertibleToGeneratedContent {
  /// The value as content, and null for nil.
  public var generatedContent: GeneratedContent {
    self?.generatedContent ?? GeneratedContent(kind: .null)
  }
}

extension Optional where Wrapped: Generable {
  /// What is there of the value while it is being generated.
  public typealias PartiallyGenerated = Wrapped.PartiallyGenerated
}
