import Testing
import Tokenization

@Suite(
  "Properties of public vocabularies",
  .enabled(if: !VocabularyFile.available.isEmpty, "skipped: no vocabularies beside the checkout"))
struct PropertyTests {
  /// What comes back: SentencePiece cannot tell U+2581 from a space, and vocabularies made from
  /// data without certain bytes, mostly control characters, have no token for them.
  private func expected(_ file: VocabularyFile, _ text: String, _ missing: Set<UInt8>) -> [UInt8] {
    switch file {
    case .llamaSPM, .phi3, .gemma3:
      Array(String(text.unicodeScalars.map { $0 == "\u{2581}" ? " " : Character($0) }).utf8)
    default: text.utf8.filter { !missing.contains($0) }
    }
  }

  private func bytesWithoutTokenCount(_ file: VocabularyFile) -> Int {
    switch file {
    case .falcon: 28
    case .deepseekLLM: 13
    case .starcoder: 14
    case .smolLM2: 21
    default: 0
    }
  }

  private func bytesWithoutToken(_ vocabulary: Vocabulary) -> Set<UInt8> {
    var missing = Set(UInt8.min...UInt8.max)
    for id in 0..<TokenID(vocabulary.count) {
      let bytes = vocabulary.bytes(of: id)
      if bytes.count == 1, vocabulary.isText(id) { missing.subtract(bytes) }
    }
    return missing
  }

  @Test(arguments: VocabularyFile.available)
  func randomTextComesBack(_ file: VocabularyFile) throws {
    let tokenizer = try file.tokenizer()
    let missing = bytesWithoutToken(tokenizer.vocabulary)
    #expect(missing.count == bytesWithoutTokenCount(file))
    var random = SeededRandom(seed: 11)
    for length in [0, 1, 2, 3, 5, 17, 64, 400] {
      for _ in 0..<20 {
        let text = random.text(scalars: length)
        let ids = tokenizer.encode(text)
        #expect(
          tokenizer.decode(ids) == expected(file, text, missing), "\(text.debugDescription)")
        #expect(ids.allSatisfy { tokenizer.vocabulary.kind(of: $0) != .control })
      }
    }
  }

  @Test(arguments: VocabularyFile.available)
  func everyControlTokenIsFoundInTemplatesAndNeverInContent(_ file: VocabularyFile) throws {
    let tokenizer = try file.tokenizer()
    let vocabulary = tokenizer.vocabulary
    let controls = (0..<TokenID(vocabulary.count)).filter { vocabulary.kind(of: $0) == .control }
    #expect(!controls.isEmpty)
    for id in controls.prefix(300) {
      let text = vocabulary.text(of: id)
      #expect(tokenizer.encode(fragments: [.template(text)]) == [id], "\(text)")
      #expect(!tokenizer.encode(fragments: [.content(text)]).contains(id), "\(text)")
      #expect(!tokenizer.encode(text).contains(id), "\(text)")
    }
  }

  /// Quadratic merging would not end within anybody's patience.
  @Test(arguments: VocabularyFile.available)
  func longRunsEncode(_ file: VocabularyFile) throws {
    let tokenizer = try file.tokenizer()
    for character in ["a", " ", "\n"] {
      let text = String(repeating: character, count: 100_000)
      #expect(tokenizer.decode(tokenizer.encode(text)).count == 100_000)
    }
  }

  @Test(arguments: VocabularyFile.available)
  func eightTasksGetTheSameIDs(_ file: VocabularyFile) async throws {
    let tokenizer = try file.tokenizer()
    let cases = try file.golden().cases
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask { cases.allSatisfy { tokenizer.encode($0.text) == $0.ids } }
      }
      for await allEqual in group { #expect(allEqual) }
    }
  }

  @Test(arguments: VocabularyFile.available)
  func streamingEqualsDecodingAtOnce(_ file: VocabularyFile) throws {
    let tokenizer = try file.tokenizer()
    for example in try file.golden().cases {
      var detokenizer = Detokenizer(tokenizer)
      var bytes: [UInt8] = []
      for id in example.ids { bytes += Array(detokenizer.append(id).utf8) }
      bytes += Array(detokenizer.finish().utf8)
      #expect(bytes == Array(example.text.utf8), "\(example.text.debugDescription)")
    }
  }

  @Test(arguments: VocabularyFile.available)
  func specialIDsAreAsInTheFile(_ file: VocabularyFile) throws {
    let vocabulary = try file.tokenizer().vocabulary
    let expected: (count: Int, bos: TokenID?, eos: TokenID?, ends: Set<TokenID>) =
      switch file {
      case .deepseekLLM: (102_400, 100_000, 100_001, [100_001])
      case .falcon: (65_024, 11, 11, [11])
      case .gpt2: (50_257, 50_256, 50_256, [50_256])
      case .llamaBPE: (128_256, 128_000, 128_001, [128_001, 128_009])
      case .llamaSPM: (32_000, 1, 2, [2])
      case .phi3: (32_064, 1, 32_000, [32_000, 32_007])
      case .qwen2: (151_936, 151_643, 151_643, [151_643, 151_645])
      case .starcoder: (49_152, 0, 0, [0])
      case .smolLM2: (49_152, 1, 2, [0, 2])
      case .gemma3: (262_144, 2, 1, [1, 106])
      }
    #expect(vocabulary.count == expected.count)
    #expect(vocabulary.bos == expected.bos && vocabulary.eos == expected.eos)
    #expect(vocabulary.endOfGeneration == expected.ends)
    #expect(vocabulary.warnings.isEmpty)
  }
}
