import ConstrainedDecoding
import TestSupport
import Testing
import Tokenization

@Suite(
  .enabled(
    if: !RealVocabulary.available.isEmpty, "skipped: no model of the catalog has been downloaded"),
  .serialized)
struct RealVocabularyTests {
  static let schema = #"""
    {"type":"object","properties":{"name":{"type":"string"},
    "age":{"type":"integer","minimum":0,"maximum":150},"email":{"type":"string","format":"email"},
    "role":{"enum":["admin","editor","viewer"]},"active":{"type":"boolean"},
    "score":{"type":"number"},
    "tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":5},
    "address":{"type":"object","properties":{"street":{"type":"string","maxLength":40},
    "zip":{"type":"string","pattern":"^[0-9]{5}$"}},"required":["street","zip"]}},
    "required":["name","age","email","role","active","score","tags","address"]}
    """#

  static let copying = #"""
    {"type":"object","properties":{"person":{"type":"string","x-verbatim":true},
    "place":{"type":"string","x-verbatim":"words","maxLength":20},
    "date":{"type":"string","x-verbatim":true,"pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}},
    "required":["person","place","date"]}
    """#

  enum Sample: CaseIterable {
    case json, schema, verbatim, copying, characters, counts, recursion

    func grammar() throws -> Grammar {
      let source = VerbatimTests.sources.joined(separator: "\n")
      return switch self {
      case .json: try Grammar(gbnf: GBNFSamples.json)
      case .schema: try Grammar(jsonSchema: RealVocabularyTests.schema)
      case .verbatim: try Grammar(gbnf: "root ::= @verbatim-words \";\" @verbatim", source: source)
      case .copying: try Grammar(jsonSchema: RealVocabularyTests.copying, source: source)
      case .characters: try Grammar(gbnf: "root ::= [é中😀а-я ]+ .? \"é\"")
      case .counts: try Grammar(gbnf: "root ::= [a-z]{0,500} \" \" [^x]{3,40}")
      case .recursion:
        try Grammar(
          gbnf: "root ::= root [+*] term | term\nterm ::= [0-9]+ | \"(\" root \")\"")
      }
    }
  }

  /// Every token of the vocabulary is tried; debug builds are slow, so they look at one position.
  @Test(arguments: RealVocabulary.available, Sample.allCases)
  func maskEqualsAcceptorAtEveryPosition(
    _ vocabulary: RealVocabulary, _ sample: Sample
  ) throws {
    let compiled = try CompiledGrammar(try sample.grammar(), try vocabulary.load().table)
    let steps = vocabulary == .smolLM2 ? 8 : 3
    try BruteForce(grammar: compiled, steps: TestData.isRelease ? steps : 1).run(seed: 2)
  }

  /// Texts as people write them, at every position.
  static let wholeTexts: [(Sample, String)] = [
    (
      .schema,
      #"{"name": "Zoë \"Z\" 東", "age": 36, "email": "ada@engine.org", "role": "editor", "active": true, "score": -9.5e2, "tags": ["first", "second one"], "address": {"street": "12 Square", "zip": "10115"}}"#
    ),
    (.json, "{\"a\": [1, -2.5e3, {}],\n  \"bé\": {\"c\\n\\u00e9\": [true, null]}}\n"),
    (.copying, #"{"person": "Müller & Söhne", "place": "Ada Lovelace", "date": "2024-01-05"}"#),
    (.verbatim, "Иван Петров;田中太郎は"), (.recursion, "(12+3)*(4+56)+7"),
  ]

  /// Release builds only: some ten million tokens are tried one by one.
  @Test(
    .enabled(if: TestData.isRelease, "skipped: takes minutes in a debug build"),
    arguments: RealVocabulary.available, wholeTexts.indices)
  func maskEqualsAcceptorAlongWholeTexts(_ vocabulary: RealVocabulary, _ index: Int) throws {
    let (sample, text) = Self.wholeTexts[index]
    let loaded = try vocabulary.load()
    let tokens = loaded.tokenizer.encode(continuation: Array(text.utf8)).map { Int($0) }
    try #require(tokens.count > 5)
    try BruteForce(grammar: CompiledGrammar(try sample.grammar(), loaded.table)).follow(tokens)
  }

  /// Sampling that would write a given text: where text is forced its tokens are fed, elsewhere the
  /// tokenizer's own next token is chosen.
  @Test(arguments: RealVocabulary.available)
  func forcedTextIsSplitAsTheTokenizerWould(_ vocabulary: RealVocabulary) throws {
    let loaded = try vocabulary.load()
    func encode(_ text: [UInt8]) -> [Int] { loaded.tokenizer.encode(bytes: text).map { Int($0) } }
    var options = JSONSchemaOptions()
    options.whitespace = .compact
    let grammar = try CompiledGrammar(
      try Grammar(jsonSchema: Self.schema, options: options), loaded.table)
    let text =
      #"{"name":"Ada Lovelace","age":36,"email":"ada@engine.org","role":"editor","active":true,"score":9.5,"tags":["first"],"address":{"street":"12 Square","zip":"10115"}}"#
    let wanted = encode(Array(text.utf8))
    var matcher = grammar.makeMatcher()
    var tokens: [Int] = []
    var forcedCount = 0
    while tokens.count < wanted.count {
      let forced = try matcher.forcedTokens(encode: encode)
      forcedCount += forced.count
      let next = forced.isEmpty ? [wanted[tokens.count]] : forced
      for token in next { try matcher.accept(token) }
      tokens += next
      try #require(tokens == Array(wanted.prefix(tokens.count)))
    }
    #expect(try matcher.isComplete)
    #expect(forcedCount > 10)
  }

  @Test(arguments: RealVocabulary.available)
  func equivalentSpellingsHaveEqualMasksAtLikeCost(_ vocabulary: RealVocabulary) throws {
    let loaded = try vocabulary.load()
    let grammars = try MaskTests.stringSpellings.map {
      try CompiledGrammar(try Grammar(gbnf: $0), loaded.table)
    }
    var matchers = grammars.map { $0.makeMatcher() }
    for token in loaded.tokenizer.encode(#""A \"word\", 東京 \u00e9 end""#) {
      let masks = try matchers.map { try $0.mask() }
      #expect(masks.allSatisfy { $0 == masks[0] })
      for index in matchers.indices { try matchers[index].accept(Int(token)) }
    }
    #expect(try matchers.allSatisfy { try $0.isComplete })
    let work = grammars.map(\.stepsTaken)
    #expect(try #require(work.max()) <= 2 * (try #require(work.min())), "\(work)")
  }
}
