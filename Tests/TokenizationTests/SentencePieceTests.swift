import GGUF
import Testing
import Tokenization

@Suite("SentencePiece")
struct SentencePieceTests {
  @Test func bestScoreIsJoinedFirst() throws {
    let tokenizer = try Tokenizer(
      SmallVocabulary.sentencePiece([
        ("\u{2581}", -1), ("a", -2), ("b", -3), ("c", -4), ("ab", -9), ("bc", -5), ("abc", -20),
      ]))
    // "bc" has a better score than "ab"; "a" and "bc" then make "abc".
    #expect(tokenizer.texts(tokenizer.encode("abc")) == [" ", "abc"])
    let without = try Tokenizer(
      SmallVocabulary.sentencePiece([
        ("\u{2581}", -1), ("a", -2), ("b", -3), ("c", -4), ("ab", -9), ("bc", -5),
      ]))
    #expect(without.texts(without.encode("abc")) == [" ", "a", "bc"])
  }

  @Test func equalScoresJoinFromTheLeft() throws {
    let tokenizer = try Tokenizer(
      SmallVocabulary.sentencePiece([("\u{2581}", -1), ("a", -2), ("aa", -3)]))
    #expect(tokenizer.texts(tokenizer.encode("aaaaa")) == [" ", "aa", "aa", "a"])
  }

  @Test func spacePrefixComesOnlyAtTheStartAndAfterTokens() throws {
    var description = SmallVocabulary.sentencePiece(
      [("\u{2581}", -1), ("H", -2), ("i", -2), ("Hi", -3), ("\u{2581}Hi", -4)])
    let with = try Tokenizer(description)
    #expect(with.texts(with.encode("Hi")) == [" Hi"])
    #expect(with.texts(with.encode(" Hi")) == [" ", " Hi"])
    let fragments: [PromptFragment] = [.template("H"), .content("i"), .template("Hi")]
    #expect(with.encode(fragments: fragments) == with.encode("HiHi"))
    #expect(
      with.texts(with.encode("<s>Hi</s> Hi", parseSpecial: true))
        == ["<s>", " Hi", "</s>", " ", " Hi"])
    description.addsSpacePrefix = false
    let without = try Tokenizer(description)
    #expect(without.texts(without.encode("Hi")) == ["Hi"])
    #expect(without.texts(without.encode(" Hi")) == [" Hi"])
    #expect(without.decode(without.encode(" Hi")) == Array(" Hi".utf8))
  }

  @Test func charactersWithoutTokenBecomeBytes() throws {
    let tokenizer = try Tokenizer(SmallVocabulary.sentencePiece([("\u{2581}", -1)]))
    let (space, firstByte) = (TokenID(259), TokenID(3))
    #expect(tokenizer.encode("\u{E9}\n") == [space] + [0xC3, 0xA9, 0x0A].map { firstByte + $0 })
    #expect(
      tokenizer.encode(bytes: [0xFF, 0x41]) == [space] + [0xFF, 0x41].map { firstByte + $0 })
  }

  @Test func bytesWithoutTokenBecomeUnknown() throws {
    let tokenizer = try Tokenizer(
      SmallVocabulary.sentencePiece([("\u{2581}", -1), ("a", -1)], bytes: 0x20..<0x80))
    #expect(tokenizer.texts(tokenizer.encode("a\na")) == [" ", "a", "<unk>", "a"])
  }

  @Test func controlTokensAreNoProductOfJoining() throws {
    let tokenizer = try Tokenizer(
      SmallVocabulary.sentencePiece([
        ("\u{2581}", -1), ("<", -2), ("s", -2), (">", -2), ("<s", -3),
      ]))
    #expect(tokenizer.texts(tokenizer.encode("<s>")) == [" ", "<s", ">"])
    #expect(tokenizer.encode("<s>", parseSpecial: true) == [1])
  }

  @Test func composedAndDecomposedTextStayApart() throws {
    let composed = "Caf\u{E9}"
    let decomposed = "Cafe\u{301}"
    #expect(composed == decomposed)
    let tokenizer = try Tokenizer(
      SmallVocabulary.sentencePiece([
        ("\u{2581}", -1), ("\u{E9}", -2), ("e\u{301}", -1.5), ("e", -2), ("\u{301}", -2),
      ]))
    #expect(tokenizer.texts(tokenizer.encode("\u{E9}")).last?.utf8.count == 2)
    #expect(tokenizer.texts(tokenizer.encode("e\u{301}")).last?.utf8.count == 3)
    for text in [composed, decomposed] {
      #expect(tokenizer.decode(tokenizer.encode(text)) == Array(text.utf8))
    }
  }

  /// The rule as it is told, without heap, list or cutting into words.
  private func naive(_ text: String, _ scores: [String: Float]) -> [String] {
    var symbols = text.unicodeScalars.map { String($0) }
    while true {
      var best: (index: Int, score: Float)?
      for index in symbols.indices.dropLast() {
        guard let score = scores[symbols[index] + symbols[index + 1]] else { continue }
        if score > best?.score ?? -.infinity { best = (index, score) }
      }
      guard let best else { return symbols }
      symbols[best.index] += symbols.remove(at: best.index + 1)
    }
  }

  @Test(arguments: 0..<30)
  func joinsAsTheRuleSays(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var scores: [String: Float] = [:]
    let alphabet = ["a", "b", "c", " "]
    for letter in alphabet { scores[letter] = -100 }
    for _ in 0..<25 {
      let length = Int.random(in: 2...5, using: &random)
      let text = (0..<length).compactMap { _ in alphabet.randomElement(using: &random) }.joined()
      scores[text] = Float(Int.random(in: -12 ... -1, using: &random))
    }
    var description = SmallVocabulary.sentencePiece(
      scores.sorted { $0.key < $1.key }.map {
        (String($0.key.map { $0 == " " ? "\u{2581}" : $0 }), $0.value)
      })
    description.addsSpacePrefix = false
    let tokenizer = try Tokenizer(description)
    for _ in 0..<20 {
      let length = Int.random(in: 1...60, using: &random)
      let text = (0..<length).compactMap { _ in alphabet.randomElement(using: &random) }.joined()
      #expect(tokenizer.texts(tokenizer.encode(text)) == naive(text, scores), "\(text)")
    }
  }
}
