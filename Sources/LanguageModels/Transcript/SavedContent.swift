/// Generated content in a saved transcript.
///
/// It is written as a string of JSON, because coders do not keep the order of properties; any value
/// is read.
struct SavedContent: Codable {
  let content: GeneratedContent

  init(_ content: GeneratedContent) { self.content = content }

  init(from decoder: any Decoder) throws {
    let saved = try CodableContent(from: decoder).content
    if case .string(let text) = saved.kind, let json = try? GeneratedContent(json: text),
      json.isComplete
    {
      content = json
    } else {
      content = saved
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content.jsonString)
  }
}
