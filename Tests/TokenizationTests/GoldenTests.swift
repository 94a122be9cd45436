import Testing
import Tokenization

@Suite(
  "Expected ids of public vocabularies",
  .enabled(if: !VocabularyFile.available.isEmpty, "skipped: no vocabularies beside the checkout"))
struct GoldenTests {
  @Test(arguments: VocabularyFile.available)
  func plainTextHasExpectedIDs(_ file: VocabularyFile) throws {
    let tokenizer = try file.tokenizer()
    for example in try file.golden().cases {
      #expect(tokenizer.encode(example.text) == example.ids, "\(example.text.debugDescription)")
    }
  }

  @Test(arguments: VocabularyFile.available)
  func spelledControlTokensHaveExpectedIDs(_ file: VocabularyFile) throws {
    let tokenizer = try file.tokenizer()
    for example in try file.golden().parse_special {
      let ids = tokenizer.encode(example.text, parseSpecial: true)
      #expect(ids == example.ids, "\(example.text.debugDescription)")
    }
  }

  @Test(arguments: VocabularyFile.available)
  func addedTokensAreExpected(_ file: VocabularyFile) throws {
    let tokenizer = try file.tokenizer()
    for example in try file.golden().add_special {
      let ids = tokenizer.encode(example.text, addSpecial: true)
      #expect(ids == example.ids, "\(example.text.debugDescription)")
    }
  }

  @Test(arguments: VocabularyFile.available)
  func decodingGivesTheTextBack(_ file: VocabularyFile) throws {
    let tokenizer = try file.tokenizer()
    for example in try file.golden().cases {
      let text = String(decoding: tokenizer.decode(example.ids), as: UTF8.self)
      #expect(text.utf8.elementsEqual(example.text.utf8), "\(example.text.debugDescription)")
    }
  }

  /// Shows in the report which vocabularies the other tests leave out.
  @Test(
    .enabled(
      if: VocabularyFile.absent.isEmpty,
      "skipped: no \(VocabularyFile.absent.joined(separator: ", "))"))
  func everyVocabularyIsPresent() {
    #expect(VocabularyFile.available.count == 10)
  }
}
