import ConstrainedDecoding
import Foundation
import Tokenization

/// Small vocabularies made for tests.
enum TestVocabulary {
  static let endToken = 2

  /// Every single byte, words, pieces of JSON, parts of characters, one control and one end token.
  static let small: TokenTable = {
    var tokens: [[UInt8]] = [Array("<s>".utf8), Array("<tool>".utf8), Array("</s>".utf8)]
    for byte in 0...255 { tokens.append([UInt8(byte)]) }
    let words = [
      "the", "The", " the", "name", "\"name", "name\"", "\":", "\": ", "\": \"", "\",", "\", \"",
      "\"}", "\"},", "}}", "]}", "[", "[]", "{\"", "{}", "true", "false", "null", "tr", "nu", "12",
      "123", "1.", ".5", "-1", "00", "a", "ab", "abc", "aa", "aaaa", "aaaaaaaa", "bb", "xy", "é",
      "中文", " 中", "\n", "\n  ", "  ", " \"", "word", "hello world", " hello", "\\n", "\\\"",
      "\\u00", "@example", ".com", "2024-", "-01-", "e+", "\t", "\r\n", "😀", "abc\"", "a\":1",
      "0123456789012345678901234567890123456789", "x, y", "yes", "yes please", "1+", "(1",
    ]
    tokens += words.map { Array($0.utf8) }
    // Halves of characters, alone and behind whole ones.
    tokens += [[0xC3], [0xE4, 0xB8], [0xF0, 0x9F], [0x98, 0x80], [0x61, 0xC3], [0xA9, 0x22]]
    var control = [Bool](repeating: false, count: tokens.count)
    for id in 0...2 { control[id] = true }
    return table(tokens, control: control, endTokens: [endToken])
  }()

  /// Bytes from id 300 on, `named` control tokens at their ids, plain words elsewhere.
  static func named(_ named: [String: Int]) -> TokenTable {
    var tokens = (0..<300).map { Array("word\($0)".utf8) }
    for byte in 0...255 { tokens.append([UInt8(byte)]) }
    var control = [Bool](repeating: false, count: tokens.count)
    for (text, id) in named {
      tokens[id] = Array(text.utf8)
      control[id] = true
    }
    return table(tokens, control: control, endTokens: [0])
  }

  static func table(_ tokens: [[UInt8]], control: [Bool], endTokens: [Int]) -> TokenTable {
    var texts = ByteStrings()
    for token in tokens { texts.append(token) }
    return TokenTable(texts, control: control, endTokens: endTokens)
  }

  /// Whether the whole of `text` is in the grammar.
  static func accepts(_ grammar: CompiledGrammar, _ text: some Sequence<UInt8>) throws -> Bool {
    var matcher = grammar.makeMatcher()
    guard try matcher.accept(text: text) else { return false }
    return try matcher.isComplete
  }

  static func accepts(_ grammar: CompiledGrammar, _ text: String) throws -> Bool {
    try accepts(grammar, Array(text.utf8))
  }
}

/// A repeatable source of randomness (SplitMix64); tests print the seed.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
