import GGUF
import Testing

/// Rows G1 to G13, G43 and G44 of the list of inputs that broke engines: header and metadata.
@Suite struct MalformedHeaderTests {
  @Test(
    "G1: a file cut within its first 24 bytes names the field that is cut",
    arguments: [
      (0, "magic", 0, 4), (1, "magic", 0, 4), (3, "magic", 0, 4), (4, "version", 4, 4),
      (7, "version", 4, 4), (8, "tensor count", 8, 8), (16, "metadata count", 16, 8),
      (23, "metadata count", 16, 8),
    ])
  func g1CutHeader(length: Int, field: String, offset: Int, needed: UInt64) {
    let bytes = Array(RawFile().bytes.prefix(length))
    #expect(
      openingError(bytes)
        == .truncated(field: field, offset: offset, needed: needed, available: length - offset))
  }

  @Test(
    "G2: another kind of file is recognised",
    arguments: [
      ("FUGG\u{3}\0\0\0", "big-endian"), ("<!DOCTYPE html><html><head>", "HTML"),
      ("\n  <html lang=\"en\">", "HTML"), ("<?xml version=\"1.0\"?><Error>", "XML"),
      ("ggjt\u{3}\0\0\0", "GGML"), ("tjgg\u{3}\0\0\0", "GGML"), ("lmgg", "GGML"),
      ("PK\u{3}\u{4}\u{14}\0\0\0", "zip"), ("\0\0\0\0\0\0\0\0", "zeros"),
      ("@\u{1}\0\0\0\0\0\0{\"model.embed\":{}}", "safetensors"), ("{\"error\": 404}", "JSON"),
      ("version https://git-lfs.github.com/spec/v1", "Git LFS"), ("\u{1F}\u{8}\0\0", "gzip"),
      ("abcd", "61 62 63 64"),
    ])
  func g2OtherFormats(content: String, meaning: String) throws {
    guard case .notGGUF(let looksLike)? = openingError(Array(content.utf8)) else {
      Issue.record("not refused as another format")
      return
    }
    #expect(looksLike.contains(meaning))
  }

  @Test(
    "G4: other versions are refused by number", arguments: [0, 1, 4, 99, 0x0001_0003] as [UInt32])
  func g4Versions(version: UInt32) {
    #expect(openingError(RawFile(version: version).bytes) == .unsupportedVersion(version))
  }

  @Test("Big-endian files are refused by name", arguments: [1, 2, 3] as [UInt32])
  func bigEndianVersions(version: UInt32) {
    let file = RawFile(version: version.byteSwapped)
    #expect(openingError(file.bytes) == .bigEndian(version: version))
  }

  @Test("Versions 2 and 3 open", arguments: [2, 3] as [UInt32])
  func supportedVersions(version: UInt32) throws {
    #expect(try GGUFFile(bytes: RawFile(version: version).bytes).version == Int(version))
  }

  static let hugeCounts: [UInt64] = [.max, 1 << 63, 1 << 61 + 1, 1 << 32, 1]

  @Test("G5: counts that the file has no room for are refused", arguments: hugeCounts)
  func g5Counts(count: UInt64) {
    #expect(
      openingError(RawFile(tensors: count).bytes)
        == .impossibleCount(field: "tensor count", offset: 8, count: count, maximum: 0))
    #expect(
      openingError(RawFile(entries: count).bytes)
        == .impossibleCount(field: "metadata count", offset: 16, count: count, maximum: 0))
  }

  @Test("G5: so are counts of array elements, of every type", arguments: hugeCounts)
  func g5ArrayCounts(count: UInt64) {
    for type in (0...12 as ClosedRange<UInt32>) where type != 9 {
      var file = RawFile(entries: 1)
      file.put(key: "k", type: 9)
      file.put(type)
      file.put(count)
      #expect(
        openingError(file.bytes)
          == .impossibleCount(field: "array count of 'k'", offset: 41, count: count, maximum: 0))
    }
  }

  @Test("G7: the length of a key is checked", arguments: [.max, 1 << 40, 6] as [UInt64])
  func g7KeyLength(length: UInt64) {
    var file = RawFile(entries: 1)
    file.put(text: Array("abcde".utf8), length: length)
    #expect(
      openingError(file.bytes)
        == .truncated(field: "metadata key 0", offset: 32, needed: length, available: 5))
  }

  @Test("G7: the length of a tensor name is checked", arguments: [.max, 1 << 40, 17] as [UInt64])
  func g7TensorNameLength(length: UInt64) {
    var file = RawFile(tensors: 1)
    file.put(text: [UInt8](repeating: 97, count: 16), length: length)
    #expect(
      openingError(file.bytes)
        == .truncated(field: "name of tensor 0", offset: 32, needed: length, available: 16))
  }

  @Test("G8: the length of a string value is checked", arguments: [4 << 20, .max, 6] as [UInt64])
  func g8ValueLength(length: UInt64) {
    var file = RawFile(entries: 1)
    file.put(key: "k", type: 8)
    file.put(text: Array("abcde".utf8), length: length)
    #expect(file.bytes.count == 50)
    #expect(
      openingError(file.bytes)
        == .truncated(field: "value of 'k'", offset: 45, needed: length, available: 5))
  }

  @Test("G8: so is the length of an array element", arguments: [4 << 20, .max, 6] as [UInt64])
  func g8ElementLength(length: UInt64) {
    var file = RawFile(entries: 1)
    file.put(key: "k", type: 9)
    file.put(UInt32(8))
    file.put(UInt64(2))
    file.put(text: "")
    file.put(text: Array("abcde".utf8), length: length)
    #expect(
      openingError(file.bytes)
        == .truncated(field: "element 1 of 'k'", offset: 65, needed: length, available: 5))
  }

  @Test("G10: an unknown value type is refused, not skipped", arguments: [13, 255] as [UInt32])
  func g10UnknownTypes(id: UInt32) {
    var scalar = RawFile(entries: 2)
    scalar.put(key: "k", type: id)
    scalar.put(key: "good", text: "value")
    #expect(openingError(scalar.bytes) == .unknownValueType(key: "k", offset: 33, id: id))

    var array = RawFile(entries: 2)
    array.put(key: "k", type: 9)
    array.put(id)
    array.put(UInt64(0))
    array.put(key: "good", text: "value")
    #expect(openingError(array.bytes) == .unknownValueType(key: "k", offset: 37, id: id))
  }

  @Test("G11: arrays of arrays are refused at their first level", arguments: [1, 4, 3_000])
  func g11NestedArrays(levels: Int) {
    var file = RawFile(entries: 1)
    file.put(key: "k", type: 9)
    for _ in 0..<levels {
      file.put(UInt32(9))
      file.put(UInt64(1))
    }
    file.put(UInt32(0))
    file.put(UInt64(1))
    file.put(UInt8(7))
    #expect(openingError(file.bytes) == .nestedArray(key: "k", offset: 37))
  }

  @Test("G13: a key that occurs twice is refused")
  func g13DuplicateKey() {
    let key = "general.architecture"
    var file = RawFile(entries: 2)
    file.put(key: key, text: "llama")
    file.put(key: key, text: "qwen2")
    // 24 for the header, 8 + 20 key, 4 type, 8 + 5 value.
    #expect(openingError(file.bytes) == .duplicateKey(key, offset: 69))
  }

  @Test("G43: a Boolean is 0 or 1", arguments: [2, 255] as [UInt8])
  func g43Bools(byte: UInt8) {
    var scalar = RawFile(entries: 1)
    scalar.put(key: "k", type: 7)
    scalar.put(byte)
    #expect(openingError(scalar.bytes) == .invalidBool(key: "k", offset: 37, byte: byte))

    var array = RawFile(entries: 1)
    array.put(key: "k", type: 9)
    array.put(UInt32(7))
    array.put(UInt64(3))
    for element in [1, 0, byte] { array.put(element) }
    #expect(openingError(array.bytes) == .invalidBool(key: "k", offset: 51, byte: byte))
  }

  @Test(
    "G44: a key is made of ASCII letters, digits and . _ -",
    arguments: [[0xFF], Array("a b".utf8), Array("clé".utf8), [0x61, 0], Array("a/b".utf8), []]
      as [[UInt8]])
  func g44Keys(key: [UInt8]) {
    var file = RawFile(entries: 1)
    file.put(text: key)
    file.put(UInt32(0))
    file.put(UInt64(0))
    let shown = String(decoding: key, as: UTF8.self)
    #expect(openingError(file.bytes) == .invalidKey(shown, offset: 24))
  }

  @Test("G44: a key has at most 65535 bytes", arguments: [65_535, 65_536])
  func g44KeyLength(length: Int) throws {
    var file = RawFile(entries: 1)
    file.put(key: String(repeating: "k", count: length), type: 0)
    file.put(UInt8(5))
    let error = openingError(file.bytes)
    if length == 65_535 {
      #expect(error == nil)
    } else {
      #expect(error == .invalidKey(String(repeating: "k", count: 100), offset: 24))
    }
  }

  @Test("G44: a string value keeps bytes that are no UTF-8, and shows them lossily")
  func g44InvalidUTF8Value() throws {
    var file = RawFile(entries: 1)
    file.put(key: "k", type: 8)
    file.put(text: [0x61, 0x80, 0x62])
    let metadata = try GGUFFile(bytes: file.bytes).metadata
    #expect(metadata["k"] == .string([0x61, 0x80, 0x62]))
    #expect(try metadata.bytes("k") == [0x61, 0x80, 0x62])
    #expect(try metadata.string("k") == "a\u{FFFD}b")
  }
}
