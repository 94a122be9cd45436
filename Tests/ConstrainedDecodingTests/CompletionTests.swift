import ConstrainedDecoding
import Testing

@Suite struct CompletionTests {
  private func compile(_ gbnf: String) throws -> CompiledGrammar {
    try CompiledGrammar(try Grammar(gbnf: gbnf), TestVocabulary.small)
  }

  private func schema(_ text: String) throws -> CompiledGrammar {
    try CompiledGrammar(try Grammar(jsonSchema: text), TestVocabulary.small)
  }

  @Test(arguments: [
    ("{\"a\":[[\"x", "\"]]}"), ("{\"a\":tr", "ue}"), ("{", "}"), ("{\"a\"", ":0}"),
    ("{\"a\":1", "}"), ("{\"a\":{\"b\":", "0}}"),
  ])
  func shortestCompletionClosesWhatIsOpen(_ start: String, _ end: String) throws {
    var matcher = try compile(GBNFSamples.json).makeMatcher()
    #expect(try matcher.accept(text: start.utf8))
    let completion = try matcher.shortestCompletion()
    #expect(completion.count == end.utf8.count)
    #expect(try matcher.accept(text: completion))
    #expect(try matcher.isComplete)
  }

  @Test func shortestCompletionMeetsPatternsAndCounts() throws {
    let grammar = try schema(
      #"{"type":"string","pattern":"^a+b$","minLength":7}"#)
    let matcher = grammar.makeMatcher()
    #expect(try matcher.shortestCompletion() == Array("\"aaaaaab\"".utf8))
    // "aaaa" and "aa" are tokens, "b\"" is not.
    #expect(try matcher.closingTokens()?.count == 5)
  }

  @Test func forcedTextIsFoundAndSplitCanonically() throws {
    let grammar = try schema(
      #"{"type":"object","properties":{"name":{"type":"boolean"}},"required":["name"]}"#)
    var options = JSONSchemaOptions()
    options.whitespace = .compact
    let compact = try CompiledGrammar(
      try Grammar(
        jsonSchema:
          #"{"type":"object","properties":{"name":{"enum":["abx","aby"]}},"required":["name"]}"#,
        options: options), TestVocabulary.small)
    #expect(try grammar.makeMatcher().forcedText() == Array("{".utf8))
    #expect(try compact.makeMatcher().forcedText() == Array("{\"name\":\"ab".utf8))
    let table = TestVocabulary.small
    // Longest first is this vocabulary's own split.
    func encode(_ text: [UInt8]) -> [Int] {
      var rest = text[...]
      var ids: [Int] = []
      while let last = table.prefixes(of: rest).last {
        ids.append(last.id)
        rest = rest.dropFirst(last.length)
      }
      return ids
    }
    let tokens = try compact.makeMatcher().forcedTokens(encode: encode)
    let text = tokens.flatMap { Array(table.bytes(of: $0)) }
    // `ab` is left to the sampler: the vocabulary has `abc`, so it may not be how the text splits.
    #expect(text == Array("{\"name\":\"".utf8))
  }

  @Test func budgetClosesTheValueByTheShortestWay() throws {
    let grammar = try schema(
      #"{"type":"object","properties":{"text":{"type":"string"},"list":{"type":"array"}},"required":["text","list"]}"#
    )
    for budget in 1...60 {
      for seed in 1...5 {
        let (outcome, text, count) = try generate(grammar, budget: budget, seed: UInt64(seed))
        #expect(count <= budget)
        let isWhole = try TestVocabulary.accepts(grammar, text)
        #expect((outcome == .complete) == isWhole, "budget \(budget), seed \(seed)")
        // `{"text":"","list":[]}` takes at most 20 bytes, so tokens, of this vocabulary.
        if budget >= 21 { #expect(outcome == .complete, "budget \(budget), seed \(seed)") }
      }
    }
    #expect(try generate(grammar, budget: 2, seed: 1).outcome == .truncated)
  }

  private func generate(
    _ grammar: CompiledGrammar, budget: Int, seed: UInt64
  ) throws -> (outcome: GrammarOutcome, text: [UInt8], count: Int) {
    var random = SeededGenerator(seed: seed)
    var session = GrammarSession(grammar, budget: budget)
    var tokens: [Int] = []
    while true {
      switch try session.step() {
      case .finished(let outcome):
        return (outcome, tokens.flatMap { Array(grammar.table.bytes(of: $0)) }, tokens.count)
      case .feed(let forced): tokens += forced
      case .choose(let mask):
        let token = try #require(mask.tokens.randomElement(using: &random))
        let isEnd = grammar.table.endTokens.contains(token)
        if try session.accept(token), !isEnd { tokens.append(token) }
      }
    }
  }

  @Test func finishedGrammarStopsAsComplete() throws {
    let grammar = try compile("root ::= \"{\" \"}\"")
    var session = GrammarSession(grammar, budget: 10)
    guard case .choose(let mask) = try session.step() else {
      Issue.record("expected a choice")
      return
    }
    #expect(mask.count == 2)
    #expect(try session.accept(mask.tokens[1]))
    guard case .finished(.complete) = try session.step() else {
      Issue.record("expected the end, remaining \(session.remaining)")
      return
    }
  }
}
