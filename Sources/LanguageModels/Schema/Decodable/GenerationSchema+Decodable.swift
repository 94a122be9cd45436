internal import Foundation

extension GenerationSchema {
  /// What values of a `Decodable` type look like in JSON, found out by letting it decode samples.
  ///
  /// Properties come in the order in which the type decodes them. Dates are texts as in RFC 3339,
  /// data are base64; ``GeneratedContent/decoded(as:)`` reads both.
  /// - Throws: ``SchemaDerivationError`` for a type whose values have no form that samples show.
  package init(decodable type: any Decodable.Type) throws {
    let recorder = SchemaRecorder()
    let root = try recorder.node(type, [])
    self.init(root, definitions: recorder.definitions)
  }
}

extension GeneratedContent {
  /// The value of a `Decodable` type that this content stands for.
  /// - Throws: What the type throws when it decodes itself.
  package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: Data(jsonString.utf8))
  }
}
