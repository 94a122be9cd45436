import GGUF
import Testing
import Tokenization

@Suite("Streaming detokenizer")
struct DetokenizerTests {
  /// Every byte is a token with its own value as id; then the tokens given.
  private func tokenizer(_ tokens: [String] = []) throws -> Tokenizer {
    var entries: [SmallVocabulary.Entry] = (0..<256).map {
      (SmallVocabulary.byteText($0), .byte, 0)
    }
    entries += tokens.map { ($0, .userDefined, 0) }
    entries.append(("<|im_end|>", .control, 0))
    var description = SmallVocabulary.description("llama", entries)
    description.addsSpacePrefix = false
    return try Tokenizer(description)
  }

  private func pieces(_ detokenizer: inout Detokenizer, _ ids: [TokenID]) -> [String] {
    ids.map { detokenizer.append($0) }
  }

  @Test func charactersComeWhole() throws {
    var detokenizer = Detokenizer(try tokenizer())
    #expect(
      pieces(&detokenizer, [0xF0, 0x9F, 0x98, 0x80, 0x41]) == ["", "", "", "\u{1F600}", "A"])
    #expect(detokenizer.finish() == "" && !detokenizer.endedMidCharacter)
  }

  @Test func invalidBytesAreReplacedAtOnce() throws {
    var detokenizer = Detokenizer(try tokenizer())
    let ids: [TokenID] = [0xFF, 0x80, 0x41, 0xE2, 0x41, 0xED, 0xA0, 0xC0, 0xAF]
    #expect(
      pieces(&detokenizer, ids) == [
        "\u{FFFD}", "\u{FFFD}", "A", "", "\u{FFFD}A", "", "\u{FFFD}\u{FFFD}", "\u{FFFD}",
        "\u{FFFD}",
      ])
  }

  @Test func anUnfinishedCharacterIsFlushedOnceAndFlagged() throws {
    var detokenizer = Detokenizer(try tokenizer())
    #expect(pieces(&detokenizer, [0x41, 0xF0, 0x9F, 0x98]) == ["A", "", "", ""])
    #expect(detokenizer.finish() == "\u{FFFD}")
    #expect(detokenizer.endedMidCharacter)
    #expect(detokenizer.finish() == "")
  }

  @Test func controlTokensAreNoText() throws {
    let tokenizer = try tokenizer(["x"])
    var detokenizer = Detokenizer(tokenizer)
    #expect(pieces(&detokenizer, [256, 257, 256]) == ["x", "", "x"])
  }

  @Test func stopTextSplitOverTokensDoesNotLeak() throws {
    let tokenizer = try tokenizer(["ABC", "DEF", "G", "HI", "J", "K"])
    var detokenizer = Detokenizer(tokenizer, stops: ["DEFGHIJ"])
    #expect(pieces(&detokenizer, [256, 257, 258, 259, 260, 261]) == ["ABC", "", "", "", "", ""])
    #expect(detokenizer.stopIndex == 0 && detokenizer.isStopped)
    #expect(detokenizer.finish() == "")
    var other = Detokenizer(tokenizer, stops: ["DEFGHIJ"])
    #expect(pieces(&other, [256, 257, 258, 261]) == ["ABC", "", "", "DEFGK"])
    #expect(!other.isStopped)
  }

  @Test func heldTextIsFlushedAtTheEnd() throws {
    let tokenizer = try tokenizer(["What?", "\n"])
    var detokenizer = Detokenizer(tokenizer, stops: ["\n\n", "?!"])
    #expect(pieces(&detokenizer, [256, 257]) == ["What", "?"])
    #expect(detokenizer.finish() == "\n")
    #expect(detokenizer.stopIndex == nil)
  }

  @Test func aStopInsideATokenCutsIt() throws {
    var detokenizer = Detokenizer(try tokenizer(["x\nUser", "y"]), stops: ["nothing", "\n"])
    #expect(pieces(&detokenizer, [256, 257]) == ["x", ""])
    #expect(detokenizer.stopIndex == 1)
  }

  @Test func aStopAfterAnUnfinishedCharacterStillStops() throws {
    var detokenizer = Detokenizer(try tokenizer(), stops: ["\u{FFFD}"])
    #expect(pieces(&detokenizer, [0x41, 0xE2]) == ["A", ""])
    #expect(detokenizer.finish() == "" && detokenizer.stopIndex == 0)
  }

  @Test func emptyStopsAreIgnored() throws {
    var detokenizer = Detokenizer(try tokenizer(), stops: ["", "B"])
    #expect(pieces(&detokenizer, [0x41, 0x42]) == ["A", ""])
    #expect(detokenizer.stopIndex == 1)
  }

  @Test func theSpacePrefixIsDroppedOnlyAtTheStart() throws {
    let tokenizer = try Tokenizer(
      SmallVocabulary.sentencePiece([("\u{2581}Hi", -1), ("\u{2581}", -1)]))
    var detokenizer = Detokenizer(tokenizer)
    #expect(pieces(&detokenizer, [1, 259, 259, 260]) == ["", "Hi", " Hi", " "])
    var continuing = Detokenizer(tokenizer, startsText: false)
    #expect(pieces(&continuing, [259]) == [" Hi"])
    #expect(tokenizer.decode([1, 259, 259]) == Array("Hi Hi".utf8))
  }

  /// Any bytes cut into any tokens must give what the bytes give as a whole.
  @Test(arguments: 0..<40)
  func streamingEqualsDecodingAtOnce(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let tokenizer = try tokenizer()
    var bytes = Array(random.text(scalars: 40).utf8)
    for _ in 0..<12 {
      bytes.insert(random.byte(), at: Int.random(in: 0...bytes.count, using: &random))
    }
    var detokenizer = Detokenizer(tokenizer)
    var text = ""
    for byte in bytes {
      let piece = detokenizer.append(TokenID(byte))
      text.unicodeScalars.append(contentsOf: piece.unicodeScalars)
    }
    text.unicodeScalars.append(contentsOf: detokenizer.finish().unicodeScalars)
    #expect(text.utf8.elementsEqual(String(decoding: bytes, as: UTF8.self).utf8))
    #expect(tokenizer.decode(bytes.map { TokenID($0) }) == bytes)
  }

  /// Text before the first place where a stop string is complete; of several that are complete
  /// there, the longest is cut.
  private func naive(_ text: [UInt8], _ stops: [[UInt8]]) -> (text: [UInt8], stop: Int?) {
    for end in 0...text.count {
      let hits = stops.indices.filter { !stops[$0].isEmpty && text[..<end].ends(with: stops[$0]) }
      if let hit = hits.max(by: { stops[$0].count < stops[$1].count }) {
        return (Array(text[..<(end - stops[hit].count)]), hit)
      }
    }
    return (text, nil)
  }

  @Test(arguments: 0..<200)
  func stopStringsCutAsASearchWould(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func word(_ lengths: ClosedRange<Int>) -> String {
      let count = Int.random(in: lengths, using: &random)
      return String((0..<count).compactMap { _ in "aab".randomElement(using: &random) })
    }
    var stops: [String] = []
    while stops.count < 3 {
      let stop = word(2...6)
      if !stops.contains(stop) { stops.append(stop) }
    }
    let tokens = (0..<12).map { _ in word(1...5) }
    var detokenizer = Detokenizer(try tokenizer(tokens), stops: stops)
    var text = ""
    for index in tokens.indices { text += detokenizer.append(TokenID(256 + index)) }
    text += detokenizer.finish()
    let expected = naive(Array(tokens.joined().utf8), stops.map { Array($0.utf8) })
    #expect(Array(text.utf8) == expected.text, "\(tokens) \(stops)")
    #expect(detokenizer.stopIndex == expected.stop, "\(tokens) \(stops)")
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with suffix: [UInt8]) -> Bool {
    count >= suffix.count && self[(endIndex - suffix.count)...].elementsEqual(suffix)
  }
}
