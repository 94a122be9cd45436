import GGUF
import Testing
import Tokenization

@Suite("Reading tokenizers from files")
struct LoadingTests {
  /// A file with the keys of a small SentencePiece model, changed by `change`.
  private func file(_ change: (inout GGUFWriter) -> Void) throws -> GGUFFile {
    var writer = GGUFWriter(architecture: "llama")
    writer.set("tokenizer.ggml.model", .text("llama"))
    let tokens = ["<unk>", "<s>", "</s>", "\u{2581}", "a"]
    writer.set("tokenizer.ggml.tokens", .array(.string(GGUFStrings(tokens))))
    writer.set("tokenizer.ggml.scores", .array(.float32([0, 0, 0, -1, -2])))
    writer.set("tokenizer.ggml.token_type", .array(.int32([2, 3, 3, 1, 1])))
    change(&writer)
    return try GGUFFile(bytes: writer.bytes())
  }

  private func error(_ change: (inout GGUFWriter) -> Void) throws -> TokenizerError? {
    let file = try file(change)
    do throws(TokenizerError) {
      _ = try Tokenizer(file: file)
      return nil
    } catch { return error }
  }

  @Test func aSmallFileWorks() throws {
    let tokenizer = try Tokenizer(file: file { _ in })
    #expect(tokenizer.encode("a", addSpecial: true) == [1, 3, 4])
    #expect(tokenizer.vocabulary.endOfGeneration == [2])
    #expect(tokenizer.vocabulary.warnings.isEmpty)
  }

  @Test(arguments: ["bert", "t5", "rwkv", "plamo2", "none", ""])
  func otherModelsAreNamed(_ model: String) throws {
    let error = try error { $0.set("tokenizer.ggml.model", .text(model)) }
    #expect(error == .unsupportedModel(model))
    #expect(error?.description.contains("\"\(model)\"") == true)
    #expect(error?.description.contains("gpt2") == true)
  }

  @Test func missingKeysAreNamed() throws {
    let empty = try GGUFFile(bytes: GGUFWriter(architecture: "llama").bytes())
    #expect(throws: TokenizerError.missing(key: "tokenizer.ggml.model")) {
      try Tokenizer(file: empty)
    }
    var writer = GGUFWriter(architecture: "llama")
    writer.set("tokenizer.ggml.model", .text("llama"))
    let withoutTokens = try GGUFFile(bytes: writer.bytes())
    #expect(throws: TokenizerError.missing(key: "tokenizer.ggml.tokens")) {
      try Tokenizer(file: withoutTokens)
    }
    #expect(
      try error { $0.set("tokenizer.ggml.model", .text("gpt2")) }
        == .missing(key: "tokenizer.ggml.merges"))
    var description = SmallVocabulary.sentencePiece([])
    description.scores = nil
    #expect(throws: TokenizerError.missing(key: "tokenizer.ggml.scores")) {
      try Tokenizer(description)
    }
  }

  @Test func wrongTypesAreNamed() throws {
    guard
      case .metadata(.wrongMetadata(let key, _, _, _))? = try error({
        $0.set("tokenizer.ggml.tokens", .uint32(3))
      })
    else {
      Issue.record("a number was taken for the tokens")
      return
    }
    #expect(key == "tokenizer.ggml.tokens")
  }

  @Test func arraysOfOtherLengthsAreRefused() throws {
    #expect(
      try error { $0.set("tokenizer.ggml.scores", .array(.float32([0, 0]))) }
        == .countMismatch(key: "tokenizer.ggml.scores", expected: 5, found: 2))
    #expect(
      try error { $0.set("tokenizer.ggml.token_type", .array(.int32([1, 1, 1, 1, 1, 1]))) }
        == .countMismatch(key: "tokenizer.ggml.token_type", expected: 5, found: 6))
    #expect(
      try error { $0.set("tokenizer.ggml.scores", .array(.float32([0, 0, .nan, 0, 0]))) }
        == .malformedScore(id: 2))
  }

  @Test func idsOutsideTheVocabularyAreIgnoredWithAWarning() throws {
    let tokenizer = try Tokenizer(
      file: file {
        $0.set("tokenizer.ggml.bos_token_id", .uint32(5))
        $0.set("tokenizer.ggml.eos_token_id", .uint32(.max))
        $0.set("tokenizer.ggml.padding_token_id", .int32(-1))
      })
    let vocabulary = tokenizer.vocabulary
    #expect(vocabulary.warnings.count == 3)
    #expect(
      vocabulary.warnings.contains(
        .idOutsideVocabulary(key: "tokenizer.ggml.eos_token_id", count: 5)))
    #expect(vocabulary.bos == 1 && vocabulary.eos == 2 && vocabulary.padding == nil)

    var one = TokenizerDescription(model: "llama", tokens: GGUFStrings(["a"]))
    one.scores = [0]
    one.ids = [.bos: 1]
    let single = try Tokenizer(one)
    #expect(single.vocabulary.bos == nil)
    #expect(single.encode("a", addSpecial: true).allSatisfy { $0 == 0 })
  }

  @Test(arguments: ["<0x-1>", "<0xZZ>", "<0x1>", "<0x001>", "0x41", "<0x4 >", "<0X41>", ""])
  func byteTokensAreReadStrictly(_ text: String) throws {
    let description = SmallVocabulary.sentencePiece([], others: [(text, .byte, 0)])
    #expect(throws: TokenizerError.malformedByteToken(id: 259, text: text)) {
      try Tokenizer(description)
    }
  }

  @Test(arguments: ["ab", "a b c", "a  b", " b", "a ", "", " ", "  "])
  func mergesAreReadStrictly(_ merge: String) throws {
    let description = SmallVocabulary.bytePair(["a b", merge])
    #expect(throws: TokenizerError.malformedMerge(index: 1, text: merge)) {
      try Tokenizer(description)
    }
  }

  @Test func unknownPretokenizersAreNamed() throws {
    let description = SmallVocabulary.bytePair([], pretokenizer: "nonsense")
    #expect(throws: TokenizerError.unsupportedPretokenizer("nonsense")) {
      try Tokenizer(description)
    }
    #expect(TokenizerError.unsupportedPretokenizer("nonsense").description.contains("nonsense"))
  }

  @Test func anAbsentPretokenizerIsAssumedAndWarnedOf() throws {
    let tokenizer = try Tokenizer(SmallVocabulary.bytePair([], pretokenizer: nil))
    #expect(tokenizer.vocabulary.warnings == [.pretokenizerAssumed("default")])
  }

  @Test func turnEndsEndGenerationWhateverTheFileSays() throws {
    var description = SmallVocabulary.bytePair(
      [],
      others: [
        ("<|im_end|>", .normal, 0), ("<|endoftext|>", .control, 0), ("<x>", .control, 0),
        ("<y>", .control, 0),
      ])
    let first = TokenID(description.tokens.count - 4)
    description.ids = [.eos: Int(first) + 2, .eot: Int(first) + 3]
    let vocabulary = try Tokenizer(description).vocabulary
    #expect(vocabulary.endOfGeneration == [first, first + 1, first + 2, first + 3])
    #expect(vocabulary.kind(of: first) == .control)
    #expect(vocabulary.warnings == [.unmarkedTurnEnd(first, "<|im_end|>")])
  }

  @Test func kindsAreFoundWithoutTokenTypes() throws {
    var description = SmallVocabulary.sentencePiece([("\u{2581}", -1)])
    description.types = nil
    let tokenizer = try Tokenizer(description)
    #expect(tokenizer.vocabulary.kind(of: 0) == .unknown)
    #expect(tokenizer.vocabulary.kind(of: 1) == .control)
    #expect(tokenizer.encode("\n") == [259, 3 + 0x0A])
  }

  @Test func emptyAndRepeatedTokensAreHarmless() throws {
    let tokenizer = try Tokenizer(
      SmallVocabulary.sentencePiece(
        [("\u{2581}", -1), ("a", -1), ("a", -2), ("", -1)],
        others: [("", .control, 0), ("", .userDefined, 0)]))
    #expect(tokenizer.encode("aa", parseSpecial: true) == [259, 260, 260])
    #expect(tokenizer.decode([262, 263, 264]) == [])
  }

  @Test func idsOutsideTheVocabularyAreNoText() throws {
    let tokenizer = try Tokenizer(SmallVocabulary.bytePair([]))
    let vocabulary = tokenizer.vocabulary
    for id in [-1, TokenID(vocabulary.count), .max, .min] {
      #expect(!vocabulary.contains(id) && vocabulary.kind(of: id) == nil)
      #expect(vocabulary.bytes(of: id).isEmpty && tokenizer.decode([id]).isEmpty)
      var detokenizer = Detokenizer(tokenizer)
      #expect(detokenizer.append(id) == "" && detokenizer.finish() == "")
    }
  }
}
