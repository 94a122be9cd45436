import GGUF
import Testing

@Suite struct GGUFStringsTests {
  @Test("A vocabulary of 262,144 entries is held in two blocks, and its elements are not copies")
  func largeVocabulary() throws {
    var writer = GGUFWriter()
    let texts = (0..<262_144).map { "▁token\($0)" }
    writer.set("tokens", .texts(texts))
    let tokens = try #require(try GGUFFile(bytes: writer.bytes()).metadata.strings("tokens"))
    #expect(tokens.count == 262_144)
    for position in stride(from: 0, to: tokens.count, by: 997) {
      #expect(Array(tokens[position]) == Array(texts[position].utf8))
    }
    #expect(tokens.text(at: 262_143) == "▁token262143")
    #expect(tokens.range(of: 262_143).upperBound == tokens.bytes.count)
    let base = unsafe tokens.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    let element = unsafe tokens[5000].withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    #expect(element == base + UInt(tokens.range(of: 5000).lowerBound))
  }

  @Test("Elements are told apart by bytes, not by canonical equivalence")
  func bytesNotText() throws {
    let composed = GGUFStrings(["\u{E9}", "e\u{301}", "\r\n"])
    #expect(composed[0] != composed[1])
    #expect(composed != GGUFStrings(["e\u{301}", "\u{E9}", "\r\n"]))
    #expect(Set(composed.map { Array($0) }).count == 3)
    #expect(composed.map(\.count) == [2, 3, 2])
  }

  @Test("Bytes that are no UTF-8 stay, and show as replacement characters")
  func invalidUTF8() {
    let strings = GGUFStrings([[0xE2, 0x96], [], [0x80]] as [[UInt8]])
    #expect(strings.map { Array($0) } == [[0xE2, 0x96], [], [0x80]])
    #expect(strings.text(at: 2) == "\u{FFFD}")
    #expect(strings.text(at: 1) == "")
  }
}
