import ConstrainedDecoding
import Foundation
import TestSupport
import Testing

/// One line of `gbnf_cases.jsonl`.
struct GBNFCase: Decodable, Sendable, CustomTestStringConvertible {
  enum Token: Decodable, Sendable {
    case id(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let id = try? container.decode(Int.self) {
        self = .id(id)
      } else {
        self = .text(try container.decode(String.self))
      }
    }
  }

  var id: String
  var grammar: String
  var parse: String
  var accept: [String]
  var reject: [String]
  var accept_tokens: [[Token]]?
  var reject_tokens: [[Token]]?
  var vocab: [String: Int]?

  var testDescription: String { id }

  static let all: [GBNFCase] = {
    let url = TestData.fixtures.appending(path: "grammar/gbnf_cases.jsonl")
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(GBNFCase.self, from: Data($0.utf8))
    }
  }()
}

@Suite struct GBNFTests {
  @Test func allCasesAreRead() {
    #expect(GBNFCase.all.count == 117)
  }

  @Test(arguments: GBNFCase.all)
  func grammarAcceptsAndRejectsAsRecorded(_ test: GBNFCase) throws {
    let table = TestVocabulary.named(test.vocab ?? [:])
    guard test.parse == "ok" else {
      #expect(throws: GrammarError.self) {
        _ = try CompiledGrammar(try Grammar(gbnf: test.grammar), table)
      }
      return
    }
    let grammar = try CompiledGrammar(try Grammar(gbnf: test.grammar), table)
    for text in test.accept {
      #expect(try TestVocabulary.accepts(grammar, text), "should accept \(text.debugDescription)")
    }
    for text in test.reject {
      #expect(try !TestVocabulary.accepts(grammar, text), "should reject \(text.debugDescription)")
    }
    for tokens in test.accept_tokens ?? [] {
      #expect(try acceptsTokens(grammar, tokens), "should accept \(tokens)")
    }
    for tokens in test.reject_tokens ?? [] {
      #expect(try !acceptsTokens(grammar, tokens), "should reject \(tokens)")
    }
  }

  private func acceptsTokens(_ grammar: CompiledGrammar, _ tokens: [GBNFCase.Token]) throws -> Bool
  {
    var matcher = grammar.makeMatcher()
    for token in tokens {
      let ids: [Int] =
        switch token {
        case .id(let id): [id]
        case .text(let text): text.utf8.map { Int($0) + 300 }
        }
      for id in ids {
        let isLegal = try matcher.mask().contains(id)
        let taken = try matcher.countOfLegalTokens(in: [id]) == 1
        #expect(isLegal == taken, "mask and acceptor differ on \(id)")
        guard taken else { return false }
        try matcher.accept(id)
      }
    }
    return try matcher.isComplete
  }
}
