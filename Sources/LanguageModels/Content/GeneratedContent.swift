/// What a model generated, or is generating: a JSON value whose properties keep their order.
public struct GeneratedContent: Sendable, Equatable {
  /// Tells this value from others of its response; nil for a value that was not generated.
  public var id: GenerationID?
  /// The value and its parts.
  public let kind: Kind
  /// Whether all of the value is there; false while it is being generated.
  public let isComplete: Bool
  /// The digits of a number that is no `Double`, such as 9007199254740993.
  let exactNumber: String?

  init(kind: Kind, id: GenerationID?, isComplete: Bool, exactNumber: String? = nil) {
    self.id = id
    self.kind = kind
    self.isComplete = isComplete
    self.exactNumber = exactNumber
  }

  /// A whole value.
  public init(kind: Kind, id: GenerationID? = nil) {
    self.init(kind: kind, id: id, isComplete: kind.parts.allSatisfy(\.isComplete))
  }

  /// The content of `value`, with its identifier.
  public init(_ value: some ConvertibleToGeneratedContent) {
    self = value.generatedContent
  }

  /// The content of `value`, with another identifier.
  public init(_ value: some ConvertibleToGeneratedContent, id: GenerationID) {
    self = value.generatedContent
    self.id = id
  }

  /// A structure of `properties` in their order; of several with one name the last one counts.
  public init(
    properties: KeyValuePairs<String, any ConvertibleToGeneratedContent>, id: GenerationID? = nil
  ) {
    self.init(
      properties: properties.lazy.map { ($0.key, $0.value) }, id: id,
      uniquingKeysWith: { _, last in last })
  }

  /// A structure of `properties` in their order.
  /// - Parameters:
  ///   - properties: Names and values.
  ///   - id: Tells the structure from others.
  ///   - combine: The value of a name that occurs again, from the value so far and the next one.
  public init<S: Sequence>(
    properties: S, id: GenerationID? = nil,
    uniquingKeysWith combine: (GeneratedContent, GeneratedContent) throws ->
      some ConvertibleToGeneratedContent
  ) rethrows where S.Element == (String, any ConvertibleToGeneratedContent) {
    var values: [String: GeneratedContent] = [:]
    var keys: [String] = []
    for (key, value) in properties {
      let content = value.generatedContent
      if let earlier = values[key] {
        values[key] = try combine(earlier, content).generatedContent
      } else {
        values[key] = content
        keys.append(key)
      }
    }
    self.init(kind: .structure(properties: values, orderedKeys: keys), id: id)
  }

  /// An array of `elements`.
  public init<S: Sequence>(elements: S, id: GenerationID? = nil)
  where S.Element == any ConvertibleToGeneratedContent {
    self.init(kind: .array(elements.map(\.generatedContent)), id: id)
  }

  /// Reads JSON, whole or cut off anywhere.
  ///
  /// Of a text that ends early, strings, arrays and structures hold what is there; a number or a
  /// word that may go on is left out. ``isComplete`` is false then.
  /// - Throws: ``ParsingError`` for a text that no continuation makes JSON.
  public init(json: String) throws {
    self = try GeneratedContent(json: json, id: nil, hasEnded: true)
  }

  /// Values are equal by what they hold, whatever their identifiers.
  public static func == (a: GeneratedContent, b: GeneratedContent) -> Bool {
    a.kind == b.kind && a.exactNumber == b.exactNumber && a.isComplete == b.isComplete
  }
}

extension GeneratedContent: CustomDebugStringConvertible {
  /// The value as JSON.
  public var debugDescription: String { jsonString }
}

extension GeneratedContent: Generable {
  /// Any value at all.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(SchemaNode(.any))
  }

  /// The same content.
  public init(_ content: GeneratedContent) throws {
    self = content
  }

  /// The same content.
  public var generatedContent: GeneratedContent { self }
}
