import ConstrainedDecoding
import Foundation
import GGUF
import Inference
import Testing
import Tokenization

/// Responses held to a grammar, on tiny models with random weights: what they would like to say is
/// noise, so only the grammar can give it a shape.
@Suite struct GuidedEngineTests {
  private static let tokenizer = try? Tokenizer(
    file: GGUFFile(
      path: ArchitectureGolden.arch.appending(path: "llama.gguf").path(percentEncoded: false)))

  private let endToken: Int32 = 258

  private func tokenizer() throws -> Tokenizer { try #require(Self.tokenizer) }

  private func guide(_ grammar: Grammar) throws -> GrammarGuide {
    let tokenizer = try tokenizer()
    return GrammarGuide(
      grammar: try CompiledGrammar(grammar, TokenTable(tokenizer.vocabulary)),
      tokenizer: tokenizer)
  }

  private func engine(_ name: String = "llama", contextSize: Int? = nil) throws -> InferenceEngine {
    try InferenceEngine(
      ArchitectureGolden.model(name), EngineOptions(contextSize: contextSize, threads: 1))
  }

  private func request(
    _ guide: GrammarGuide, prompt: Int = 10, maximum: Int? = nil,
    sampling: SamplingOptions = .greedy
  ) throws -> GenerationRequest {
    GenerationRequest(
      prompt: (0..<Int32(prompt)).map { $0 % 200 }, sampling: sampling, maximumTokens: maximum,
      endTokens: try tokenizer().vocabulary.endOfGeneration, guide: guide)
  }

  private func tokens(_ stream: TokenStream) async throws -> [Int32] {
    var result: [Int32] = []
    for try await token in stream { result.append(token) }
    return result
  }

  private func text(_ tokens: [Int32]) throws -> String {
    String(decoding: try tokenizer().decode(tokens), as: UTF8.self)
  }

  private func text(_ stream: TokenStream) async throws -> String {
    try text(try await tokens(stream))
  }

  static let schema = #"""
    {"type":"object","properties":{"name":{"type":"string","maxLength":12},
    "count":{"type":"integer","minimum":0,"maximum":20},"kind":{"enum":["a","b"]},
    "list":{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":3}},
    "required":["name","count","kind","list"]}
    """#

  // MARK: Shape

  @Test(arguments: ArchitectureGolden.names, [0, 1, 2])
  func outputHasTheShapeWhateverTheLogits(_ name: String, _ seed: Int) async throws {
    let sampling =
      seed == 0
      ? .greedy
      : SamplingOptions(temperature: 5, topK: seed * 7, topP: 0.9, minP: 0, seed: UInt64(seed))
    let guide = try guide(Grammar(jsonSchema: Self.schema))
    let stream = try await engine(name).generate(
      request(guide, maximum: 200, sampling: sampling))
    let text = try await text(stream)
    #expect(stream.outcome == .complete)
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    #expect((object["name"] as? String)?.unicodeScalars.count ?? 99 <= 12)
    #expect((0...20).contains(try #require(object["count"] as? Int)))
    #expect(["a", "b"].contains(try #require(object["kind"] as? String)))
    #expect((1...3).contains(try #require(object["list"] as? [Bool]).count))
    #expect(object.count == 4)
    // In the order of the schema.
    let places = ["\"name\"", "\"count\"", "\"kind\"", "\"list\""].map {
      text.range(of: $0)?.lowerBound ?? text.endIndex
    }
    #expect(places == places.sorted() && stream.metrics.responseTokens <= 200)
  }

  @Test func theEndIsLegalExactlyWhenTheTextIsComplete() async throws {
    let guide = try guide(Grammar(gbnf: #"root ::= [ab]{2} [cd]?"#))
    var eager = SamplingOptions.greedy
    eager.logitBias = [endToken: 1000]
    let short = try await engine().generate(request(guide, sampling: eager))
    #expect(try await tokens(short).count == 2)
    #expect(short.finishReason == .endOfTurn && short.outcome == .complete)
    var reluctant = SamplingOptions.greedy
    reluctant.logitBias = [endToken: -1000]
    let long = try await engine().generate(request(guide, sampling: reluctant))
    // After three letters nothing but the end is left, and no pass is spent on it.
    #expect(try await tokens(long).count == 3)
    #expect(long.finishReason == .endOfTurn && long.outcome == .complete)
  }

  @Test func otherControlTokensAreNeverChosen() async throws {
    let guide = try guide(Grammar(gbnf: #"root ::= [^\x00]{20}"#))
    var sampling = SamplingOptions.greedy
    for token: Int32 in 256..<288 where try !tokenizer().vocabulary.isText(token) {
      sampling.logitBias[token] = 1000
    }
    #expect(sampling.logitBias.count > 2)
    let stream = try await engine().generate(request(guide, sampling: sampling))
    let tokens = try await tokens(stream)
    #expect(tokens.allSatisfy { sampling.logitBias[$0] == nil })
    #expect(try text(tokens).unicodeScalars.count == 20)
  }

  @Test func truncationSeesLegalTokensOnly() async throws {
    let guide = try guide(Grammar(gbnf: #"root ::= [xyz]{30}"#))
    // By far the most likely tokens are illegal ones; top-k 1 keeps a legal one all the same.
    var sampling = SamplingOptions(temperature: 1, topK: 1, topP: 0.1, minP: 0.5, seed: 5)
    for token in Int32(0)..<100 { sampling.logitBias[token] = 100 }
    let stream = try await engine().generate(request(guide, sampling: sampling))
    let text = try await text(stream)
    #expect(text.count == 30 && text.allSatisfy { "xyz".contains($0) })
  }

  @Test func aModelWithoutAGrammarIsAsFreeAsBefore() async throws {
    let golden = try ArchitectureGolden.load("llama").cases[0]
    let stream = try await engine().generate(
      GenerationRequest(prompt: golden.promptIds, sampling: .greedy, maximumTokens: 16))
    #expect(try await tokens(stream) == golden.greedy16)
    #expect(stream.outcome == nil)
  }

  // MARK: Forced text

  @Test func forcedTextComesInCanonicalTokensBeforeAnyPass() async throws {
    let forced = "{ the tin is \"red\" }"
    let guide = try guide(Grammar([.text(forced), .choice(["x", "y"])]))
    let engine = try engine()
    let stream = try await engine.generate(request(guide))
    var iterator = stream.makeAsyncIterator()
    let canonical = try tokenizer().encode(forced)
    for expected in canonical {
      #expect(try await iterator.next() == expected)
      await #expect(engine.cachedTokenCount == 0)
    }
    let last = try #require(try await iterator.next())
    #expect(["x", "y"].contains(try text([last])))
    // Prompt and forced text were computed together; the last token never is.
    await #expect(engine.cachedTokenCount == 10 + canonical.count)
    #expect(try await iterator.next() == nil)
    #expect(stream.metrics.responseTokens == canonical.count + 1)
  }

  @Test func forcedTextAfterAChoiceTakesOnePass() async throws {
    let forced = " and then the inn "
    let guide = try guide(
      Grammar([.choice(["x", "y"]), .text(forced), .choice(["u", "v"])]))
    let engine = try engine()
    let stream = try await engine.generate(request(guide))
    var iterator = stream.makeAsyncIterator()
    _ = try await iterator.next()
    await #expect(engine.cachedTokenCount == 10)
    let canonical = try tokenizer().encode(forced)
    var seen: [Int32] = []
    for index in canonical.indices {
      seen.append(try #require(try await iterator.next()))
      // The last one could go on in a longer token, so it is the model's to choose.
      if index < canonical.count - 1 { await #expect(engine.cachedTokenCount == 10) }
    }
    #expect(seen == canonical)
    _ = try await iterator.next()
    await #expect(engine.cachedTokenCount == 11 + seen.count)
    #expect(try await iterator.next() == nil)
  }

  @Test func aForcedTokenThatCouldGoOnIsLeftToTheModel() async throws {
    // This vocabulary has `th` and `the`-like merges: after a forced `t` the model may choose.
    let guide = try guide(Grammar(gbnf: #"root ::= "t" ("he" | "ip")"#))
    let stream = try await engine().generate(request(guide))
    let text = try await text(stream)
    #expect(["the", "tip"].contains(text))
  }

  // MARK: Limits

  @Test func aTokenLimitClosesTheValueWhereThatIsPossible() async throws {
    let guide = try guide(
      Grammar(
        jsonSchema:
          #"{"type":"object","properties":{"text":{"type":"string"},"list":{"type":"array"}},"required":["text","list"]}"#
      ))
    let engine = try engine()
    // Never ends by itself within these limits.
    var sampling = SamplingOptions(temperature: 3, topK: 0, topP: 1, minP: 0, seed: 3)
    sampling.logitBias = [endToken: -1000, 34: -100]
    for limit in 0...60 {
      let stream = try await engine.generate(request(guide, maximum: limit, sampling: sampling))
      let text = try await text(stream)
      #expect(stream.metrics.responseTokens <= limit)
      let isWhole = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil
      #expect((stream.outcome == .complete) == isWhole, "limit \(limit): \(text)")
      #expect(stream.outcome == .complete || stream.outcome == .truncated)
      #expect(stream.finishReason == .tokenLimit)
      // `{"text":"","list":[]}` has 21 bytes.
      if limit >= 22 { #expect(stream.outcome == .complete, "limit \(limit): \(text)") }
    }
  }

  @Test func theContextClosesTheValueToo() async throws {
    let guide = try guide(Grammar(jsonSchema: #"{"type":"string","pattern":"^[0-9]{3,}$"}"#))
    var sampling = SamplingOptions.greedy
    sampling.logitBias = [34: -1000]
    for size in 11...40 {
      let stream = try await engine(contextSize: size).generate(
        request(guide, sampling: sampling))
      let text = try await text(stream)
      #expect(stream.finishReason == .contextFull)
      #expect(stream.metrics.responseTokens <= size - 10)
      #expect(stream.outcome == (size >= 15 ? .complete : .truncated), "size \(size): \(text)")
      if size >= 15 { #expect(text.hasPrefix("\"") && text.hasSuffix("\"") && text.count >= 5) }
    }
  }

  @Test func aTimeLimitClosesTheValueWithoutAnotherPass() async throws {
    let guide = try guide(Grammar(jsonSchema: Self.schema))
    var request = try request(guide)
    request.timeLimit = .zero
    let engine = try engine()
    let stream = try await engine.generate(request)
    let text = try await text(stream)
    #expect(stream.finishReason == .timeLimit && stream.outcome == .complete)
    #expect((try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil, "\(text)")
    await #expect(engine.cachedTokenCount == 0)
    request.timeLimit = .seconds(-1)
    await #expect(throws: InferenceError.self) { _ = try await engine.generate(request) }
    request.timeLimit = .seconds(Int64.max)
    request.maximumTokens = 50
    #expect(try await !tokens(engine.generate(request)).isEmpty)
  }

  @Test func aTimeLimitEndsFreeTextAsWell() async throws {
    let stream = try await engine().generate(
      GenerationRequest(prompt: [1, 2, 3], sampling: .greedy, timeLimit: .zero))
    #expect(try await tokens(stream).isEmpty)
    #expect(stream.finishReason == .timeLimit)
  }

  // MARK: Nothing legal

  @Test func aVocabularyWithoutTheNextTokenIsSaid() async throws {
    // The same tokens, but `}` and what holds it is no text.
    let tokenizer = try tokenizer()
    let vocabulary = tokenizer.vocabulary
    let ids = 0..<Int32(vocabulary.count)
    var texts = ByteStrings()
    for id in ids { texts.append(vocabulary.bytes(of: id)) }
    let control = ids.map { id in
      !vocabulary.isText(id) || vocabulary.bytes(of: id).contains(UInt8(ascii: "}"))
    }
    let table = TokenTable(texts, control: control, endTokens: [Int(endToken)])
    let guide = GrammarGuide(
      grammar: try CompiledGrammar(Grammar(gbnf: #"root ::= "{" [a-z]{3} "}""#), table),
      tokenizer: tokenizer)
    let engine = try engine()
    let stream = try await engine.generate(request(guide))
    #expect(try await text(stream).count == 4)
    #expect(stream.finishReason == .noLegalToken)
    guard case .noLegalToken = stream.outcome else {
      Issue.record("\(String(describing: stream.outcome))")
      return
    }
    // The engine is free again.
    #expect(
      try await tokens(engine.generate(GenerationRequest(prompt: [1], maximumTokens: 2))) != [])
  }

  @Test func aGrammarOfAnotherVocabularyIsRefused() async throws {
    let table = TokenTable(ByteStrings(["a", "b"]), control: [], endTokens: [])
    let guide = GrammarGuide(
      grammar: try CompiledGrammar(Grammar(choices: ["a"]), table), tokenizer: try tokenizer())
    let engine = try engine()
    await #expect(throws: InferenceError.self) {
      _ = try await engine.generate(try self.request(guide))
    }
  }

  // MARK: Cancellation, sharing, reuse

  @Test(arguments: [2, 25])
  func cancellingMidwayEndsTheResponseAndFreesTheEngine(_ count: Int) async throws {
    // The first 20 tokens are forced, the others chosen.
    let guide = try guide(Grammar([.text(String(repeating: "-", count: 20)), .regex("[xy]{100}")]))
    let engine = try engine()
    let stream = try await engine.generate(request(guide))
    let task = Task {
      var seen = 0
      for try await _ in stream {
        seen += 1
        if seen == count { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(stream.finishReason == .cancelled && stream.outcome == nil)
    let again = try await text(engine.generate(request(guide)))
    #expect(again == (try await text(self.engine().generate(request(guide)))))
    #expect(again.count == 120)
  }

  @Test func droppingTheStreamFreesTheEngine() async throws {
    let guide = try guide(Grammar(regex: "[xy]{50}"))
    let engine = try engine()
    do {
      let dropped = try await engine.generate(request(guide))
      var iterator = dropped.makeAsyncIterator()
      _ = try await iterator.next()
    }
    #expect(try await text(engine.generate(request(guide))).count == 50)
  }

  @Test func requestsAtTheSameTimeKeepToTheirOwnGrammars() async throws {
    let model = try ArchitectureGolden.model("llama")
    let letters = try guide(Grammar(regex: "[a-m]{60}"))
    let digits = try guide(
      Grammar(jsonSchema: #"{"type":"array","items":{"type":"integer","maximum":999,"minimum":0}}"#)
    )
    // The third shares its grammar, and so its masks, with the first.
    let results = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for (index, guide) in [letters, digits, letters, digits].enumerated() {
        group.addTask {
          let engine = try InferenceEngine(model, EngineOptions(threads: 1))
          return (index, try await self.text(engine.generate(self.request(guide, maximum: 80))))
        }
      }
      return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
    }
    #expect(results[0] == results[2] && results[1] == results[3])
    #expect(results[0]?.allSatisfy { ("a"..."m").contains($0) } == true)
    let array = try JSONSerialization.jsonObject(with: Data((results[1] ?? "").utf8))
    #expect(array is [Int])
  }

  @Test func aWarmCacheGivesTheSameText() async throws {
    let guide = try guide(Grammar(jsonSchema: Self.schema))
    let engine = try engine()
    let cold = try await text(engine.generate(request(guide, maximum: 100)))
    let stream = try await engine.generate(request(guide, maximum: 100))
    #expect(try await text(stream) == cold)
    #expect(stream.metrics.cachedTokens == 10)
  }
}
