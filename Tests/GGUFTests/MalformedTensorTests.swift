import GGUF
import Testing

/// Rows G14 to G29 of the list of inputs that broke engines: alignment and tensor table.
@Suite struct MalformedTensorTests {
  @Test("G14: a tensor name that occurs twice is refused")
  func g14DuplicateTensor() {
    let name = "token_embd.weight"
    var file = RawFile(tensors: 2)
    file.put(tensor: name, [8], type: 0, offset: 0)
    file.put(tensor: name, [8], type: 0, offset: 32)
    file.put(data: [UInt8](repeating: 0, count: 64))
    // 24 for the header, and one entry: 8 + 17 name, 4 count, 8 dimension, 4 type, 8 offset.
    #expect(openingError(file.bytes) == .duplicateTensor(name, offset: 73))
  }

  @Test(
    "G16: a zero dimension makes an empty tensor, which needs no data",
    arguments: [[2, 0], [0, 2], [0], [0, 0, 0, 0]] as [[UInt64]])
  func g16ZeroDimension(dimensions: [UInt64]) throws {
    for type: UInt32 in [0, 8] where type == 0 || dimensions[0] == 0 {
      let file = try GGUFFile(bytes: fileWithTensor(dimensions, type: type))
      let tensor = try #require(file.tensor(named: "t"))
      #expect(tensor.elementCount == 0 && tensor.byteCount == 0)
      #expect(tensor.rowLength == Int(dimensions[0]))
      #expect(tensor.rowCount == dimensions.dropFirst().reduce(1, *))
      #expect(file.copy(tensor) == [])
    }
  }

  @Test("A tensor without dimensions is one value")
  func scalarTensor() throws {
    let file = try GGUFFile(bytes: fileWithTensor([], data: 4))
    #expect(file.tensors[0].elementCount == 1)
    #expect(file.copy(file.tensors[0]) == [1, 1, 1, 1])
  }

  @Test(
    "G17: sizes that wrap are refused",
    arguments: [
      [.max, 2, 1, 1], [4_194_305, 4_194_305, 211_106_198_978_564], [1 << 63], [1 << 61],
      [1 << 62, 2],
      [0, 1 << 62, 1 << 62], [1 << 63, 0],
    ] as [[UInt64]])
  func g17WrappingShapes(dimensions: [UInt64]) {
    guard
      case .invalidShape("t", offset: 33, dimensions: dimensions, _)? =
        openingError(fileWithTensor(dimensions))
    else {
      Issue.record("not refused")
      return
    }
  }

  @Test("G17: a huge size that does not wrap is more than the file holds")
  func g17HugeShape() {
    // (2^42 + 1) blocks of 34 bytes, after a header of 65 bytes padded to 96.
    let needed = 96 + (1 << 42 + 1) * 34
    #expect(
      openingError(fileWithTensor([32, 1 << 42 + 1], type: 8))
        == .incompleteFile(size: 96, needed: needed))
    // The largest size there is, after 64 bytes: the sum with its place in the file overflows.
    #expect(
      openingError(fileWithTensor([UInt64(Int.max)], type: 24))
        == .incompleteFile(size: 64, needed: .max))
  }

  @Test("More than four dimensions are refused", arguments: [5, 1_000, .max] as [UInt32])
  func dimensionCount(count: UInt32) {
    var file = RawFile(tensors: 1)
    file.put(text: "t")
    file.put(count)
    for _ in 0..<5 { file.put(UInt64(1)) }
    #expect(
      openingError(file.bytes)
        == .invalidShape(
          tensor: "t", offset: 33, dimensions: [],
          reason: "\(count) dimensions where at most 4 are allowed"))
  }

  @Test(
    "A row holds whole blocks",
    arguments: [([33], 2), ([31], 8), ([255], 12), ([32], 12), ([16, 2], 8)]
      as [([UInt64], UInt32)])
  func partialBlocks(dimensions: [UInt64], type: UInt32) {
    guard
      case .invalidShape("t", offset: 33, dimensions: dimensions, let reason)? =
        openingError(fileWithTensor(dimensions, type: type, data: 1024))
    else {
      Issue.record("not refused")
      return
    }
    #expect(reason.contains("row length"))
  }

  /// The type of the tensor of `fileWithTensor([32])`: 24 header, 9 name, 4 count, 8 dimension.
  static let typeOffset = 45

  @Test(
    "G19: removed types are refused as such", arguments: [4, 5, 31, 32, 33, 36, 37, 38] as [UInt32])
  func g19RemovedTypes(id: UInt32) {
    #expect(
      openingError(fileWithTensor([32], type: id, data: 1024))
        == .unsupportedTensorType(tensor: "t", offset: Self.typeOffset, id: id, refusal: .removed))
  }

  @Test("G20: unknown types are refused", arguments: [43, 100, 10_000, 1 << 31, .max] as [UInt32])
  func g20UnknownTypes(id: UInt32) {
    #expect(
      openingError(fileWithTensor([32], type: id, data: 1024))
        == .unsupportedTensorType(tensor: "t", offset: Self.typeOffset, id: id, refusal: .unknown))
  }

  @Test(
    "Types of the ik_llama.cpp fork are refused by name", arguments: [101, 137, 398] as [UInt32])
  func ikTypes(id: UInt32) throws {
    let error = try #require(openingError(fileWithTensor([32], type: id, data: 1024)))
    #expect(
      error
        == .unsupportedTensorType(tensor: "t", offset: Self.typeOffset, id: id, refusal: .ikOnly))
    #expect(error.description.contains("IK-only type"))
  }

  /// A file that states an alignment and is padded to another one.
  static func file(alignment: UInt32, paddedTo padding: Int) -> [UInt8] {
    var file = RawFile(tensors: 2, entries: 1)
    file.put(key: "general.alignment", type: 4)
    file.put(alignment)
    file.put(tensor: "a", [1], type: 0, offset: 0)
    file.put(tensor: "b", [1], type: 0, offset: UInt64(padding))
    file.put(data: [1, 2, 3, 4], alignment: padding)
    file.put(data: [5, 6, 7, 8], alignment: padding)
    return file.bytes
  }

  @Test(
    "G22, G23: an alignment is a power of two from 8 to 1 MiB",
    arguments: [0, 1, 2, 4, 12, 13, 24, 1 << 20 + 1, 1 << 21, 1 << 31, .max] as [UInt32])
  func g22g23Alignment(alignment: UInt32) {
    // The value begins after 24 bytes of header and 8 + 17 of key.
    #expect(
      openingError(Self.file(alignment: alignment, paddedTo: 32))
        == .invalidAlignment(Int(alignment), offset: 49))
  }

  @Test("Other alignments than the usual 32 are obeyed", arguments: [8, 16, 32, 64, 4096, 1 << 20])
  func obeyedAlignments(alignment: Int) throws {
    let bytes = Self.file(alignment: UInt32(alignment), paddedTo: alignment)
    let file = try GGUFFile(bytes: bytes)
    #expect(file.copy(file.tensors[0]) == [1, 2, 3, 4])
    #expect(file.copy(file.tensors[1]) == [5, 6, 7, 8])
    #expect(file.tensors.allSatisfy { $0.byteRange.lowerBound.isMultiple(of: alignment) })
  }

  @Test(
    "G25, G26: data lies where the sizes before it put it",
    arguments: [1, 32, 96, 128, UInt64(Int.max), 1 << 63, .max - 31, .max])
  func g25g26Offsets(offset: UInt64) {
    // The offset follows the type: 45 + 4.
    #expect(
      openingError(fileWithTensor([2], type: 24, offset: offset, data: 32))
        == .wrongTensorOffset(tensor: "t", offset: 49, expected: 0, found: offset))
  }

  @Test("G25: a second tensor may neither overlap nor leave a gap", arguments: [0, 31, 33, 64])
  func g25SecondOffset(offset: Int) {
    var file = RawFile(tensors: 2)
    file.put(tensor: "a", [8], type: 0, offset: 0)
    file.put(tensor: "b", [8], type: 0, offset: UInt64(offset))
    file.put(data: [UInt8](repeating: 0, count: 128))
    // 24 of header, 33 for the first entry, and in the second 9 + 4 + 8 + 4 before the offset.
    #expect(
      openingError(file.bytes)
        == .wrongTensorOffset(tensor: "b", offset: 82, expected: 32, found: UInt64(offset)))
  }

  @Test(
    "G25: the last tensor may not lack a byte, its padding may be missing", arguments: [0, 1, 4])
  func g25LastByte(missing: Int) {
    let error = openingError(fileWithTensor([1], data: 4 - missing))
    #expect(error == (missing == 0 ? nil : .incompleteFile(size: 68 - missing, needed: 68)))
  }

  @Test("G28: a tensor name has 1 to 63 bytes", arguments: [0, 1, 63, 64, 200])
  func g28NameLength(length: Int) {
    let name = String(repeating: "n", count: length)
    let error = openingError(fileWithTensor([1], data: 4, name: name))
    let valid = (1...63).contains(length)
    #expect(error == (valid ? nil : .invalidTensorName(String(name.prefix(100)), offset: 24)))
  }

  @Test(
    "G28: a tensor name is plain UTF-8 text", arguments: [[0xFF], [0x61, 0], [0x61, 10], [0x7F]])
  func g28NameBytes(name: [UInt8]) {
    var file = RawFile(tensors: 1)
    file.put(text: name)
    for _ in 0..<4 { file.put(UInt64(0)) }
    let shown = String(decoding: name, as: UTF8.self)
    #expect(openingError(file.bytes) == .invalidTensorName(shown, offset: 24))
  }

  @Test(
    "G29: a download cut in the data says how long the file should be", arguments: [4096, 8224])
  func g29CutDownload(missing: Int) throws {
    let whole = fileWithTensor([4096], data: 16_384)
    let error = try #require(openingError(Array(whole.dropLast(missing))))
    #expect(whole.count == 16_448)
    #expect(error == .incompleteFile(size: 16_448 - missing, needed: 16_448))
    #expect(error.description.contains("The file is \(16_448 - missing) bytes, needs 16448"))
  }
}
