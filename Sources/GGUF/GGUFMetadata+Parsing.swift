extension GGUFMetadata {
  /// Reads the metadata part of a file.
  init(from reader: inout ByteReader, count: Int) throws(GGUFError) {
    self.init()
    for position in 0..<count {
      let keyOffset = reader.offset
      let key = try Self.key(from: &reader, "metadata key \(position)")
      let offset = reader.offset
      let value = try Self.value(of: key, from: &reader)
      guard append(Entry(key: key, value: value, offset: offset)) else {
        throw .duplicateKey(key, offset: keyOffset)
      }
    }
  }

  /// Reads a key.
  ///
  /// The specification wants lower-case words joined by `_` and `.`, but files in use also have
  /// `-` (architecture names) and capitals (names of chat templates).
  private static func key(
    from reader: inout ByteReader, _ field: @autoclosure () -> String
  ) throws(GGUFError) -> String {
    let offset = reader.offset
    let bytes = try reader.string(field())
    let valid = bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard valid, (1...65_535).contains(bytes.count) else {
      throw .invalidKey(String(decoding: bytes.prefix(100), as: UTF8.self), offset: offset)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func valueType(
    of key: String, from reader: inout ByteReader
  ) throws(GGUFError) -> GGUFValueType {
    let offset = reader.offset
    let id = try reader.integer("value type of \(quoted(key))", as: UInt32.self)
    guard let type = GGUFValueType(rawValue: id) else {
      throw .unknownValueType(key: key, offset: offset, id: id)
    }
    return type
  }

  private static func value(
    of key: String, from reader: inout ByteReader
  ) throws(GGUFError) -> GGUFValue {
    let type = try valueType(of: key, from: &reader)
    let field = "value of \(quoted(key))"
    switch type {
    case .uint8: return .uint8(try reader.integer(field))
    case .int8: return .int8(try reader.integer(field))
    case .uint16: return .uint16(try reader.integer(field))
    case .int16: return .int16(try reader.integer(field))
    case .uint32: return .uint32(try reader.integer(field))
    case .int32: return .int32(try reader.integer(field))
    case .float32: return .float32(Float(bitPattern: try reader.integer(field)))
    case .bool: return .bool(try bool(of: key, from: &reader))
    case .string: return .string(try reader.string(field))
    case .array: return .array(try array(of: key, from: &reader))
    case .uint64: return .uint64(try reader.integer(field))
    case .int64: return .int64(try reader.integer(field))
    case .float64: return .float64(Double(bitPattern: try reader.integer(field)))
    }
  }

  private static func array(
    of key: String, from reader: inout ByteReader
  ) throws(GGUFError) -> GGUFArray {
    let offset = reader.offset
    let type = try valueType(of: key, from: &reader)
    // Checked before the count, so that a deep nest is refused at its first level.
    guard type != .array else { throw .nestedArray(key: key, offset: offset) }
    let count = try reader.count(ofRecords: type.minimumByteCount, "array count of \(quoted(key))")
    let field = "elements of \(quoted(key))"
    switch type {
    case .uint8: return .uint8(try reader.numbers(field, count: count))
    case .int8: return .int8(try reader.numbers(field, count: count))
    case .uint16: return .uint16(try reader.numbers(field, count: count))
    case .int16: return .int16(try reader.numbers(field, count: count))
    case .uint32: return .uint32(try reader.numbers(field, count: count))
    case .int32: return .int32(try reader.numbers(field, count: count))
    case .float32: return .float32(try reader.numbers(field, count: count))
    case .bool: return .bool(try bools(of: key, count: count, from: &reader))
    case .string: return .string(try strings(of: key, count: count, from: &reader))
    case .uint64: return .uint64(try reader.numbers(field, count: count))
    case .int64: return .int64(try reader.numbers(field, count: count))
    case .float64: return .float64(try reader.numbers(field, count: count))
    case .array: throw .nestedArray(key: key, offset: offset)
    }
  }

  private static func bool(
    of key: String, from reader: inout ByteReader
  ) throws(GGUFError) -> Bool {
    let offset = reader.offset
    let byte = try reader.integer("value of \(quoted(key))", as: UInt8.self)
    guard byte <= 1 else { throw .invalidBool(key: key, offset: offset, byte: byte) }
    return byte == 1
  }

  private static func bools(
    of key: String, count: Int, from reader: inout ByteReader
  ) throws(GGUFError) -> [Bool] {
    let offset = reader.offset
    let bytes = try reader.numbers("elements of \(quoted(key))", count: count, as: UInt8.self)
    if let wrong = bytes.firstIndex(where: { $0 > 1 }) {
      throw .invalidBool(key: key, offset: offset + wrong, byte: bytes[wrong])
    }
    return bytes.map { $0 == 1 }
  }

  private static func strings(
    of key: String, count: Int, from reader: inout ByteReader
  ) throws(GGUFError) -> GGUFStrings {
    let start = reader.offset
    var ends: [UInt32] = []
    ends.reserveCapacity(count)
    var byteCount = 0
    for position in 0..<count {
      byteCount += try reader.stringRange("element \(position) of \(quoted(key))").count
      // A header is much shorter than 4 GiB.
      ends.append(UInt32(byteCount))
    }
    return GGUFStrings(bytes: reader.file.joinedStrings(at: start, ends: ends), ends: ends)
  }
}
