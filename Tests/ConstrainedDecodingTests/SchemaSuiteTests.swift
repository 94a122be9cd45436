import ConstrainedDecoding
import Foundation
import TestSupport
import Testing
import Tokenization

/// The JSON-Schema-Test-Suite, kept outside the repository.
struct SuiteCase {
  var schema: OrderedJSON
  var instance: String
  var isValid: Bool
  var tier: String
  var isOrdered: Bool
  var file: String
  var test: String

  enum Verdict: Hashable {
    case accept, reject, refused
  }

  static let url = TestData.sharedFile("goldens/grammar/json_schema_test_suite.jsonl")

  static func all() throws -> [SuiteCase] {
    guard let url else { return [] }
    let text = try String(contentsOf: url, encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      let row = try OrderedJSON(parsing: String(line), maximumDepth: 200)
      func string(_ key: String) -> String { row[key]?.stringValue ?? "" }
      return SuiteCase(
        schema: row["schema"] ?? .null, instance: string("instance"),
        isValid: row["valid"] == true, tier: string("tier"),
        isOrdered: row["order_ok"] != false,
        file: string("file").replacing("tests/draft2020-12/", with: ""),
        test: string("group") + ": " + string("test"))
    }
  }

  /// A schema compiled, or why it was not: many cases in a row share one.
  enum Compiled {
    case grammar(CompiledGrammar)
    case unsatisfiable
    case refused(String)

    init(_ schema: OrderedJSON) throws {
      var options = JSONSchemaOptions()
      options.undeclaredProperties = .open
      do {
        self = .grammar(
          try CompiledGrammar(
            try Grammar(jsonSchema: schema, options: options), TestVocabulary.small))
      } catch GrammarError.unsatisfiable {
        self = .unsatisfiable
      } catch {
        self = .refused(error.description)
      }
    }
  }

  func verdict(_ compiled: Compiled) throws -> (Verdict, String) {
    switch compiled {
    case .grammar(let grammar):
      (try TestVocabulary.accepts(grammar, instance) ? .accept : .reject, "")
    // No instance at all is valid, so neither is this one.
    case .unsatisfiable: (.reject, "unsatisfiable")
    case .refused(let reason): (.refused, reason)
    }
  }
}

@Suite(.enabled(if: SuiteCase.url != nil, "skipped: the schema suite is not beside the checkout"))
struct SchemaSuiteTests {
  @Test func suiteIsAnsweredCorrectly() throws {
    var counts: [String: (correct: Int, refused: Int, total: Int)] = [:]
    var last: (schema: OrderedJSON, compiled: SuiteCase.Compiled)?
    for test in try SuiteCase.all() {
      let compiled: SuiteCase.Compiled
      if let known = last, known.schema == test.schema {
        compiled = known.compiled
      } else {
        compiled = try SuiteCase.Compiled(test.schema)
      }
      last = (test.schema, compiled)
      let (verdict, reason) = try test.verdict(compiled)
      #expect(
        test.isValid || verdict != .accept, "accepts an invalid instance: \(test.file) \(test.test)"
      )
      for tier in [test.tier, "all"] {
        var count = counts[tier] ?? (0, 0, 0)
        count.total += 1
        if verdict == .refused { count.refused += 1 }
        if verdict == (test.isValid ? .accept : .reject) { count.correct += 1 }
        counts[tier] = count
      }
      if ProcessInfo.processInfo.environment["HEARTH_PRINT_MISSES"] != nil,
        verdict != (test.isValid ? .accept : .reject)
      {
        print(
          "MISS", test.tier, test.file, "|", test.test, "|", test.instance, "|", verdict, reason)
      }
    }
    for (tier, count) in counts.sorted(by: { $0.key < $1.key }) {
      print("suite \(tier): \(count.correct) of \(count.total) correct, \(count.refused) refused")
    }
    let core = try #require(counts["core"])
    let all = try #require(counts["all"])
    #expect(core.correct * 100 >= core.total * 90)
    #expect(core.refused * 100 <= core.total * 5)
    #expect(all.correct * 100 > all.total * 63)
  }
}
