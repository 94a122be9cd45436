import Foundation
import GGUF
import Testing

/// Files made by the writer are laid out as specified and read back as they were meant.
@Suite struct RoundTripTests {
  /// One value of each type, and one array of each.
  static let values: [(String, GGUFValue)] = [
    ("u8", .uint8(200)), ("i8", .int8(-100)), ("u16", .uint16(60_000)), ("i16", .int16(-30_000)),
    ("u32", .uint32(4_000_000_000)), ("i32", .int32(-2_000_000_000)), ("f32", .float32(1.5)),
    ("b", .bool(true)), ("s", .text("naïve 🦙")), ("u64", .uint64(.max)), ("i64", .int64(.min)),
    ("f64", .float64(0.1)), ("empty", .text("")),
    ("a.u8", .array(.uint8([0, 255]))), ("a.i8", .array(.int8([-128, 127]))),
    ("a.u16", .array(.uint16([0, .max]))), ("a.i16", .array(.int16([.min, .max]))),
    ("a.u32", .array(.uint32([0, .max]))), ("a.i32", .array(.int32([.min, .max]))),
    ("a.f32", .array(.float32([-0.5, .infinity]))), ("a.b", .array(.bool([true, false, true]))),
    ("a.s", .texts(["", "a", "日本", "", "e\u{301}", "é"])),
    ("a.u64", .array(.uint64([0, .max]))), ("a.i64", .array(.int64([.min, .max]))),
    ("a.f64", .array(.float64([0.1, -.infinity]))), ("a.none", .array(.int32([]))),
    ("a.no-strings", .texts([])),
  ]

  @Test("Values of every type come back", arguments: [2, 3] as [UInt32])
  func everyType(version: UInt32) throws {
    var writer = GGUFWriter()
    writer.version = version
    for (key, value) in Self.values { writer.set(key, value) }
    let metadata = try GGUFFile(bytes: writer.bytes()).metadata
    #expect(metadata.map(\.key) == Self.values.map(\.0))
    #expect(metadata.map(\.value) == Self.values.map(\.1))
  }

  @Test("The writer lays a file out byte by byte as specified")
  func layout() throws {
    var writer = GGUFWriter(architecture: "llama")
    writer.set("n", .array(.int16([-2, 3])))
    writer.add("x", [2, 1], floats: [1, -2])
    writer.add("y", .q8_0, [32], bytes: [UInt8](repeating: 7, count: 34))

    var expected = RawFile(tensors: 2, entries: 2)
    expected.put(key: "general.architecture", text: "llama")
    expected.put(key: "n", type: 9)
    expected.put(UInt32(3))
    expected.put(UInt64(2))
    expected.put(Int16(-2))
    expected.put(Int16(3))
    expected.put(tensor: "x", [2, 1], type: 0, offset: 0)
    expected.put(tensor: "y", [32], type: 8, offset: 32)
    expected.put(data: [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0])
    expected.put(data: [UInt8](repeating: 7, count: 34))
    expected.put(data: [])
    #expect(try writer.bytes() == expected.bytes)
  }

  @Test("Tensors come back, of every type and at every alignment", arguments: [8, 32, 256])
  func tensors(alignment: UInt32) throws {
    var writer = GGUFWriter()
    writer.set("general.alignment", .uint32(alignment))
    for (index, type) in TensorType.allCases.enumerated() {
      let bytes = [UInt8](repeating: UInt8(index + 1), count: type.blockBytes * 6)
      writer.add("t.\(type)", type, [type.blockValues * 2, 3], bytes: bytes)
    }
    let file = try GGUFFile(bytes: writer.bytes())
    #expect(file.tensors.count == TensorType.allCases.count)
    for (index, tensor) in file.tensors.enumerated() {
      #expect(tensor.name == "t.\(tensor.type)")
      #expect(file.tensor(named: tensor.name) == tensor)
      #expect(tensor.dimensions == [tensor.type.blockValues * 2, 3])
      #expect(tensor.elementCount == tensor.type.blockValues * 6)
      #expect(tensor.rowCount == 3)
      #expect(tensor.rowByteCount == tensor.type.blockBytes * 2)
      #expect(tensor.byteRange.lowerBound.isMultiple(of: Int(alignment)))
      #expect(
        file.copy(tensor)
          == [UInt8](repeating: UInt8(index + 1), count: tensor.type.blockBytes * 6))
      #expect(unsafe Array(file.unsafeBytes(of: tensor)) == file.copy(tensor))
    }
    #expect(file.tensorByteCount == TensorType.allCases.reduce(0) { $0 + $1.blockBytes * 6 })
    #expect(file.tensor(named: "absent") == nil)
  }

  @Test(
    "A file on disk reads like the same bytes in memory",
    arguments: [GGUFFile.Access.mapped, .copied])
  func onDisk(access: GGUFFile.Access) throws {
    let folder = try TemporaryFolder()
    var writer = GGUFWriter(architecture: "llama")
    writer.add("large", .i8, [1 << 16, 3]) { (0..<3 << 16).map { UInt8(truncatingIfNeeded: $0) } }
    let path = folder.path("model.gguf")
    try writer.write(to: path)
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == writer.bytes())
    let file = try GGUFFile(path: path, access: access)
    file.prefetch()
    file.prefetch(file.tensors[0])
    #expect(file.copy(file.tensors[0]) == (0..<3 << 16).map { UInt8(truncatingIfNeeded: $0) })
    #expect(file.paths == [path])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["model.gguf"])
  }

  @Test("The writer refuses data that does not fit its shape, and leaves no file")
  func wrongDataSize() throws {
    let folder = try TemporaryFolder()
    var writer = GGUFWriter()
    writer.add("t", .q4_0, [32], bytes: [1, 2, 3])
    let path = folder.path("model.gguf")
    #expect(
      throws: GGUFError.cannotWrite(path: path, reason: "tensor 't' needs 18 bytes, got 3")
    ) { try writer.write(to: path) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == [])
    #expect(throws: GGUFError.self) { try writer.write(to: folder.path("no/such/folder")) }
    var partial = GGUFWriter()
    partial.add("t", .q4_0, [31], bytes: [])
    #expect(throws: GGUFError.self) { try partial.bytes() }
  }
}
