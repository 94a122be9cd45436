import ConstrainedDecoding
import TestSupport
import Testing
import Tokenization

@Suite struct VerbatimTests {
  static let sources = [
    "Dr. Ada Lovelace paid $12.50 for \"tea\" and left.\nThe end of 2024-01-05, Müller & Söhne",
    "Иван Петров живёт в Москве, дом 17.\tТел. 555-0101",
    "田中太郎は東京都に住んでいます。電話番号は03-1234です。",
    "محمد علي يعيش في القاهرة، شارع 9",
    "राम और सीता दिल्ली में रहते हैं। कमरा 12\\b",
    "aaaaabaaaaab \u{1} \u{1F} 😀😀",
  ]

  private func options(words: Bool) -> JSONSchemaOptions {
    var options = JSONSchemaOptions()
    options.verbatim.wholeWords = words
    return options
  }

  /// Decodes the one string of a JSON text written by a walk.
  private func decoded(_ text: [UInt8]) throws -> String {
    try #require(try OrderedJSON(parsing: text).stringValue)
  }

  @Test(arguments: sources.indices, [false, true])
  func randomWalksAlwaysOccurInTheSource(_ index: Int, _ words: Bool) throws {
    try walk(TestVocabulary.small, index, words, seeds: 1...40)
  }

  @Test(
    .enabled(
      if: !RealVocabulary.available.isEmpty, "skipped: no model of the catalog has been downloaded"
    ), arguments: RealVocabulary.available, sources.indices)
  func randomWalksOverRealVocabulariesOccurInTheSource(
    _ vocabulary: RealVocabulary, _ index: Int
  ) throws {
    let table = try vocabulary.load().table
    for words in [false, true] {
      try walk(table, index, words, seeds: TestData.isRelease ? 1...20 : 1...1)
    }
  }

  private func walk(
    _ table: TokenTable, _ index: Int, _ words: Bool, seeds: ClosedRange<Int>
  ) throws {
    let source = Self.sources[index]
    let grammar = try CompiledGrammar(
      try Grammar(
        jsonSchema: #"{"type":"string","x-verbatim":true}"#, source: source,
        options: options(words: words)), table)
    for seed in seeds {
      var random = SeededGenerator(seed: UInt64(seed))
      var session = GrammarSession(grammar, budget: 4 + seed)
      var text: [UInt8] = []
      walk: while true {
        switch try session.step() {
        case .finished(let outcome):
          #expect(outcome == .complete || outcome == .truncated)
          if outcome == .complete { try check(text, source, words, seed) }
          break walk
        case .feed(let tokens): text += tokens.flatMap { Array(table.bytes(of: $0)) }
        case .choose(let mask):
          let token = try #require(mask.tokens.randomElement(using: &random))
          if try session.accept(token), !table.endTokens.contains(token) {
            text += Array(table.bytes(of: token))
          }
        }
      }
    }
  }

  private func check(_ text: [UInt8], _ source: String, _ words: Bool, _ seed: Int) throws {
    let span = Array(try decoded(text).unicodeScalars)
    let scalars = Array(source.unicodeScalars)
    let starts = scalars.indices.filter { scalars[$0...].starts(with: span) }
    #expect(!span.isEmpty && !starts.isEmpty, "seed \(seed)")
    guard words else { return }
    // What Unicode calls letters and digits, but for the scripts that put no spaces between words.
    func isWord(_ index: Int) -> Bool {
      guard scalars.indices.contains(index), !(0x3000...0x9FFF).contains(scalars[index].value)
      else { return false }
      let properties = scalars[index].properties
      return properties.isAlphabetic || properties.numericType != nil
    }
    let isWhole = starts.contains { start in
      let end = start + span.count
      return !(isWord(start - 1) && isWord(start)) && !(isWord(end - 1) && isWord(end))
    }
    #expect(isWhole && span.first != " " && span.last != " ", "seed \(seed): \(span)")
  }

  @Test(arguments: sources.indices, [false, true])
  func maskEqualsAcceptor(_ index: Int, _ words: Bool) throws {
    let grammar = try CompiledGrammar(
      try Grammar(
        jsonSchema: #"{"type":"object","properties":{"a":{"type":"string","x-verbatim":true}}}"#,
        source: Self.sources[index], options: options(words: words)), TestVocabulary.small)
    for seed in 1...3 { try BruteForce(grammar: grammar, steps: 25).run(seed: UInt64(seed)) }
  }

  @Test func everySpanIsAcceptedAndNothingElse() throws {
    let source = "abcab\"c\n"
    let grammar = try CompiledGrammar(
      try Grammar(jsonSchema: #"{"type":"string","x-verbatim":true}"#, source: source),
      TestVocabulary.small)
    let spelled: [Character: String] = ["\"": "\\\"", "\n": "\\n"]
    let characters = Array(source)
    for start in characters.indices {
      for end in start..<characters.count {
        let text = characters[start...end].map { spelled[$0] ?? String($0) }.joined()
        #expect(try TestVocabulary.accepts(grammar, "\"\(text)\""), "\(text)")
      }
    }
    for text in ["", "ac", "abd", "ba", "abcabc", "\\u000a", "b\\n"] {
      #expect(try !TestVocabulary.accepts(grammar, "\"\(text)\""), "\(text)")
    }
  }

  @Test func patternAndLengthHoldAsWell() throws {
    let source = "Invoices of 2024-01-05 and 2023-12-31, not 24-1-1"
    let grammar = try CompiledGrammar(
      try Grammar(
        jsonSchema: #"{"type":"string","x-verbatim":true,"pattern":"^\\d{4}-\\d{2}-\\d{2}$"}"#,
        source: source), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, "\"2023-12-31\""))
    #expect(try !TestVocabulary.accepts(grammar, "\"2024-12-31\""))
    try BruteForce(grammar: grammar).run(seed: 1)
    #expect(throws: GrammarError.self) {
      _ = try CompiledGrammar(
        try Grammar(
          jsonSchema: #"{"type":"string","x-verbatim":true,"pattern":"^XY\\d{9}$"}"#,
          source: source), TestVocabulary.small)
    }
    var options = JSONSchemaOptions()
    options.verbatim.fallback = .null
    let fallback = try CompiledGrammar(
      try Grammar(
        jsonSchema: #"{"type":"string","x-verbatim":true,"pattern":"^XY\\d{9}$"}"#,
        source: source, options: options), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(fallback, "null"))
  }

  @Test(arguments: sources.indices)
  func lengthBoundsHoldInCharacters(_ index: Int) throws {
    let source = Self.sources[index]
    let grammar = try CompiledGrammar(
      try Grammar(
        jsonSchema: #"{"type":"string","x-verbatim":true,"minLength":3,"maxLength":7}"#,
        source: source), TestVocabulary.small)
    let scalars = Array(source.unicodeScalars)
    for start in scalars.indices {
      for count in 1...min(9, scalars.count - start) {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<start + count])
        let spelled = OrderedJSON.string(String(text)).serialized()
        let isLegal = try TestVocabulary.accepts(grammar, spelled)
        #expect(isLegal == (3...7).contains(count), "\(spelled)")
      }
    }
    try BruteForce(grammar: grammar, steps: 8).run(seed: UInt64(index))
  }

  @Test func wordsCanBeAskedForInTheSchema() throws {
    let grammar = try CompiledGrammar(
      try Grammar(jsonSchema: #"{"type":"string","x-verbatim":"words"}"#, source: "one two"),
      TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, "\"two\""))
    #expect(try !TestVocabulary.accepts(grammar, "\"wo\""))
    #expect(throws: GrammarError.self) {
      _ = try Grammar(jsonSchema: #"{"x-verbatim":"lines"}"#, source: "one two")
    }
  }

  // MARK: Named sources

  private func accepts(
    _ schema: String, _ source: String?, _ sources: [String: String], _ text: String
  ) throws -> Bool {
    let grammar = try CompiledGrammar(
      try Grammar(jsonSchema: schema, source: source, sources: sources), TestVocabulary.small)
    try BruteForce(grammar: grammar, steps: 12).run(seed: 3)
    return try TestVocabulary.accepts(grammar, text)
  }

  @Test func eachStringIsCopiedFromTheSourceItNames() throws {
    let schema = #"""
      {"type":"object","properties":{"a":{"type":"string","x-verbatim":true},
      "b":{"type":"string","x-verbatim":"letter"},"c":{"type":"string","x-verbatim":"list"},
      "d":{"type":"string"}},"required":["a","b","c","d"]}
      """#
    let sources = ["letter": "Dear Ada", "list": "one, two"]
    func accepts(_ text: String) throws -> Bool {
      try self.accepts(schema, "The prompt", sources, text)
    }
    #expect(try accepts(#"{"a":"prom","b":"ear A","c":"one","d":"any"}"#))
    #expect(try !accepts(#"{"a":"Dear","b":"Dear","c":"one","d":"any"}"#))
    #expect(try !accepts(#"{"a":"The","b":"The","c":"one","d":"any"}"#))
    #expect(try !accepts(#"{"a":"The","b":"Dear","c":"Ada","d":"any"}"#))
  }

  @Test func namedSourcesNeedNoOtherAndMeetOtherConditions() throws {
    let schema = #"{"type":"string","x-verbatim":"s","pattern":"^[0-9]+$"}"#
    #expect(try accepts(schema, nil, ["s": "room 412b"], #""412""#))
    #expect(try !accepts(schema, nil, ["s": "room 412b"], #""412b""#))
    #expect(try !accepts(schema, nil, ["s": "room 412b"], #""413""#))
  }

  @Test func aStringOfTwoSourcesIsASpanOfBoth() throws {
    let schema = #"{"allOf":[{"type":"string","x-verbatim":"a"},{"x-verbatim":"b"}]}"#
    let sources = ["a": "xabcx", "b": "yabcy"]
    #expect(try accepts(schema, nil, sources, #""abc""#))
    #expect(try !accepts(schema, nil, sources, #""xabc""#))
    #expect(try !accepts(schema, nil, sources, #""abcy""#))
  }

  @Test func namesOfSourcesAreChecked() throws {
    func error(_ schema: String, _ source: String?, _ sources: [String: String]) -> GrammarError? {
      #expect(throws: GrammarError.self) {
        _ = try Grammar(jsonSchema: schema, source: source, sources: sources)
      }
    }
    let named = #"{"properties":{"a":{"type":"string","x-verbatim":"gone"}}}"#
    guard
      case .invalidSchema("/properties/a", "x-verbatim", let reason) = error(
        named, "text", ["here": "text"])
    else {
      Issue.record("another error")
      return
    }
    #expect(reason.contains("\"gone\""))
    // A source with a name does not stand in for the one without.
    #expect(error(#"{"type":"string","x-verbatim":true}"#, nil, ["s": "text"]) != nil)
    #expect(error(#"{"type":"string"}"#, nil, ["words": "text"]) != nil)
  }

  @Test func conditionsThatNoSpanMeetsAreFoundAtOnce() throws {
    let source = String(repeating: "a long text without the letter, ", count: 400)
    for pattern in ["^.*Z$", "^[0-9]+$", "^.{3}Q"] {
      #expect(throws: GrammarError.self) {
        _ = try CompiledGrammar(
          try Grammar(
            jsonSchema: #"{"type":"string","x-verbatim":true,"pattern":"\#(pattern)"}"#,
            source: source), TestVocabulary.small)
      }
    }
  }

  @Test func gbnfConditionsStandBehindTheName() throws {
    let source = "Paid 2024-01-05 and \"2023-12-31\".\nNot a/b."
    func accepts(_ rule: String, _ text: String) throws -> Bool {
      let grammar = try CompiledGrammar(
        try Grammar(gbnf: "root ::= \(rule)", source: source), TestVocabulary.small)
      try BruteForce(grammar: grammar, steps: 6).run(seed: 2)
      return try TestVocabulary.accepts(grammar, text)
    }
    #expect(try accepts(#"@verbatim(4)"#, "Paid") && !accepts(#"@verbatim(4)"#, "Pai"))
    #expect(try accepts(#"@verbatim(2,3)"#, "id ") && !accepts(#"@verbatim(2,3)"#, "aid 2"))
    #expect(try accepts(#"@verbatim( 2, /\d+-\d+/ )"#, "01-05"))
    #expect(try !accepts(#"@verbatim(2, /\d+-\d+/)"#, "12-30"))
    #expect(try accepts(#"@verbatim(/[a-z]\/b/)"#, "a/b"))
    #expect(try accepts(#"[x]? @verbatim-json-words(/"[^"]*"\./) | """#, ""))
    #expect(try accepts(#"@verbatim-json(/"[^"]*"\./)"#, #"\"2023-12-31\"."#))
    for bad in ["@verbatim(3,2)", "@verbatim(x)", "@verbatim(/a", "@verbatim(/[/)", "@other"] {
      #expect(throws: GrammarError.self, "\(bad)") {
        _ = try Grammar(gbnf: "root ::= \(bad)", source: source)
      }
    }
  }

  @Test func swiftConditionsAreThoseOfTheSpan() throws {
    var span = VerbatimSpan()
    span.pattern = "[A-Z].*"
    span.minimumLength = 3
    span.insideJSONString = true
    let grammar = try CompiledGrammar(
      try Grammar(["\"", .verbatim("say \"Hi\" to Jo", span), "\""]), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, #""Hi\" to Jo""#))
    #expect(try !TestVocabulary.accepts(grammar, #""Jo""#))
    #expect(try !TestVocabulary.accepts(grammar, #""say""#))
  }

  @Test func gbnfAndSwiftHaveVerbatimSpans() throws {
    let source = "say \"hi\" twice"
    let gbnf = try CompiledGrammar(
      try Grammar(gbnf: "root ::= \"<\" @verbatim-words \">\"", source: source),
      TestVocabulary.small)
    let swift = try CompiledGrammar(
      try Grammar(["<", .verbatim(source, wholeWords: true), ">"]), TestVocabulary.small)
    for grammar in [gbnf, swift] {
      #expect(try TestVocabulary.accepts(grammar, "<\"hi\" twice>"))
      #expect(try !TestVocabulary.accepts(grammar, "<ay>"))
      #expect(try !TestVocabulary.accepts(grammar, "<say >"))
    }
    #expect(throws: GrammarError.self) { _ = try Grammar(gbnf: "root ::= @verbatim") }
  }
}
