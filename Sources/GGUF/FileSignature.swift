/// The first eight bytes of a file: magic and version.
enum FileSignature {
  /// Reads the magic, or says what the file is instead.
  static func check(_ reader: inout ByteReader) throws(GGUFError) {
    let start = reader.file.bytes(0..<min(reader.file.count, 512))
    let magic = try reader.integer("magic", as: UInt32.self)
    // "GGUF", lowest byte first.
    guard magic == 0x4655_4747 else { throw .notGGUF(looksLike: guess(start)) }
  }

  /// Reads the version and refuses those that cannot be read.
  static func version(_ reader: inout ByteReader) throws(GGUFError) -> UInt32 {
    let version = try reader.integer("version", as: UInt32.self)
    // Nothing but the version tells a big-endian file: small numbers move to the high bytes.
    if version != 0, version & 0xFFFF == 0 { throw .bigEndian(version: version.byteSwapped) }
    guard version == 2 || version == 3 else { throw .unsupportedVersion(version) }
    return version
  }

  private static let beginnings: [(String, String)] = [
    ("FUGG", "a GGUF file with its bytes swapped (big-endian machine)"),
    ("ggjt", "a GGML model of 2023 (ggjt)"), ("tjgg", "a GGML model of 2023 (ggjt)"),
    ("ggml", "a GGML model of 2023 (ggml)"), ("lmgg", "a GGML model of 2023 (ggml)"),
    ("ggmf", "a GGML model of 2023 (ggmf)"), ("fmgg", "a GGML model of 2023 (ggmf)"),
    ("ggla", "a GGML adapter of 2023 (ggla)"), ("algg", "a GGML adapter of 2023 (ggla)"),
    ("PK\u{3}\u{4}", "a zip archive or PyTorch checkpoint"),
    ("\u{1F}", "a gzip archive; decompress it first"),
    ("version https://git-lfs", "a Git LFS pointer instead of the file it stands for"),
  ]

  /// Says in words what the first bytes of a file seem to be.
  private static func guess(_ start: [UInt8]) -> String {
    for (beginning, meaning) in beginnings where start.starts(with: beginning.utf8) {
      return meaning
    }
    if start.allSatisfy({ $0 == 0 }) { return "zeros, as a download leaves that never began" }
    // A safetensors file is a JSON object after its 8-byte length.
    if start.dropFirst(8).starts(with: "{\"".utf8) { return "a safetensors file" }
    let text = start.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    if text.first == UInt8(ascii: "<") {
      return "an HTML or XML page, as a failed download leaves"
    }
    if text.first == UInt8(ascii: "{") { return "a JSON text" }
    return "something else, beginning with the bytes "
      + start.prefix(4).map { String($0, radix: 16) }.joined(separator: " ")
  }
}
