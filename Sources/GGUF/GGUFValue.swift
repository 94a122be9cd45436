/// One metadata value, in the type that the file gives it.
public enum GGUFValue: Equatable, Sendable {
  case uint8(UInt8)
  case int8(Int8)
  case uint16(UInt16)
  case int16(Int16)
  case uint32(UInt32)
  case int32(Int32)
  case float32(Float)
  case bool(Bool)
  /// The bytes of a string; files should hold UTF-8 but need not.
  case string([UInt8])
  case array(GGUFArray)
  case uint64(UInt64)
  case int64(Int64)
  case float64(Double)

  /// A string value with the UTF-8 bytes of a text.
  public static func text(_ text: String) -> GGUFValue { .string(Array(text.utf8)) }

  /// An array value with the UTF-8 bytes of texts.
  package static func texts(_ texts: [String]) -> GGUFValue { .array(.string(GGUFStrings(texts))) }
}

/// The elements of an array value, packed.
///
/// Arrays of arrays, which the format allows but no model uses, are refused when a file is opened.
public enum GGUFArray: Equatable, Sendable {
  case uint8([UInt8])
  case int8([Int8])
  case uint16([UInt16])
  case int16([Int16])
  case uint32([UInt32])
  case int32([Int32])
  case float32([Float])
  case bool([Bool])
  case string(GGUFStrings)
  case uint64([UInt64])
  case int64([Int64])
  case float64([Double])
}

/// The type of a metadata value, with the number that files use for it.
enum GGUFValueType: UInt32, CaseIterable {
  case uint8 = 0
  case int8 = 1
  case uint16 = 2
  case int16 = 3
  case uint32 = 4
  case int32 = 5
  case float32 = 6
  case bool = 7
  case string = 8
  case array = 9
  case uint64 = 10
  case int64 = 11
  case float64 = 12
}

extension GGUFValueType {
  /// The fewest bytes that a value takes; strings and arrays begin with their 8-byte length.
  var minimumByteCount: Int {
    switch self {
    case .uint8, .int8, .bool: 1
    case .uint16, .int16: 2
    case .uint32, .int32, .float32: 4
    case .uint64, .int64, .float64, .string: 8
    case .array: 12
    }
  }
}

extension GGUFValue {
  /// The value as an integer, where it is one of any width and `Int` can hold it.
  public var integer: Int? {
    switch self {
    case .uint8(let value): Int(value)
    case .int8(let value): Int(value)
    case .uint16(let value): Int(value)
    case .int16(let value): Int(value)
    case .uint32(let value): Int(exactly: value)
    case .int32(let value): Int(exactly: value)
    case .uint64(let value): Int(exactly: value)
    case .int64(let value): Int(exactly: value)
    case .float32, .float64, .bool, .string, .array: nil
    }
  }

  /// The value as a number, where it is one of any type.
  public var number: Double? {
    switch self {
    case .float32(let value): Double(value)
    case .float64(let value): value
    case .uint64(let value): Double(value)
    default: integer.map { Double($0) }
    }
  }
}

extension GGUFArray {
  /// The number of elements.
  public var count: Int {
    switch self {
    case .uint8(let values): values.count
    case .int8(let values): values.count
    case .uint16(let values): values.count
    case .int16(let values): values.count
    case .uint32(let values): values.count
    case .int32(let values): values.count
    case .float32(let values): values.count
    case .bool(let values): values.count
    case .string(let values): values.count
    case .uint64(let values): values.count
    case .int64(let values): values.count
    case .float64(let values): values.count
    }
  }

  /// One element as a value of its own.
  public subscript(position: Int) -> GGUFValue {
    switch self {
    case .uint8(let values): .uint8(values[position])
    case .int8(let values): .int8(values[position])
    case .uint16(let values): .uint16(values[position])
    case .int16(let values): .int16(values[position])
    case .uint32(let values): .uint32(values[position])
    case .int32(let values): .int32(values[position])
    case .float32(let values): .float32(values[position])
    case .bool(let values): .bool(values[position])
    case .string(let values): .string(Array(values[position]))
    case .uint64(let values): .uint64(values[position])
    case .int64(let values): .int64(values[position])
    case .float64(let values): .float64(values[position])
    }
  }
}

extension GGUFValue {
  /// The type that a file states for this value.
  var type: GGUFValueType {
    switch self {
    case .uint8: .uint8
    case .int8: .int8
    case .uint16: .uint16
    case .int16: .int16
    case .uint32: .uint32
    case .int32: .int32
    case .float32: .float32
    case .bool: .bool
    case .string: .string
    case .array: .array
    case .uint64: .uint64
    case .int64: .int64
    case .float64: .float64
    }
  }
}

extension GGUFArray {
  /// The type that a file states for the elements.
  var elementType: GGUFValueType {
    switch self {
    case .uint8: .uint8
    case .int8: .int8
    case .uint16: .uint16
    case .int16: .int16
    case .uint32: .uint32
    case .int32: .int32
    case .float32: .float32
    case .bool: .bool
    case .string: .string
    case .uint64: .uint64
    case .int64: .int64
    case .float64: .float64
    }
  }
}

extension GGUFValue: CustomStringConvertible {
  /// Type and value in short: `uint32 5`, `string 'llama'`, `array of 3 string`.
  public var description: String {
    switch self {
    case .uint8(let value): "uint8 \(value)"
    case .int8(let value): "int8 \(value)"
    case .uint16(let value): "uint16 \(value)"
    case .int16(let value): "int16 \(value)"
    case .uint32(let value): "uint32 \(value)"
    case .int32(let value): "int32 \(value)"
    case .float32(let value): "float32 \(value)"
    case .bool(let value): "bool \(value)"
    case .string(let bytes):
      // Four bytes hold any character, so this is enough to show and to see that it was cut.
      "string \(quoted(String(decoding: bytes.prefix(400), as: UTF8.self)))"
    case .array(let array): "array of \(array.count) \(array.elementType)"
    case .uint64(let value): "uint64 \(value)"
    case .int64(let value): "int64 \(value)"
    case .float64(let value): "float64 \(value)"
    }
  }
}
