import ConstrainedDecoding
import Foundation
import Inference
import OnDeviceModels
import TestSupport
import Testing

/// Responses held to grammars through the library, on a tiny model with random weights.
@Suite struct GuidedTests {
  private func model(contextSize: Int? = nil) async throws -> OnDeviceModel {
    let path = TestData.fixtures.appending(path: "arch/llama.gguf").path(percentEncoded: false)
    return try await OnDeviceModel.load(
      file: path, options: EngineOptions(contextSize: contextSize, threads: 1), template: .chatML)
  }

  private func options(_ grammar: ResponseGrammar, _ maximum: Int? = nil) -> GenerationOptions {
    GenerationOptions(
      sampling: .greedy, maximumResponseTokens: maximum, grammar: grammar)
  }

  private static let list: [String: GrammarPart] = [
    "list": ["[", .optional(.rule("list")), "]"]
  ]

  @Test(arguments: [
    (ResponseGrammar.choices(["yes", "no"]), #"yes|no"#),
    (.regex("[0-9]{3}-[a-c]"), #"[0-9]{3}-[a-c]"#),
    (.gbnf("start ::= \"<\" [a-z]{2} \">\"", root: "start"), "<[a-z]{2}>"),
    (.parts(["n: ", .repeated("x", minimum: 2, maximum: 4)]), "n: x{2,4}"),
    (.parts(.rule("list"), rules: list), #"\[+\]+"#),
    (.jsonSchema(#"{"enum":["red",1,null]}"#), #""red"|1|null"#),
    // A blank that starts the text is part of it.
    (.choices([" a"]), " a"),
  ])
  func theResponseHasTheShape(_ grammar: ResponseGrammar, _ pattern: String) async throws {
    let model = try await model()
    let options = options(grammar, 60)
    let answer = try await model.respond(to: "hello", options: options).guided()
    let continuation = try await model.complete("hello", options: options).guided()
    for response in [answer, continuation] {
      #expect(response.outcome == .complete && response.value == response.text)
      #expect(response.text.wholeMatch(of: try Regex(pattern)) != nil, "\(response.text)")
    }
  }

  @Test func aValueThatCannotBeCompletedIsAbsentAndItsPartIsKept() async throws {
    let stream = try await model().respond(
      to: "hello", options: options(.regex("[0-9]{50}"), 5))
    let response = try await stream.guided()
    #expect(response.outcome == .truncated && response.value == nil)
    #expect(response.text.count == 5 && stream.finishReason == .tokenLimit)
  }

  @Test func aLimitClosesTheValue() async throws {
    let schema = #"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#
    let stream = try await model().respond(
      to: "hello", options: options(.jsonSchema(schema), 16))
    let response = try await stream.guided()
    let value = try #require(response.value)
    #expect((try? JSONSerialization.jsonObject(with: Data(value.utf8))) != nil)
  }

  @Test func withoutAGrammarTheOutcomeIsWhetherTheModelEnded() async throws {
    let model = try await model()
    let cut = try await model.complete(
      "the",
      options: GenerationOptions(
        sampling: .greedy, maximumResponseTokens: 4))
    #expect(try await cut.guided().outcome == .truncated)
    let whole = try await model.complete(
      "the",
      options: GenerationOptions(
        sampling: .greedy, maximumResponseTokens: 12)
    ).collect()
    let stop = String(whole.dropFirst(2).prefix(2))
    let stopped = try await model.complete(
      "the",
      options: GenerationOptions(
        sampling: .greedy, maximumResponseTokens: 12, stopStrings: [stop]))
    #expect(try await stopped.guided().outcome == .complete)
  }

  @Test("C26: stop strings beside a grammar are refused up front")
  func stopStringsAndAGrammarExcludeEachOther() async throws {
    var options = options(.regex("[a-z]+"))
    options.stopStrings = ["}"]
    let model = try await model()
    await #expect(throws: InferenceError.self) {
      _ = try await model.respond(to: "hello", options: options)
    }
  }

  @Test func whatIsWrongWithAGrammarIsThrownBeforeAnyWork() async throws {
    let model = try await model()
    await #expect(throws: GrammarError.self) {
      _ = try await model.respond(to: "hello", options: options(.gbnf("root = x")))
    }
    await #expect(throws: GrammarError.self) {
      try await model.compile(.jsonSchema(#"{"enum":[]}"#))
    }
    await #expect(model.engine.cachedTokenCount == 0)
    // Nothing is left behind: the model answers.
    #expect(
      try await model.respond(to: "hello", options: options(.choices(["ok"]))).collect() == "ok")
  }

  @Test func aTurnOfAConversationMayHaveAGrammar() async throws {
    let talk = Conversation(try await model())
    let first = try await talk.send("hello", options: options(.choices(["a", "b"]))).collect()
    let second = try await talk.send("again", options: options(.regex("[0-9]"))).collect()
    #expect(talk.messages.map(\.content) == ["hello", first, "again", second])
    #expect(["a", "b"].contains(first) && Int(second) != nil)
  }

  // MARK: Cache

  @Test func aGrammarIsCompiledOncePerModel() async throws {
    let model = try await model()
    let schema = #"{"type":"object","properties":{"a":{"type":"null"}}}"#
    let first = try await model.compile(.jsonSchema(schema))
    #expect(try await model.compile(.jsonSchema(schema)) === first)
    var open = JSONSchemaOptions()
    open.undeclaredProperties = .open
    #expect(try await model.compile(.jsonSchema(schema, options: open)) !== first)
    #expect(try await self.model().compile(.jsonSchema(schema)) !== first)
    // What holds for one document only is not kept.
    let bound = ResponseGrammar.gbnf("root ::= @verbatim", source: "abc")
    #expect(try await model.compile(bound) !== model.compile(bound))
    let named = ResponseGrammar.jsonSchema(
      #"{"type":"string","x-verbatim":"s"}"#, sources: ["s": "abc"])
    #expect(try await model.compile(named) !== model.compile(named))
  }

  @Test func onlySoManyGrammarsAreKeptAndThoseUsedLast() async throws {
    let model = try await model()
    let first = try await model.compile(.choices(["0"]))
    let second = try await model.compile(.choices(["1"]))
    for number in 2..<40 {
      try await model.compile(.choices(["\(number)"]))
      #expect(try await model.compile(.choices(["0"])) === first)
    }
    #expect(try await model.compile(.choices(["1"])) !== second)
  }

  @Test func grammarsCompiledAtTheSameTimeAreOne() async throws {
    let model = try await model()
    let grammars = try await withThrowingTaskGroup(of: CompiledGrammar.self) { group in
      for _ in 0..<8 { group.addTask { try await model.compile(.regex("[a-z]{1,9}")) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(grammars.count == 8 && grammars.allSatisfy { $0 === grammars[0] })
  }

  // MARK: Verbatim

  @Test(arguments: [1, 2, 3, 4])
  func verbatimStringsOccurInTheSourceWhateverTheLogits(_ seed: UInt64) async throws {
    let source = "Order 77-A1 by \"Müller & Söhne\", 東京\nfor 3 x FL-20."
    let schema = #"""
      {"type":"object","properties":{"order":{"type":"string"},"free":{"type":"string","maxLength":9},
      "items":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object",
      "properties":{"code":{"type":"string"}},"required":["code"]}}},
      "required":["order","free","items"]}
      """#
    var options = options(
      .jsonSchema(schema, source: source, verbatim: ["order", "items.code"]), 200)
    options.sampling = SamplingOptions(temperature: 4, topK: 0, topP: 1, minP: 0, seed: seed)
    let response = try await model().complete("x", options: options).guided()
    let value = try #require(response.value, "\(response)")
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(value.utf8)) as? [String: Any])
    var spans = [try #require(object["order"] as? String)]
    for item in try #require(object["items"] as? [[String: String]]) {
      spans.append(try #require(item["code"]))
    }
    #expect(spans.allSatisfy { !$0.isEmpty && source.contains($0) }, "\(spans)")
  }

  @Test(arguments: [1, 2])
  func stringsAreCopiedFromTheSourceTheyName(_ seed: UInt64) async throws {
    let sources = ["letter": "Pay by 1 May.", "names": "Ada, Grace"]
    let schema = #"""
      {"type":"object","properties":{"date":{"type":"string","x-verbatim":"letter"},
      "name":{"type":"string","x-verbatim":"names"}},"required":["date","name"]}
      """#
    var options = options(.jsonSchema(schema, sources: sources), 120)
    options.sampling = SamplingOptions(temperature: 4, topK: 0, topP: 1, minP: 0, seed: seed)
    let response = try await model().complete("x", options: options).guided()
    let value = try #require(response.value, "\(response)")
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(value.utf8)) as? [String: String])
    #expect(try #require(sources["letter"]).contains(try #require(object["date"])))
    #expect(try #require(sources["names"]).contains(try #require(object["name"])))
  }
}
