import Foundation
import LanguageModels
import Testing

@Suite struct DecodableSchemaTests {
  struct Booking: Decodable, Equatable {
    var code: String
    var seats: Int
    var price: Double?
    var passengers: [Passenger]
    var gate: Gate
    var notes: [String]?
    var paid: Bool
  }

  struct Passenger: Decodable, Equatable {
    var name: String
    var age: UInt8
    var companions: [Passenger]?
  }

  enum Gate: String, Decodable, CaseIterable {
    case north = "N", south = "S"
  }

  private func json(_ type: any Decodable.Type) throws -> String {
    try GenerationSchema(decodable: type).debugDescription
  }

  @Test func propertiesComeInTheOrderTheyAreDecodedIn() throws {
    let json = try json(Booking.self)
    #expect(
      json == #"{"title": "Booking", "type": "object", "properties": "#
        + #"{"code": {"type": "string"}, "seats": {"type": "integer"}, "#
        + ##""price": {"type": "number"}, "passengers": {"type": "array", "items": "##
        + ##"{"$ref": "#/$defs/Passenger"}}, "gate": {"type": "string", "enum": ["N", "S"]}, "##
        + #""notes": {"type": "array", "items": {"type": "string"}}, "paid": {"type": "boolean"}}, "#
        + #""required": ["code", "seats", "passengers", "gate", "paid"], "#
        + #""additionalProperties": false, "#
        + #""x-order": ["code", "seats", "price", "passengers", "gate", "notes", "paid"], "#
        + #""$defs": {"Passenger": {"title": "Passenger", "type": "object", "properties": "#
        + #"{"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0, "maximum": 255}, "#
        + ##""companions": {"type": "array", "items": {"$ref": "#/$defs/Passenger"}}}, "##
        + #""required": ["name", "age"], "additionalProperties": false, "#
        + #""x-order": ["name", "age", "companions"]}}}"#)
  }

  @Test func whatTheSchemaDescribesIsDecoded() throws {
    let content = try GeneratedContent(
      json: #"{"code": "X", "seats": 2, "passengers": [{"name": "Ada", "age": 36}], "gate": "S", "#
        + #""paid": true}"#)
    let booking = try content.decoded(as: Booking.self)
    #expect(booking.passengers == [Passenger(name: "Ada", age: 36)])
    #expect(booking.gate == .south)
  }

  struct Values: Codable, Equatable {
    var when: Date
    var link: URL
    var key: UUID
    var bytes: Data
    var price: Decimal
    var words: Set<String>
    var maybe: [Int?]
  }

  @Test func datesAndOtherValuesOfFoundationAreTexts() throws {
    let schema = try GeneratedContent(json: json(Values.self))
      .value(GeneratedContent.self, forProperty: "properties")
    for (name, text) in [
      ("when", "2026-02-03T04:05:06Z"), ("link", "https://example.org/a?b=c#d"),
      ("key", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), ("bytes", "aGVhcnRo"),
    ] {
      let pattern = try schema.value(GeneratedContent.self, forProperty: name)
        .value(String.self, forProperty: "pattern")
      #expect(try text.wholeMatch(of: Regex(pattern)) != nil, "\(name)")
    }
    let values = try GeneratedContent(
      json: #"{"when": "2026-02-03T04:05:06Z", "link": "https://example.org/a?b=c#d", "#
        + #""key": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "bytes": "aGVhcnRo", "price": 0.1, "#
        + #""words": ["a"], "maybe": [1, null]}"#
    ).decoded(as: Values.self)
    #expect(values.when.timeIntervalSince1970 == 1_770_091_506)
    #expect(values.bytes == Data("hearth".utf8))
    #expect(values.maybe == [1, nil])
    #expect(
      try schema.value(GeneratedContent.self, forProperty: "words").jsonString
        == #"{"type": "array", "items": {"type": "string"}}"#)
  }

  struct Renamed: Decodable {
    var place: String
    enum CodingKeys: String, CodingKey { case place = "ort" }
  }

  struct Nested: Decodable {
    var street: String
    var tags: [String] = []
    enum Keys: CodingKey { case address, tags }
    enum AddressKeys: CodingKey { case street }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      street = try container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
        .decode(String.self, forKey: .street)
      var list = try container.nestedUnkeyedContainer(forKey: .tags)
      while !list.isAtEnd { tags.append(try list.decode(String.self)) }
    }
  }

  struct Code: RawRepresentable, Decodable {
    var rawValue: String
  }

  @Test func keysAreThoseOfTheCodingAndNotOfTheProperties() throws {
    #expect(try json(Renamed.self).contains(#""properties": {"ort": {"type": "string"}}"#))
  }

  @Test func containersInsideContainersAreStructuresAndArrays() throws {
    #expect(
      try json(Nested.self).contains(
        #""address": {"type": "object", "properties": {"street": {"type": "string"}}, "#
          + #""required": ["street"], "additionalProperties": false, "x-order": ["street"]}, "#
          + #""tags": {"type": "array", "items": {"type": "string"}}"#))
  }

  @Test func aRootMayBeAnything() throws {
    #expect(
      try json([String].self)
        == #"{"title": "Array<String>", "type": "array", "items": {"type": "string"}}"#)
    #expect(try json(Code.self).contains(#""type": "string""#))
    #expect(try json(Level.self).hasSuffix(#""type": "integer", "enum": [1, 5]}"#))
  }

  enum Level: Int, Decodable, CaseIterable { case low = 1, high = 5 }
  enum Hidden: String, Decodable { case a, b }
  enum Plain: Decodable { case a, b }
  struct Map: Decodable { var values: [String: Int] }
  struct Picky: Decodable {
    var age: Int
    enum Keys: CodingKey { case age }
    struct TooYoung: Error {}
    init(from decoder: any Decoder) throws {
      age = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .age)
      if age < 1 { throw TooYoung() }
    }
  }
  struct Pair: Decodable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      _ = try container.decode(Int.self)
      _ = try container.decode(String.self)
    }
  }
  final class Chain: Decodable { var next: Chain }
  class Base: Decodable { var a: Int }
  final class Derived: Base {
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      _ = try container.decode(Int.self, forKey: .b)
      try super.init(from: container.superDecoder())
    }
    enum Keys: CodingKey { case b }
  }

  @Test func whatHasNoSchemaSaysWhy() {
    let cases: [(type: any Decodable.Type, reason: String)] = [
      (Hidden.self, "an enumeration with raw values must be CaseIterable"),
      (Plain.self, "an enumeration must have raw values and be CaseIterable"),
      (Map.self, "use an array of structures with a key and a value"),
      (Picky.self, "it does not accept a sample value (TooYoung())"),
      (Pair.self, "an array whose elements differ by position cannot be derived"),
      (Chain.self, "it contains itself other than in an optional or array"),
      (Derived.self, "a class that inherits from a Decodable class cannot be derived"),
    ]
    for (type, reason) in cases {
      let error = #expect(throws: SchemaDerivationError.self) {
        try GenerationSchema(decodable: type)
      }
      #expect(error?.errorDescription?.hasSuffix(reason) == true, "\(error as Any)")
    }
  }

  struct Outer: Decodable { var list: [Inner] }
  struct Inner: Decodable { var map: [String: Int] }

  @Test func theErrorSaysWhere() {
    let error = #expect(throws: SchemaDerivationError.self) {
      try GenerationSchema(decodable: Outer.self)
    }
    #expect(error?.codingPath == ["list", "element", "map"])
    #expect(error?.typeName == "Dictionary<String, Int>")
  }
}
