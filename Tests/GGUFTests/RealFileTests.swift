import Foundation
import GGUF
import TestSupport
import Testing

/// The model fixtures read as the `gguf` Python package reads them; see `Fixtures/gguf/listing.py`.
@Suite struct RealFileTests {
  static let fixtures = [
    "gemma2", "gemma3", "llama", "llama-tied", "llama3-rope", "mistral", "phi3", "qwen2", "qwen3",
  ]

  @Test("Metadata and tensors are those of the reference reader", arguments: fixtures)
  func matchesListing(name: String) throws {
    let listing = try #require(try Self.listings()[name] as? [String: Any])
    let path = TestData.fixtures.appending(path: "arch/\(name).gguf").path(percentEncoded: false)
    let file = try GGUFFile(path: path)

    let entries = try #require(listing["metadata"] as? [[Any]])
    #expect(file.metadata.map(\.key) == entries.compactMap { $0[0] as? String })
    for (entry, expected) in zip(file.metadata, entries) {
      #expect(Self.summary(entry.value) == expected[2] as? NSObject, "\(entry.key)")
      let types = try #require(expected[1] as? [String])
      #expect(Self.types(entry.value) == types, "\(entry.key)")
    }
    let tensors = try #require(listing["tensors"] as? [[Any]])
    #expect(file.tensors.count == tensors.count)
    for (tensor, expected) in zip(file.tensors, tensors) {
      #expect(tensor.name == expected[0] as? String)
      #expect(Int(tensor.type.rawValue) == expected[1] as? Int)
      #expect(tensor.dimensions == expected[2] as? [Int])
      #expect(tensor.byteRange.lowerBound == expected[3] as? Int)
      #expect(tensor.byteCount == expected[4] as? Int)
      #expect(Int(crc32(file.copy(tensor))) == expected[5] as? Int, "\(tensor.name)")
    }
  }

  private static func listings() throws -> [String: Any] {
    let url = TestData.fixtures.appending(path: "gguf/listing.json")
    return try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any] ?? [:]
  }

  private static func types(_ value: GGUFValue) -> [String] {
    let words = "\(value)".split(separator: " ")
    guard words[0] == "array" else { return [String(words[0])] }
    return ["array", String(words[3])]
  }

  /// A value in the way the listing has it: a number, or count and checksum.
  private static func summary(_ value: GGUFValue) -> NSObject? {
    switch value {
    case .string(let bytes): [bytes.count, Int(crc32(bytes))] as NSArray
    case .array(let array): [array.count, Int(crc32(bytes(array)))] as NSArray
    case .bool(let flag): (flag ? 1 : 0) as NSNumber
    default: value.number.map { $0 as NSNumber }
    }
  }

  private static func bytes(_ array: GGUFArray) -> [UInt8] {
    switch array {
    case .string(let strings): strings.bytes
    case .int32(let values):
      values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    case .float32(let values):
      values.flatMap { value in
        (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
      }
    default: []
    }
  }
}

/// The checksum of zlib and PNG (polynomial 0xEDB88320, reflected).
func crc32(_ bytes: [UInt8]) -> UInt32 {
  ~bytes.reduce(~0) { $0 >> 8 ^ crcTable[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
}

private let crcTable = (0..<256 as Range<UInt32>).map { index in
  (0..<8).reduce(index) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
}
