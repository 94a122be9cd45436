import GGUF
import Testing

/// Row G46 of the list of inputs that broke engines, and the other rules of the getters.
@Suite struct MetadataTests {
  /// The metadata of a file with one key `k`.
  static func metadata(_ value: GGUFValue) throws -> GGUFMetadata {
    var writer = GGUFWriter()
    writer.set("k", value)
    return try GGUFFile(bytes: writer.bytes()).metadata
  }

  /// The error of a getter, or nil.
  static func error<T>(_ body: () throws(GGUFError) -> T) -> GGUFError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error
    }
  }

  /// Where the value of the only key `k` begins: after 24 bytes of header and 8 + 1 of key.
  static let offset = 33

  /// A number in every width that files use for integers.
  static func widths(of number: Int8) -> [GGUFValue] {
    [
      .uint8(UInt8(number)), .int8(number), .uint16(UInt16(number)), .int16(Int16(number)),
      .uint32(UInt32(number)), .int32(Int32(number)), .uint64(UInt64(number)),
      .int64(Int64(number)),
    ]
  }

  @Test("G46: an integer may have any width", arguments: widths(of: 100))
  func g46Integers(value: GGUFValue) throws {
    let metadata = try Self.metadata(value)
    #expect(try metadata.integer("k") == 100)
    #expect(try metadata.integer("k", in: 100...100) == 100)
    #expect(try metadata.integers("k", in: 0...100) == [100])
    #expect(try metadata.float("k") == 100)
    for range in [0...99, 101...200] {
      let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
      #expect(
        Self.error { () throws(GGUFError) in try metadata.integer("k", in: range) }
          == .wrongMetadata(key: "k", offset: Self.offset, expected: expected, found: "\(value)"))
    }
  }

  @Test(
    "G46: the extremes of each width",
    arguments: [
      (.uint8(.max), 255), (.int8(.min), -128), (.uint16(.max), 65_535), (.int16(.min), -32_768),
      (.uint32(.max), 4_294_967_295), (.int32(.min), -2_147_483_648), (.int64(.min), .min),
      (.uint64(1 << 63 - 1), .max), (.uint64(1 << 63), nil), (.uint64(.max), nil),
    ] as [(GGUFValue, Int?)])
  func g46Extremes(value: GGUFValue, expected: Int?) throws {
    let metadata = try Self.metadata(value)
    if let expected {
      #expect(try metadata.integer("k") == expected)
    } else {
      #expect(throws: GGUFError.self) { try metadata.integer("k") }
    }
  }

  @Test(
    "G46: a number may have 64 bits or be an integer",
    arguments: [.float64(0.5), .float32(0.5)] as [GGUFValue])
  func g46Floats(value: GGUFValue) throws {
    let metadata = try Self.metadata(value)
    #expect(try metadata.float("k") == 0.5)
    #expect(try metadata.float("k", in: 0.5...1) == 0.5)
    #expect(try metadata.floats("k") == [0.5])
    #expect(
      Self.error { () throws(GGUFError) in try metadata.float("k", in: 0...0.25) }
        == .wrongMetadata(
          key: "k", offset: Self.offset, expected: "a number from 0.0 to 0.25",
          found: "\(value)"))
    #expect(throws: GGUFError.self) { try metadata.integer("k") }
  }

  @Test("G46: the keys that the reader itself needs may have any width", arguments: widths(of: 64))
  func g46Alignment(value: GGUFValue) throws {
    var writer = GGUFWriter()
    writer.set("general.alignment", value)
    writer.add("a", [1], floats: [1])
    writer.add("b", [1], floats: [2])
    let tensors = try GGUFFile(bytes: writer.bytes()).tensors
    #expect(tensors[1].byteRange.lowerBound - tensors[0].byteRange.lowerBound == 64)
  }

  @Test("G46: so may the keys of a split set", arguments: zip(widths(of: 0), widths(of: 2)))
  func g46Split(number: GGUFValue, count: GGUFValue) throws {
    let folder = try TemporaryFolder()
    for index in 0..<2 {
      var writer = GGUFWriter()
      writer.set("split.no", index == 0 ? number : .uint16(1))
      writer.set("split.count", count)
      writer.set("split.tensors.count", count)
      writer.add("\(index)", [1], floats: [1])
      try writer.write(to: folder.path("m-0000\(index + 1)-of-00002.gguf"))
    }
    #expect(try GGUFFile(path: folder.path("m-00001-of-00002.gguf")).tensors.count == 2)
  }

  @Test(
    "A number that is not finite is refused",
    arguments: [.float32(.nan), .float32(.infinity), .float64(-.infinity), .float64(1e300)]
      as [GGUFValue])
  func notFinite(value: GGUFValue) throws {
    let metadata = try Self.metadata(value)
    #expect(
      Self.error { () throws(GGUFError) in try metadata.float("k") }
        == .wrongMetadata(
          key: "k", offset: Self.offset, expected: "a finite number", found: "\(value)"))
    #expect(throws: GGUFError.self) {
      try metadata.float("k", in: -Float.infinity...Float.infinity)
    }
  }

  @Test("An absent key gives nil from every getter")
  func absentKey() throws {
    let metadata = try Self.metadata(.bool(true))
    #expect(metadata["other"] == nil)
    #expect(try metadata.integer("other", in: 1...2) == nil)
    #expect(try metadata.float("other") == nil)
    #expect(try metadata.bool("other") == nil)
    #expect(try metadata.string("other") == nil)
    #expect(try metadata.bytes("other") == nil)
    #expect(try metadata.strings("other") == nil)
    #expect(try metadata.integers("other") == nil)
    #expect(try metadata.floats("other") == nil)
    #expect(try metadata.bools("other") == nil)
  }

  @Test("Each getter refuses values of another kind")
  func otherKinds() throws {
    let string = try Self.metadata(.text("5"))
    #expect(throws: GGUFError.self) { try string.integer("k") }
    #expect(throws: GGUFError.self) { try string.float("k") }
    #expect(throws: GGUFError.self) { try string.bool("k") }
    #expect(throws: GGUFError.self) { try string.strings("k") }
    #expect(throws: GGUFError.self) { try string.integers("k") }
    #expect(throws: GGUFError.self) { try string.floats("k") }
    #expect(throws: GGUFError.self) { try string.bools("k") }
    let number = try Self.metadata(.uint8(1))
    #expect(throws: GGUFError.self) { try number.bool("k") }
    #expect(throws: GGUFError.self) { try number.string("k") }
    #expect(throws: GGUFError.self) { try number.bytes("k") }
    let array = try Self.metadata(.array(.uint32([1])))
    #expect(throws: GGUFError.self) { try array.integer("k") }
    #expect(throws: GGUFError.self) { try array.strings("k") }
    #expect(throws: GGUFError.self) { try array.bytes("k") }
  }

  @Test("Arrays are read in any width, and the element that is wrong is named")
  func arrays() throws {
    let heads = try Self.metadata(.array(.int32([0, 8, 0, 8])))
    #expect(try heads.integers("k", in: 0...8) == [0, 8, 0, 8])
    #expect(try heads.floats("k") == [0, 8, 0, 8])
    #expect(
      Self.error { () throws(GGUFError) in try heads.integers("k", in: 0...7) }
        == .wrongMetadata(
          key: "k", offset: Self.offset, expected: "integers from 0 to 7",
          found: "int32 8 at index 1"))
    let factors = try Self.metadata(.array(.float64([1, 2.5])))
    #expect(try factors.floats("k") == [1, 2.5])
    #expect(try Self.metadata(.array(.bool([true, false]))).bools("k") == [true, false])
    #expect(try Self.metadata(.bool(true)).bools("k") == [true])
    #expect(try Self.metadata(.array(.int8([-1, 2]))).bytes("k") == [255, 2])
    #expect(try Self.metadata(.array(.uint8([1, 2]))).bytes("k") == [1, 2])
  }

  @Test("Keys stay in file order, with the place of their values")
  func fileOrder() throws {
    var writer = GGUFWriter(architecture: "llama")
    writer.set("z", .uint8(1))
    writer.set("a", .uint8(2))
    writer.set("z", .uint8(3))
    let metadata = try GGUFFile(bytes: writer.bytes()).metadata
    #expect(metadata.map(\.key) == ["general.architecture", "z", "a"])
    #expect(metadata["z"] == .uint8(3))
    // Header 24; key 28, type 4, value 13; key 9, type and value 5; key 9.
    #expect(metadata.map(\.offset) == [52, 78, 92])
  }
}
