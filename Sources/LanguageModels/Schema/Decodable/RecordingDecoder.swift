/// Gives sample values to one type, and notes what it asks for.
struct RecordingDecoder: Decoder {
  let recorder: SchemaRecorder
  /// The type that is decoded.
  let type: any Any.Type
  let codingPath: [any CodingKey]
  let record: DecodingRecord
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(
    recorder: SchemaRecorder, type: any Any.Type, codingPath: [any CodingKey],
    record: DecodingRecord = DecodingRecord()
  ) {
    self.recorder = recorder
    self.type = type
    self.codingPath = codingPath
    self.record = record
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try begin(.object([]))
    return KeyedDecodingContainer(RecordingKeyedContainer<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try begin(.array(nil))
    return RecordingUnkeyedContainer(decoder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    RecordingValueContainer(decoder: self)
  }

  /// The decoder of a part that has no type of its own.
  func part(_ key: any CodingKey) -> RecordingDecoder {
    RecordingDecoder(recorder: recorder, type: type, codingPath: codingPath + [key])
  }

  /// A sample, and a note of what it looks like at the place `key`.
  func sample<Value: Decodable>(
    _ type: Value.Type, _ key: any CodingKey
  ) throws
    -> SchemaRecorder
    .Sample<Value>
  {
    try recorder.sample(type, codingPath + [key])
  }

  func failure(_ reason: String) -> SchemaDerivationError {
    SchemaDerivationError(type, codingPath, reason)
  }

  private func begin(_ contents: DecodingRecord.Contents) throws {
    switch (record.contents, contents) {
    case (.nothing, _): record.contents = contents
    case (.object, .object): break
    default: throw failure("it decodes itself in more than one form")
    }
  }
}

/// What a type, or a part of one, asked for.
final class DecodingRecord {
  enum Contents {
    case nothing
    case value(SchemaNode)
    /// The elements, once one was asked for.
    case array(Part?)
    case object([(name: String, part: Part, isOptional: Bool)])
  }

  /// A part that is known, or is being decoded.
  enum Part {
    case node(SchemaNode)
    case record(DecodingRecord)

    var node: SchemaNode {
      switch self {
      case .node(let node): node
      case .record(let record): record.node ?? SchemaNode(.any)
      }
    }
  }

  var contents = Contents.nothing
  /// Whether the type wanted to know which keys there are.
  var asksForKeys = false
  /// The key whose value may be absent, as far as was asked last.
  var optionalKey: String?

  /// What values look like, or nil if nothing was asked for.
  var node: SchemaNode? {
    switch contents {
    case .nothing: nil
    case .value(let node): node
    case .array(let element):
      SchemaNode(.array(ArraySchema(element: element?.node ?? SchemaNode(.any))))
    case .object(let properties):
      SchemaNode(
        .object(
          ObjectSchema(
            properties.map {
              ObjectSchema.Property(name: $0.name, node: $0.part.node, isOptional: $0.isOptional)
            })))
    }
  }

  /// Notes a property; one that was asked for before stays as it is.
  func add(_ key: any CodingKey, _ part: Part, isOptional: Bool = false) {
    guard case .object(var properties) = contents else { return }
    if properties.contains(where: { $0.name == key.stringValue }) { return }
    properties.append((key.stringValue, part, isOptional))
    contents = .object(properties)
  }
}
