/// Generated content in a saved transcript.
///
/// It is written as a string of JSON, because coders do not keep the order of properties;
/// any value is read.
struct SavedContent: Codable {
  let content: GeneratedContent

  init(_ content: GeneratedContent) { self.content = content }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyKey.self) {
      let properties = try container.allKeys.map { key in
        let value = try container.decode(SavedContent.self, forKey: key).content
        return (key.stringValue, value as any ConvertibleToGeneratedContent)
      }
      content = GeneratedContent(properties: properties, uniquingKeysWith: { _, last in last })
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [GeneratedContent] = []
      while !container.isAtEnd {
        elements.append(try container.decode(SavedContent.self).content)
      }
      content = GeneratedContent(kind: .array(elements))
    } else {
      content = try Self.value(decoder.singleValueContainer())
    }
  }

  private static func value(
    _ container: any SingleValueDecodingContainer
  ) throws -> GeneratedContent {
    if container.decodeNil() { return GeneratedContent(kind: .null) }
    if let bool = try? container.decode(Bool.self) { return GeneratedContent(bool) }
    if let integer = try? container.decode(Int.self) { return GeneratedContent(integer) }
    if let number = try? container.decode(Double.self) { return GeneratedContent(number) }
    let text = try container.decode(String.self)
    guard let content = try? GeneratedContent(json: text), content.isComplete else {
      return GeneratedContent(text)
    }
    return content
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content.jsonString)
  }
}

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
