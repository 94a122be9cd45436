/// Gives sample values by key.
struct RecordingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RecordingDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] {
    decoder.record.asksForKeys = true
    return []
  }

  func contains(_ key: Key) -> Bool { true }

  /// Who asks this decodes an optional value next: an optional number, for example, comes this way.
  func decodeNil(forKey key: Key) throws -> Bool {
    decoder.record.optionalKey = key.stringValue
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let isOptional = decoder.record.optionalKey == key.stringValue
    let sample = try decoder.sample(type, key)
    decoder.record.add(key, .node(sample.node), isOptional: isOptional)
    return sample.value
  }

  func decodeIfPresent<Value: Decodable>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? {
    let node = try decoder.recorder.node(type, codingPath + [key])
    decoder.record.add(key, .node(node), isOptional: true)
    return nil
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try part(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try part(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    throw decoder.failure("a class that inherits from a Decodable class cannot be derived")
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { part(key) }

  private func part(_ key: Key) -> RecordingDecoder {
    let part = decoder.part(key)
    decoder.record.add(key, .record(part.record))
    return part
  }
}

/// Gives one sample element.
struct RecordingUnkeyedContainer: UnkeyedDecodingContainer {
  let decoder: RecordingDecoder
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { 1 }
  var isAtEnd: Bool { currentIndex > 0 }

  init(decoder: RecordingDecoder) {
    self.decoder = decoder
  }

  func decodeNil() throws -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let sample = try decoder.sample(type, RecordedIndex())
    try add(.node(sample.node))
    return sample.value
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try part().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try part().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try part() }

  private mutating func part() throws -> RecordingDecoder {
    let part = decoder.part(RecordedIndex())
    try add(.record(part.record))
    return part
  }

  private mutating func add(_ part: DecodingRecord.Part) throws {
    guard currentIndex == 0 else {
      throw decoder.failure("an array whose elements differ by position cannot be derived")
    }
    currentIndex += 1
    decoder.record.contents = .array(part)
  }
}

/// Gives the one sample value.
struct RecordingValueContainer: SingleValueDecodingContainer {
  let decoder: RecordingDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let sample = try decoder.recorder.sample(type, codingPath)
    if case .nothing = decoder.record.contents { decoder.record.contents = .value(sample.node) }
    return sample.value
  }
}
