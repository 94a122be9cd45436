internal import GGUF

/// A byte-level BPE vocabulary of any size: the bytes, and pieces of lower-case letters.
///
/// Every text can be encoded: what the pieces do not cover is bytes.
struct RandomVocabulary {
  /// The bytes, and one token each for begin and end.
  static let smallest = 258

  let tokens: [String]
  let merges: [String]
  var begin: Int { tokens.count - 2 }
  var end: Int { tokens.count - 1 }

  /// A vocabulary of `count` tokens, `smallest` or more.
  init(count: Int) {
    let bytes = Self.alphabet
    var tokens = bytes
    var merges: [String] = []
    // Longer and longer pieces: each is one that exists with one more letter.
    let letters = (0x61...0x7A).compactMap {
      bytes.firstIndex(of: String(UnicodeScalar(UInt8($0))))
    }
    let space = bytes[0x20]
    var parents = [space] + letters.map { bytes[$0] }
    var next = 0
    while tokens.count < count - 2 {
      let parent = parents[next]
      next += 1
      for letter in letters where tokens.count < count - 2 {
        let piece = parent + bytes[letter]
        tokens.append(piece)
        merges.append(parent + " " + bytes[letter])
        parents.append(piece)
      }
    }
    self.tokens = tokens + ["<|begin|>", "<|end|>"]
    self.merges = merges
  }

  /// How each byte is spelt: visible Latin-1 characters as themselves, the others from U+0100 on.
  private static var alphabet: [String] {
    var next: UInt32 = 0x100
    return (0..<256).compactMap { byte -> String? in
      let isVisible =
        (0x21...0x7E).contains(byte) || (0xA1...0xAC).contains(byte)
        || (0xAE...0xFF).contains(byte)
      if !isVisible { next += 1 }
      return UnicodeScalar(isVisible ? UInt32(byte) : next - 1).map { String($0) }
    }
  }

  /// The tokenizer's keys.
  func describe(in writer: inout GGUFWriter) {
    let prefix = "tokenizer.ggml."
    let types = tokens.indices.map { Int32($0 < begin ? 1 : 3) }
    writer.set(prefix + "model", .text("gpt2"))
    writer.set(prefix + "pre", .text("gpt-2"))
    writer.set(prefix + "tokens", .texts(tokens))
    writer.set(prefix + "token_type", .array(.int32(types)))
    writer.set(prefix + "merges", .texts(merges))
    writer.set(prefix + "bos_token_id", .uint32(UInt32(begin)))
    writer.set(prefix + "eos_token_id", .uint32(UInt32(end)))
    writer.set(prefix + "add_bos_token", .bool(true))
  }
}
