internal import Foundation

/// A value of a type that decoders know themselves, and what its values look like in JSON.
struct ScalarSample {
  let value: any Decodable
  let shape: SchemaNode.Shape

  init?(_ type: any Decodable.Type) {
    switch type {
    case is Bool.Type: self.init(true, .boolean)
    case is String.Type: self.init("", .string(StringSchema()))
    case is Int.Type: self.init(0, .number(NumberSchema(isInteger: true)))
    case is Int8.Type: self.init(integer: Int8.self)
    case is Int16.Type: self.init(integer: Int16.self)
    case is Int32.Type: self.init(integer: Int32.self)
    case is Int64.Type: self.init(integer: Int64.self)
    case is UInt.Type: self.init(integer: UInt.self)
    case is UInt8.Type: self.init(integer: UInt8.self)
    case is UInt16.Type: self.init(integer: UInt16.self)
    case is UInt32.Type: self.init(integer: UInt32.self)
    case is UInt64.Type: self.init(integer: UInt64.self)
    case is Float.Type: self.init(Float(0), .number(NumberSchema(isInteger: false)))
    case is Double.Type: self.init(Double(0), .number(NumberSchema(isInteger: false)))
    case is Decimal.Type: self.init(Decimal(0), .number(NumberSchema(isInteger: false)))
    case is Date.Type: self.init(Date(timeIntervalSince1970: 0), Self.text(Self.date))
    case is UUID.Type: self.init(UUID(), Self.text(Self.uuid))
    case is URL.Type:
      guard let url = URL(string: "https://example.org") else { return nil }
      self.init(url, Self.text("[a-z][a-z0-9+.-]*:[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+"))
    case is Data.Type: self.init(Data(), Self.text(Self.base64))
    default: return nil
    }
  }

  private init(_ value: any Decodable, _ shape: SchemaNode.Shape) {
    self.value = value
    self.shape = shape
  }

  private init<Integer: FixedWidthInteger & Decodable>(integer: Integer.Type) {
    self.init(
      Integer.zero,
      .number(
        NumberSchema(
          isInteger: true, minimum: JSONNumber(literal: String(Integer.min)),
          maximum: JSONNumber(literal: String(Integer.max)))))
  }

  private static func text(_ pattern: String) -> SchemaNode.Shape {
    .string(StringSchema(pattern: pattern))
  }

  /// A moment in UTC, as in RFC 3339.
  private static let date =
    #"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ"#
  private static let uuid =
    "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
  private static let base64 =
    "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
}
