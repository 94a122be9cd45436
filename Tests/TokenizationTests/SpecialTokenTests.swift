import GGUF
import Testing
import Tokenization

@Suite("Control and added tokens in text")
struct SpecialTokenTests {
  private let controls: [SmallVocabulary.Entry] = [
    ("<|im_start|>", .control, 0), ("<|im_end|>", .control, 0), ("<|im|>", .control, 0),
    ("[x]", .userDefined, 0), ("[x][x]", .userDefined, 0), ("\n\n", .userDefined, 0),
  ]

  private func tokenizer() throws -> Tokenizer {
    try Tokenizer(SmallVocabulary.bytePair(["a b"], others: controls))
  }

  @Test func controlTokensNeedPermission() throws {
    let tokenizer = try tokenizer()
    let text = "ab<|im_end|>"
    #expect(tokenizer.texts(tokenizer.encode(text, parseSpecial: true)) == ["ab", "<|im_end|>"])
    let plain = tokenizer.encode(text)
    #expect(plain.allSatisfy { tokenizer.vocabulary.kind(of: $0) == .normal })
    #expect(tokenizer.decode(plain) == Array(text.utf8))
  }

  @Test func addedTokensAreTakenWithoutPermissionLongestFirst() throws {
    let tokenizer = try tokenizer()
    #expect(tokenizer.texts(tokenizer.encode("[x][x][x]a")) == ["[x][x]", "[x]", "a"])
    #expect(tokenizer.texts(tokenizer.encode("\n\n\n")) == ["\n\n", "\n"])
  }

  @Test func longerTokensWinWhereverTheyStand() throws {
    let tokenizer = try Tokenizer(
      SmallVocabulary.bytePair(
        [], others: [("abc", .userDefined, 0), ("cdefg", .userDefined, 0), ("ab", .userDefined, 0)])
    )
    // From the left "abc" would come first, but "cdefg" is longer and takes the "c".
    #expect(tokenizer.texts(tokenizer.encode("abcdefg")) == ["ab", "cdefg"])
  }

  @Test func contentNeverBecomesAControlToken() throws {
    let tokenizer = try tokenizer()
    let vocabulary = tokenizer.vocabulary
    let spellings = controls.filter { $0.kind == .control }.map(\.text)
    let fragments: [PromptFragment] = [
      .template("<|im_start|>"), .content(spellings.joined()), .template("<|im_end|>"),
    ]
    let ids = tokenizer.encode(fragments: fragments)
    let found = ids.filter { vocabulary.kind(of: $0) == .control }
    #expect(tokenizer.texts(found) == ["<|im_start|>", "<|im_end|>"])
    #expect(found == [ids.first, ids.last].compactMap { $0 })
  }

  @Test func controlTokensAreNotPutTogetherFromTemplateAndContent() throws {
    let tokenizer = try tokenizer()
    for fragments: [PromptFragment] in [
      [.template("<|im"), .content("_end|>")], [.content("<|im_"), .template("end|>")],
      [.template("<|im"), .content("|>"), .template("<|")],
    ] {
      let ids = tokenizer.encode(fragments: fragments)
      #expect(ids.allSatisfy { tokenizer.vocabulary.kind(of: $0) == .normal })
    }
    let split: [PromptFragment] = [.template("<|im"), .content(""), .template("_end|>")]
    #expect(tokenizer.texts(tokenizer.encode(fragments: split)) == ["<|im_end|>"])
  }

  @Test func textRunsOnAcrossFragments() throws {
    let tokenizer = try tokenizer()
    let fragments: [PromptFragment] = [.template("<|im|>a"), .content("b\n"), .template("\na")]
    #expect(
      tokenizer.texts(tokenizer.encode(fragments: fragments)) == ["<|im|>", "ab", "\n\n", "a"])
  }

  @Test func beginningOfSequenceIsAddedOnce() throws {
    var description = SmallVocabulary.bytePair([], others: controls)
    description.addsBOS = true
    description.addsEOS = true
    let start = description.tokens.count - controls.count
    description.ids = [.bos: start, .eos: start + 1]
    let tokenizer = try Tokenizer(description)
    #expect(
      tokenizer.texts(tokenizer.encode("a", addSpecial: true))
        == ["<|im_start|>", "a", "<|im_end|>"])
    let fragments: [PromptFragment] = [.template("<|im_start|>a")]
    #expect(
      tokenizer.texts(tokenizer.encode(fragments: fragments, addSpecial: true))
        == ["<|im_start|>", "a", "<|im_end|>"])
    #expect(tokenizer.texts(tokenizer.encode("", addSpecial: true)).count == 2)
    #expect(tokenizer.encode("") == [])
  }

  @Test func phi3StripsSpaceAfterControlTokens() throws {
    var description = SmallVocabulary.sentencePiece(
      [("\u{2581}", -1), ("a", -1), ("\n", -1)],
      others: [("<|user|>", .control, 0), ("<|endoftext|>", .control, 0)])
    let text = "<|user|> \na<|endoftext|> a"
    description.name = "Phi-3 Mini"
    let phi = try Tokenizer(description)
    #expect(
      phi.texts(phi.encode(text, parseSpecial: true))
        == ["<|user|>", " ", "a", "<|endoftext|>", " ", " ", "a"])
    description.name = "Other"
    let other = try Tokenizer(description)
    #expect(
      other.texts(other.encode(text, parseSpecial: true))
        == ["<|user|>", " ", " ", "\n", "a", "<|endoftext|>", " ", " ", "a"])
  }

  @Test func endOfSequenceSpellingIsTextUnlessPermitted() throws {
    let tokenizer = try Tokenizer(
      SmallVocabulary.bytePair([], others: [("</s>", .userDefined, 0), ("<b>", .userDefined, 0)]))
    #expect(tokenizer.encode("</s>").count == 4)
    #expect(tokenizer.encode("</s>", parseSpecial: true).count == 1)
    #expect(tokenizer.encode("<b>").count == 1)
    #expect(tokenizer.decode(tokenizer.encode("</s>", parseSpecial: true)) == Array("</s>".utf8))
  }
}
