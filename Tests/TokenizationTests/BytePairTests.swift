import GGUF
import Testing
import Tokenization

@Suite("Byte-level BPE")
struct BytePairTests {
  @Test func bestRankIsJoinedFirst() throws {
    let tokenizer = try Tokenizer(SmallVocabulary.bytePair(["b c", "a b", "a bc"]))
    #expect(tokenizer.texts(tokenizer.encode("abc")) == ["abc"])
    let other = try Tokenizer(SmallVocabulary.bytePair(["a b", "b c", "a bc"]))
    #expect(other.texts(other.encode("abc")) == ["ab", "c"])
  }

  @Test func mergesStayInsidePieces() throws {
    let tokenizer = try Tokenizer(SmallVocabulary.bytePair(["a 1", "\u{120} a"]))
    #expect(tokenizer.texts(tokenizer.encode("a1 a")) == ["a", "1", " a"])
  }

  @Test func wholePiecesAreTakenWhereMergesAreIgnored() throws {
    // No merge leads to "abc"; only the vocabulary has it.
    let whole: [SmallVocabulary.Entry] = [("abc", .normal, 0)]
    let plain = try Tokenizer(SmallVocabulary.bytePair(["a b"], others: whole))
    #expect(plain.texts(plain.encode("abc")) == ["ab", "c"])
    let llama = try Tokenizer(
      SmallVocabulary.bytePair(["a b"], others: whole, pretokenizer: "llama-bpe"))
    #expect(llama.texts(llama.encode("abc")) == ["abc"])
  }

  @Test func mergesMayPassThroughWhatIsNoToken() throws {
    var description = SmallVocabulary.bytePair(["a b", "ab c", "x y"])
    // Only "abc" remains of what the merges make.
    let texts = description.tokens.map { String(decoding: $0, as: UTF8.self) }
      .filter { $0 != "ab" && $0 != "xy" }
    description.tokens = GGUFStrings(texts)
    description.types = nil
    let tokenizer = try Tokenizer(description)
    #expect(tokenizer.texts(tokenizer.encode("abc")) == ["abc"])
    #expect(tokenizer.texts(tokenizer.encode("abd")) == ["a", "b", "d"])
    #expect(tokenizer.texts(tokenizer.encode("xyx")) == ["x", "y", "x"])
  }

  @Test func bytesWithoutTokenBecomeUnknownUnlessThatHasAnotherRole() throws {
    var description = SmallVocabulary.bytePair([], others: [("<unk>", .unknown, 0)])
    let silent = try Tokenizer(description)
    #expect(silent.texts(silent.encode("a\u{E9}b")) == ["a", "b"])
    // The tab, and every byte of longer characters.
    let lost: [UInt8] = [0x09] + Array(0x80...0xBF) + Array(0xC2...0xF0)
    #expect(silent.warnings == [.lostBytes(lost)])
    description.ids[.unknown] = description.tokens.count - 1
    let loud = try Tokenizer(description)
    #expect(loud.texts(loud.encode("a\u{E9}b")) == ["a", "<unk>", "<unk>", "b"])
    #expect(loud.warnings.isEmpty)
    // Such a token must not end the turn of somebody whose text has a strange byte.
    description.ids[.eos] = description.tokens.count - 1
    let ending = try Tokenizer(description)
    #expect(ending.texts(ending.encode("a\u{E9}b")) == ["a", "b"])
  }

  /// The rule as it is told, without heap, list or cache.
  private func naive(_ text: String, _ ranks: [String: Int]) -> [String] {
    var symbols = text.map { String($0) }
    while true {
      var best: (index: Int, rank: Int)?
      for index in symbols.indices.dropLast() {
        guard let rank = ranks[symbols[index] + " " + symbols[index + 1]] else { continue }
        if rank < best?.rank ?? .max { best = (index, rank) }
      }
      guard let best else { return symbols }
      symbols[best.index] += symbols.remove(at: best.index + 1)
    }
  }

  /// Lengths on both sides of where the way of merging changes.
  @Test(arguments: [1, 2, 3, 7, 47, 48, 49, 50, 120, 400])
  func joinsAsTheRuleSays(_ length: Int) throws {
    var random = SeededRandom(seed: UInt64(length))
    for _ in 0..<10 {
      var made = ["a", "b", "c"]
      var merges: [String] = []
      while merges.count < 30 {
        guard let left = made.randomElement(using: &random),
          let right = made.randomElement(using: &random), !merges.contains(left + " " + right)
        else { continue }
        merges.append(left + " " + right)
        made.append(left + right)
      }
      let ranks = Dictionary(uniqueKeysWithValues: merges.enumerated().map { ($1, $0) })
      let tokenizer = try Tokenizer(SmallVocabulary.bytePair(merges))
      let letters = ["a", "b", "c"]
      let text = (0..<length).compactMap { _ in letters.randomElement(using: &random) }.joined()
      #expect(tokenizer.texts(tokenizer.encode(text)) == naive(text, ranks), "\(text) \(merges)")
    }
  }

  @Test func longTextsWithRepeatedWordsEncodeAsTheirWordsDo() throws {
    let tokenizer = try Tokenizer(SmallVocabulary.bytePair(["a b", "\u{120} ab", "c d", "ab cd"]))
    let words = [" ab", " abcd", " cd", " dcba", " averyveryverylongword", "\n"]
    var random = SeededRandom(seed: 3)
    let chosen = (0..<2000).compactMap { _ in words.randomElement(using: &random) }
    // The pre-tokenizer cuts before each space, and line feeds from what is not one.
    let expected = chosen.flatMap { tokenizer.encode($0) }
    #expect(tokenizer.encode(chosen.joined()) == expected)
  }
}
