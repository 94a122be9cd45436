package import Foundation

/// What stands behind ``SystemLanguageModel``: a module with an engine brings it.
package protocol SystemModelProvider: Sendable {
  /// Whether the model can be used now; asked again each time.
  var availability: SystemLanguageModel.Availability { get }
  /// The languages that the model knows.
  var supportedLanguages: Set<Locale.Language> { get }
  /// Tokens that fit the context window.
  var contextSize: Int { get }
  /// The model that answers.
  ///
  /// - Throws: where the model cannot be used, with what to do about it.
  func model(for useCase: SystemLanguageModel.UseCase) throws -> any LanguageModel
  /// Tokens that something takes in a prompt.
  ///
  /// - Throws: where the model cannot be used.
  func tokenCount(of content: SystemLanguageModel.CountedContent) async throws -> Int
}

/// How a module above this one brings the provider: it makes `SystemLanguageModel` conform.
///
/// The conformance is looked up at run time, at the first use of the default model, so that no
/// program has to register anything.
package protocol SystemModelProviderSource {
  /// The provider, made once.
  static func makeSystemModelProvider() -> any SystemModelProvider
}

extension SystemLanguageModel {
  /// Something whose tokens are counted.
  package enum CountedContent: Sendable {
    /// Entries as they stand in a prompt.
    case entries([Transcript.Entry])
    /// A schema as the model reads it.
    case schema(GenerationSchema)
  }

  static let linkedProvider: (any SystemModelProvider)? = {
    let model: Any.Type = SystemLanguageModel.self
    return (model as? any SystemModelProviderSource.Type)?.makeSystemModelProvider()
  }()
}
