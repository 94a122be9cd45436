extension SchemaReader {
  /// A JSON object of a schema, and where it stands.
  struct Object {
    let content: GeneratedContent
    let pointer: String

    init(_ content: GeneratedContent, _ pointer: String) throws(Failure) {
      guard case .structure = content.kind else {
        throw Failure(pointer: pointer, reason: "expected an object, found \(content.kind.name)")
      }
      self.content = content
      self.pointer = pointer
    }

    func member(_ key: String) -> GeneratedContent? {
      guard case .structure(let properties, _) = content.kind else { return nil }
      return properties[key]
    }

    func object(_ key: String) throws(Failure) -> Object? {
      guard let member = member(key) else { return nil }
      return try Object(member, pointer + "/" + key)
    }

    func string(_ key: String) throws(Failure) -> String? {
      try value(key, "a string") { try String($0) }
    }

    func strings(_ key: String) throws(Failure) -> [String]? {
      try value(key, "an array of strings") { try [String]($0) }
    }

    func number(_ key: String) throws(Failure) -> JSONNumber? {
      try value(key, "a number") { try $0.number("a number") }
    }

    func numbers(_ key: String) throws(Failure) -> [JSONNumber]? {
      try value(key, "an array of numbers") { content in
        try [GeneratedContent](content).map { try $0.number("a number") }
      }
    }

    func count(_ key: String) throws(Failure) -> Int? {
      let count = try value(key, "a count") { try Int($0) }
      if let count, count < 0 {
        throw Failure(pointer: pointer + "/" + key, reason: "a count cannot be negative")
      }
      return count
    }

    private func value<Value>(
      _ key: String, _ expected: String, _ convert: (GeneratedContent) throws -> Value
    ) throws(Failure) -> Value? {
      guard let member = member(key) else { return nil }
      guard let value = try? convert(member) else {
        throw Failure(
          pointer: pointer + "/" + key,
          reason: "expected \(expected), found \(member.kind.name)")
      }
      return value
    }
  }
}

extension GeneratedContent {
  /// The names of a structure's properties.
  var orderedKeys: [String] {
    guard case .structure(_, let keys) = kind else { return [] }
    return keys
  }
}
