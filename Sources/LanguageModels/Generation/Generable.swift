/// A type whose values a model can generate; ``Generable(description:)`` makes the conformance.
public protocol Generable: ConvertibleFromGeneratedContent, ConvertibleToGeneratedContent {
  /// What is there of a value while it is being generated.
  associatedtype PartiallyGenerated: ConvertibleFromGeneratedContent = Self

  /// What generated values must look like.
  static var generationSchema: GenerationSchema { get }
}

extension Generable {
  /// This value as one that is still being generated, with all of its parts.
  ///
  /// Traps if `PartiallyGenerated` does not accept the content of a whole value, which no conformance
  /// that the macro makes does.
  public func asPartiallyGenerated() -> PartiallyGenerated {
    do {
      return try PartiallyGenerated(generatedContent)
    } catch {
      preconditionFailure(
        "\(PartiallyGenerated.self) does not accept a whole \(Self.self): \(error)")
    }
  }
}
