extension GeneratedContent {
  /// This content as a value of `type`.
  /// - Throws: ``ParsingError`` if it is none.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self
  ) throws -> Value {
    try Value(self)
  }

  /// The property `name` as a value of `type`.
  /// - Throws: ``ParsingError`` if there is no such property or it is no such value.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value.Type = Value.self, forProperty name: String
  ) throws -> Value {
    guard let part = try properties()[name] else {
      throw error("there is no property “\(name)”")
    }
    return try Value(part)
  }

  /// The property `name` as a value of `type`, or nil where it is missing or null.
  ///
  /// A value that is still being generated, and cannot be a `Value` yet, is nil as well.
  /// - Throws: ``ParsingError`` if the property is whole and no such value.
  public func value<Value: ConvertibleFromGeneratedContent>(
    _ type: Value?.Type = Value?.self, forProperty name: String
  ) throws -> Value? {
    guard let part = try properties()[name], part.kind != .null else { return nil }
    if part.isComplete { return try Value(part) }
    return try? Value(part)
  }

  private func properties() throws -> [String: GeneratedContent] {
    guard case .structure(let properties, _) = kind else { throw mismatch("a structure") }
    return properties
  }

  /// The error that this content is not `expected`.
  func mismatch(_ expected: String) -> ParsingError {
    error("expected \(expected), found \(kind.name)")
  }

  func error(_ description: String) -> ParsingError {
    ParsingError(rawContent: jsonString, debugDescription: description)
  }
}
