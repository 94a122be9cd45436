import ConstrainedDecoding
import Foundation
import TestSupport
import Testing

/// Walks at random through a grammar and compares every mask with the acceptor, token by token.
struct BruteForce {
  let grammar: CompiledGrammar
  var steps = 40

  func run(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var matcher = grammar.makeMatcher()
    for _ in 0..<steps {
      guard let mask = try checked(matcher, "seed \(seed)") else { return }
      let legal = mask.tokens.filter { !grammar.table.endTokens.contains($0) }
      guard let choice = legal.randomElement(using: &random) else { return }
      try matcher.accept(choice)
    }
  }

  /// The same before each of these tokens and after the last.
  func follow(_ tokens: [Int]) throws {
    var matcher = grammar.makeMatcher()
    for token in tokens {
      guard try checked(matcher, "given text") != nil else { return }
      try matcher.accept(token)
    }
    _ = try checked(matcher, "given text")
  }

  /// The mask, nil if it is not what the acceptor says.
  private func checked(_ matcher: GrammarMatcher, _ walk: String) throws -> TokenMask? {
    let mask = try legal(matcher)
    for id in 0..<grammar.table.tokenCount {
      let taken = try matcher.countOfLegalTokens(in: [id]) == 1
      guard taken != mask.contains(id) else { continue }
      let text = String(decoding: grammar.table.bytes(of: id), as: UTF8.self)
      Issue.record(
        "token \(id) \(text.debugDescription): mask \(!taken), acceptor \(taken), position \(matcher.position), \(walk)"
      )
      return nil
    }
    return mask
  }

  /// The mask, empty where the vocabulary cannot go on.
  private func legal(_ matcher: GrammarMatcher) throws -> TokenMask {
    do {
      return try matcher.mask()
    } catch GrammarError.noLegalToken(let position) {
      #expect(position == matcher.position)
      return TokenMask(tokenCount: grammar.table.tokenCount)
    }
  }
}

@Suite struct MaskTests {
  static let grammars: [String] = [
    GBNFSamples.json,
    "root ::= \"\\\"\" ([^\"\\\\\\x00-\\x1f] | \"\\\\\" ([\"\\\\/bfnrt] | \"u\" [0-9a-f]{4}))* \"\\\"\"",
    "root ::= [a-z]{0,500} \" \" [^x]{3,40}",
    "root ::= (\"a\" | \"aa\" | \"ab\")* \"b\"?",
    "root ::= expr\nexpr ::= expr \"+\" term | term\nterm ::= [0-9]+ | \"(\" expr \")\"",
    "root ::= \"[\" root* \"]\" | [é中😀]+",
    "root ::= .{1,3} \"é\" .*",
    "root ::= \"yes\" | \"yes please\" | \"word\" ws \"x\"\nws ::= [ \\t\\n]*",
    "root ::= [^a-y]* \"the\"",
    "root ::= [a-mé]{1,500} [^n]{2,500} \"o\"",
    "root ::= ([a-e]{0,90} | [d-z ]{50,70} \".\") \"y\"",
  ]

  @Test(arguments: grammars)
  func maskEqualsAcceptorAtEveryPosition(_ text: String) throws {
    let grammar = try CompiledGrammar(try Grammar(gbnf: text), TestVocabulary.small)
    for seed in 1...6 { try BruteForce(grammar: grammar).run(seed: UInt64(seed)) }
  }

  @Test(arguments: GBNFCase.all.filter { $0.parse == "ok" })
  func maskEqualsAcceptorInRecordedGrammars(_ test: GBNFCase) throws {
    let table = test.vocab == nil ? TestVocabulary.small : TestVocabulary.named(test.vocab ?? [:])
    let grammar = try CompiledGrammar(try Grammar(gbnf: test.grammar), table)
    for seed in 1...2 { try BruteForce(grammar: grammar, steps: 12).run(seed: UInt64(seed)) }
  }

  @Test func endTokensAreLegalExactlyWhenComplete() throws {
    let grammar = try CompiledGrammar(
      try Grammar(gbnf: "root ::= \"ab\" \"c\"?"), TestVocabulary.small)
    var matcher = grammar.makeMatcher()
    #expect(try !matcher.mask().contains(TestVocabulary.endToken))
    #expect(try matcher.accept(text: "ab".utf8))
    #expect(try matcher.mask().contains(TestVocabulary.endToken))
    #expect(try matcher.accept(text: "c".utf8))
    #expect(try matcher.mask().tokens == [TestVocabulary.endToken])
    try matcher.accept(TestVocabulary.endToken)
    #expect(matcher.hasEnded)
    #expect(try matcher.mask().isEmpty)
    matcher.rollback(1)
    #expect(try matcher.mask().tokens == [TestVocabulary.endToken])
  }

  @Test func controlTokensNeverMatchByTheirText() throws {
    let grammar = try CompiledGrammar(try Grammar(gbnf: "root ::= .*"), TestVocabulary.small)
    let matcher = grammar.makeMatcher()
    let mask = try matcher.mask()
    #expect(!mask.contains(0) && !mask.contains(1) && mask.contains(TestVocabulary.endToken))
  }

  @Test func rollbackAndForkReturnToEarlierStates() throws {
    let grammar = try CompiledGrammar(try Grammar(gbnf: GBNFSamples.json), TestVocabulary.small)
    var random = SeededGenerator(seed: 7)
    var matcher = grammar.makeMatcher()
    var masks: [TokenMask] = []
    for _ in 0..<30 {
      let mask = try matcher.mask()
      masks.append(mask)
      guard
        let token = mask.tokens.filter({ $0 != TestVocabulary.endToken })
          .randomElement(using: &random)
      else { break }
      try matcher.accept(token)
    }
    var fork = matcher.fork()
    while fork.position > 0 {
      fork.rollback(1)
      #expect(try fork.mask() == masks[fork.position])
    }
    #expect(matcher.position > 0)
    fork.rollback(5)
    #expect(fork.position == 0)
  }

  @Test func sharedGrammarServesSeveralTasksAtOnce() async throws {
    let grammar = try CompiledGrammar(try Grammar(gbnf: GBNFSamples.json), TestVocabulary.small)
    let walks = try await withThrowingTaskGroup(of: [TokenMask].self) { group in
      for _ in 0..<6 {
        group.addTask {
          var random = SeededGenerator(seed: 11)
          var matcher = grammar.makeMatcher()
          var masks: [TokenMask] = []
          for _ in 0..<40 {
            let mask = try matcher.mask()
            masks.append(mask)
            let legal = mask.tokens.filter { $0 != TestVocabulary.endToken }
            guard let token = legal.randomElement(using: &random) else { break }
            try matcher.accept(token)
          }
          return masks
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(walks.count == 6 && walks.allSatisfy { $0 == walks[0] && $0.count > 10 })
  }

  /// One language of strings as a loop, by right recursion and by left recursion.
  static let stringSpellings = [
    #"root ::= "\"" ( [^"\\\x00-\x1f] | "\\" ( ["\\/bfnrt] | "u" [0-9a-f]{4} ) )* "\"""#,
    #"root ::= "\"" rest ; rest ::= "\"" | [^"\\\x00-\x1f] rest | "\\" esc rest ; esc ::= ["\\/bfnrt] | "u" [0-9a-f] [0-9a-f] [0-9a-f] [0-9a-f]"#,
    #"root ::= open "\"" ; open ::= "\"" | open [^"\\\x00-\x1f] | open "\\" ( ["\\/bfnrt] | "u" [0-9a-f]{4} )"#,
  ].map { $0.replacing(" ; ", with: "\n") }

  @Test(arguments: [
    stringSpellings, [#"root ::= ("a" | "b")*"#, #"root ::= root "a" | root "b" | """#],
    [#"root ::= "x"{2,4}"#, #"root ::= "xx" ("x" "x"?)?"#],
  ])
  func equivalentSpellingsHaveEqualMasks(_ spellings: [String]) throws {
    let grammars = try spellings.map {
      try CompiledGrammar(try Grammar(gbnf: $0), TestVocabulary.small)
    }
    var random = SeededGenerator(seed: 5)
    var matchers = grammars.map { $0.makeMatcher() }
    for _ in 0..<25 {
      let masks = try matchers.map { try $0.mask() }
      #expect(masks.allSatisfy { $0 == masks[0] })
      let legal = masks[0].tokens.filter { $0 != TestVocabulary.endToken }
      guard let token = legal.randomElement(using: &random) else { break }
      for index in matchers.indices { try matchers[index].accept(token) }
    }
  }

  /// Clocks are no measure of work on a shared machine; what is counted takes nearly all the time.
  @Test func equivalentSpellingsTakeAtMostTwiceTheWork() throws {
    let text = #""A \"word\", 中文 \u00e9 end of it""#
    let work = try Self.stringSpellings.map { spelling in
      let grammar = try CompiledGrammar(try Grammar(gbnf: spelling), TestVocabulary.small)
      var matcher = grammar.makeMatcher()
      for byte in text.utf8 {
        _ = try matcher.mask()
        try matcher.accept(3 + Int(byte))
      }
      return grammar.stepsTaken
    }
    #expect(try #require(work.max()) <= 2 * (try #require(work.min())), "\(work)")
  }

  @Test func masksThatAreKeptCostNoWork() throws {
    let grammar = try CompiledGrammar(try Grammar(gbnf: GBNFSamples.json), TestVocabulary.small)
    func follow() throws -> Int {
      var matcher = grammar.makeMatcher()
      for byte in #"{"a": [1, "x\n"], "b": {"c": null}}"#.utf8 {
        _ = try matcher.mask()
        try matcher.accept(3 + Int(byte))
      }
      return grammar.stepsTaken
    }
    let first = try follow()
    #expect(try first > 0 && follow() == first)
  }

  /// Far from their ends two counts at once differ in nothing that a token could reach.
  @Test func placesInsideLongCountsShareTheirMasks() throws {
    let grammar = try CompiledGrammar(
      try Grammar(gbnf: "root ::= [a-m]{1,900} [^0]{1,900} \".\""), TestVocabulary.small)
    var matcher = grammar.makeMatcher()
    func follow(_ count: Int) throws -> Int {
      let before = grammar.stepsTaken
      for _ in 0..<count {
        _ = try matcher.mask()
        try matcher.accept(3 + 0x61)
      }
      return grammar.stepsTaken - before
    }
    let (first, second) = (try follow(20), try follow(200))
    #expect(second < 4 * first, "\(first) steps for 20 places, \(second) for 200 more")
  }

  static let boundedPatterns = [
    #"{"type":"string","pattern":"^[A-Z]?[a-z]*( [a-z]+)*$","maxLength":70}"#,
    #"{"type":"string","pattern":"^([a-z ]{3})*x$","maxLength":49}"#,
    #"{"type":"string","pattern":"^[aé中\n\"]*(中|é{9})$","maxLength":60}"#,
    #"{"type":"string","pattern":"[0-9]{2}","maxLength":45,"minLength":3}"#,
    #"{"type":"string","pattern":"^(yes|yes please|.{50})$","maxLength":64}"#,
  ]

  @Test(arguments: boundedPatterns)
  func maskEqualsAcceptorAlongABoundUnderAPattern(_ schema: String) throws {
    let grammar = try CompiledGrammar(try Grammar(jsonSchema: schema), TestVocabulary.small)
    for seed in 1...4 { try BruteForce(grammar: grammar, steps: 60).run(seed: UInt64(seed)) }
  }

  @Test func illegalTokenLeavesTheMatcherWhereItStood() throws {
    let grammar = try CompiledGrammar(try Grammar(gbnf: "root ::= \"abc\""), TestVocabulary.small)
    var matcher = grammar.makeMatcher()
    let before = try matcher.mask()
    for id in [-1, 0, TestVocabulary.endToken, 3 + 0x7A, 1_000_000] {
      #expect(throws: GrammarError.illegalToken(id: id, position: 0)) { try matcher.accept(id) }
    }
    #expect(try matcher.mask() == before)
  }
}

enum GBNFSamples {
  static let json = #"""
    root   ::= object
    value  ::= object | array | string | number | ("true" | "false" | "null") ws
    object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
    array  ::= "[" ws ( value ("," ws value)* )? "]" ws
    string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
    number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
    ws ::= | " " | "\n" [ \t]{0,20}
    """#
}
