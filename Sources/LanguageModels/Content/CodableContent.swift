/// Content as part of something `Codable`; the order of properties may get lost on the way.
struct CodableContent: Codable {
  var content: GeneratedContent

  init(_ content: GeneratedContent) {
    self.content = content
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      var properties: [String: GeneratedContent] = [:]
      for key in container.allKeys {
        properties[key.stringValue] = try container.decode(CodableContent.self, forKey: key).content
      }
      let keys = properties.keys.sorted()
      content = GeneratedContent(kind: .structure(properties: properties, orderedKeys: keys))
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [GeneratedContent] = []
      while !container.isAtEnd {
        elements.append(try container.decode(CodableContent.self).content)
      }
      content = GeneratedContent(kind: .array(elements))
    } else {
      content = try Self.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(
    _ container: any SingleValueDecodingContainer
  ) throws -> GeneratedContent {
    if container.decodeNil() { return GeneratedContent(kind: .null) }
    if let value = try? container.decode(Bool.self) { return value.generatedContent }
    if let value = try? container.decode(Int.self) { return value.generatedContent }
    if let value = try? container.decode(Double.self) { return value.generatedContent }
    return try container.decode(String.self).generatedContent
  }

  func encode(to encoder: any Encoder) throws {
    switch content.kind {
    case .structure(let properties, let orderedKeys):
      var container = encoder.container(keyedBy: Key.self)
      for key in orderedKeys {
        guard let value = properties[key] else { continue }
        try container.encode(CodableContent(value), forKey: Key(key))
      }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(CodableContent(element)) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .string(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .number(let value):
      var container = encoder.singleValueContainer()
      if let integer = try? Int(content) {
        try container.encode(integer)
      } else {
        try container.encode(value)
      }
    }
  }
}
