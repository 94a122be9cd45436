extension GenerationSchema: Codable {
  /// Reads JSON Schema in the form that ``encode(to:)`` writes.
  /// - Throws: `DecodingError` for what is no schema, or has keywords that cannot be kept.
  public init(from decoder: any Decoder) throws {
    do {
      let content = try CodableContent(from: decoder).content
      self = try SchemaReader.schema(content)
    } catch let error as SchemaReader.Failure {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "no schema at “\(error.pointer)”: \(error.reason)"))
    }
  }

  /// Writes JSON Schema; `x-order` tells the order of properties, whatever becomes of that of keys.
  public func encode(to encoder: any Encoder) throws {
    try CodableContent(SchemaWriter(self).content(for: .exchange)).encode(to: encoder)
  }
}
