import Foundation
import TestSupport
import Testing
import Tokenization

@Suite("Pre-tokenizers")
struct PretokenizerTests {
  private struct Split: Decodable {
    var text: String
    /// Lengths of the pieces, in code points.
    var lengths: [Int]
  }

  static let names = [
    "gpt-2", "llama-bpe", "qwen2", "qwen35", "smollm", "default", "falcon", "deepseek-llm",
    "deepseek-coder", "deepseek-v3", "gpt-4o", "tekken", "bloom", "viking",
  ]

  /// Recorded with the published regular expressions by `make_splits.py`, which lies beside.
  @Test(arguments: names)
  func randomTextIsCutAsByThePublishedExpression(_ name: String) throws {
    let url = TestData.fixtures.appending(path: "pretokenizers/splits.json")
    let all = try JSONDecoder().decode([String: [Split]].self, from: Data(contentsOf: url))
    let splits = try #require(all[name])
    let pretokenizer = try #require(Pretokenizer.named(name))
    #expect(splits.count >= 100)
    for split in splits {
      let bytes = Array(split.text.utf8)
      let lengths = pretokenizer.pieces(of: bytes, 0..<bytes.count).map { piece in
        String(decoding: bytes[piece], as: UTF8.self).unicodeScalars.count
      }
      #expect(lengths == split.lengths, "\(split.text.debugDescription)")
    }
  }

  @Test(arguments: Pretokenizer.names)
  func piecesCoverAnyBytes(_ name: String) throws {
    let pretokenizer = try #require(Pretokenizer.named(name))
    var random = SeededRandom(seed: 5)
    for length in [0, 1, 2, 3, 7, 64, 300] {
      let bytes = (0..<length).map { _ in random.byte() }
      var position = 0
      for piece in pretokenizer.pieces(of: bytes, 0..<length) {
        #expect(piece.lowerBound == position && !piece.isEmpty)
        position = piece.upperBound
      }
      #expect(position == length)
    }
  }

  @Test(
    "Numbers are grouped as the family does",
    arguments: [
      ("gpt-2", ["12345"]), ("llama-bpe", ["123", "45"]), ("qwen2", ["1", "2", "3", "4", "5"]),
      ("smollm", ["1", "2", "3", "4", "5"]), ("tekken", ["1", "2", "3", "4", "5"]),
      ("gpt-4o", ["123", "45"]), ("falcon", ["123", "45"]),
    ])
  func digits(_ name: String, _ expected: [String]) throws {
    let pretokenizer = try #require(Pretokenizer.named(name))
    let bytes = Array("12345".utf8)
    let pieces = pretokenizer.pieces(of: bytes, 0..<bytes.count)
    #expect(pieces.map { String(decoding: bytes[$0], as: UTF8.self) } == expected)
  }

  @Test func unknownNamesHaveNoRule() {
    #expect(Pretokenizer.named("nonsense") == nil)
    #expect(Pretokenizer.named("") == nil)
  }
}
