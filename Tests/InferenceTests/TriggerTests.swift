import ConstrainedDecoding
import Foundation
import GGUF
import Inference
import Testing
import Tokenization

/// Responses that are free until a mark comes, and held to a grammar behind it.
@Suite struct TriggerTests {
  private static let tokenizer = try? Tokenizer(
    file: GGUFFile(
      path: ArchitectureGolden.arch.appending(path: "llama.gguf").path(percentEncoded: false)))

  private func engine() throws -> InferenceEngine {
    try InferenceEngine(ArchitectureGolden.model("llama"), EngineOptions(threads: 1))
  }

  private func request(
    _ trigger: GuideTrigger?, _ pattern: String = "[0-9]{3}", sampling: SamplingOptions,
    maximum: Int = 200
  ) throws -> GenerationRequest {
    let tokenizer = try #require(Self.tokenizer)
    let grammar = try CompiledGrammar(Grammar(regex: pattern), TokenTable(tokenizer.vocabulary))
    return GenerationRequest(
      prompt: [1, 2, 3, 4, 5], sampling: sampling, maximumTokens: maximum,
      guide: trigger == nil ? nil : GrammarGuide(grammar: grammar, tokenizer: tokenizer),
      trigger: trigger)
  }

  private func tokens(_ stream: TokenStream) async throws -> [TokenID] {
    var result: [TokenID] = []
    for try await token in stream { result.append(token) }
    return result
  }

  private func text(_ tokens: some Sequence<TokenID>) -> String {
    String(decoding: Self.tokenizer?.decode(Array(tokens)) ?? [], as: UTF8.self)
  }

  /// Draws nearly anything, a "q" sooner or later, and never an end.
  private func sampling(_ seed: UInt64) throws -> SamplingOptions {
    let tokenizer = try #require(Self.tokenizer)
    var sampling = SamplingOptions(temperature: 6, topK: 0, topP: 1, minP: 0, seed: seed)
    for token in tokenizer.encode("q") { sampling.logitBias[token] = 12 }
    return sampling
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6])
  func theTextBeforeTheMarkIsAsFreeAsEver(_ seed: UInt64) async throws {
    let engine = try engine()
    let guided = try await engine.generate(request(.text("q"), sampling: sampling(seed)))
    let all = try await tokens(guided)
    let start = try #require(guided.guideStart)
    let plain = try await engine.generate(
      request(nil, sampling: sampling(seed), maximum: start))
    #expect(try await tokens(plain) == Array(all[..<start]))
    #expect(text(all[..<start]).hasSuffix("q"))
    #expect(text(all[start...]).wholeMatch(of: /[0-9]{3}/) != nil)
    #expect(guided.outcome == .complete && guided.finishReason == .endOfTurn)
  }

  @Test func aControlTokenIsAMark() async throws {
    let vocabulary = try #require(Self.tokenizer).vocabulary
    let mark = try #require(
      (0..<TokenID(vocabulary.count)).first {
        !vocabulary.isText($0) && !vocabulary.endOfGeneration.contains($0)
      })
    let sampling = SamplingOptions(temperature: 0, logitBias: [mark: 1000])
    let stream = try await engine().generate(request(.token(mark), sampling: sampling))
    let all = try await tokens(stream)
    #expect(all.first == mark && stream.guideStart == 1)
    #expect(text(all[1...]).wholeMatch(of: /[0-9]{3}/) != nil)
  }

  @Test func aTokenThatGoesBeyondTheMarkIsCutThere() async throws {
    let vocabulary = try #require(Self.tokenizer).vocabulary
    let long = try #require(
      (0..<TokenID(vocabulary.count)).first {
        vocabulary.isText($0) && vocabulary.bytes(of: $0).count > 1
          && vocabulary.bytes(of: $0)[0] < 0x80
      })
    let mark = String(decoding: vocabulary.bytes(of: long).prefix(1), as: UTF8.self)
    let sampling = SamplingOptions(temperature: 0, logitBias: [long: 1000])
    let stream = try await engine().generate(request(.text(mark), sampling: sampling))
    let all = try await tokens(stream)
    #expect(stream.guideStart == 1 && text(all[..<1]) == mark)
    #expect(text(all[1...]).wholeMatch(of: /[0-9]{3}/) != nil)
  }

  @Test(arguments: 1...12)
  func aLimitHoldsForBothPartsTogether(_ maximum: Int) async throws {
    let q = try #require(Self.tokenizer?.encode("q").first)
    let sampling = SamplingOptions(temperature: 0, logitBias: [q: 1000])
    let stream = try await engine().generate(
      request(.text("qqq"), "[0-9]{2,}", sampling: sampling, maximum: maximum))
    let text = text(try await tokens(stream))
    #expect(stream.metrics.responseTokens <= maximum)
    if maximum >= 5 {
      #expect(text.wholeMatch(of: /qqq[0-9]{2,}/) != nil && stream.outcome == .complete)
    }
  }

  @Test func marksAreFoundWhereverTheyStand() {
    var scanner = TriggerScanner(.text("aab"))
    #expect(scanner.accept("xaa".utf8) == nil && scanner.heldBack == 2)
    #expect(scanner.accept("ab".utf8) == 2)
    // Found once, it is not looked for again.
    #expect(scanner.accept("aab".utf8) == nil && scanner.heldBack == 0)
    var split = TriggerScanner(.text("<call>"))
    #expect(split.accept("<<ca".utf8) == nil && split.heldBack == 3)
    #expect(split.accept("ll>rest".utf8) == 3)
    var token = TriggerScanner(.token(3))
    #expect(token.accept("anything".utf8) == nil && token.heldBack == 0)
  }

  @Test func aBeginningIsFoundAtTheBeginningOnly() {
    var scanner = TriggerScanner(.beginning("{\"n\""))
    #expect(scanner.accept(" \n{".utf8) == nil && scanner.heldBack == 1)
    #expect(scanner.accept("\"n\" ".utf8) == 3)
    var late = TriggerScanner(.beginning("{\"n\""))
    #expect(late.accept("x{\"n\"".utf8) == nil && late.heldBack == 0)
  }

  // MARK: Taking turns

  @Test func generationsThatInterleaveAreThoseOfEachAlone() async throws {
    let engine = try engine()
    func request(_ seed: Int32, _ pattern: String?) throws -> GenerationRequest {
      var request = try self.request(
        pattern == nil ? nil : .text("q"), pattern ?? "", sampling: sampling(UInt64(seed)),
        maximum: 30)
      request.prompt = [seed, 7, 8, 9]
      request.mayInterleave = true
      return request
    }
    let requests = [try request(1, nil), try request(2, "[a-c]{4}"), try request(3, nil)]
    var alone: [[TokenID]] = []
    for request in requests { alone.append(try await tokens(engine.generate(request))) }
    var streams: [TokenStream.Iterator] = []
    for request in requests {
      streams.append(try await engine.generate(request).makeAsyncIterator())
    }
    var together: [[TokenID]] = [[], [], []]
    var running = Set(streams.indices)
    while !running.isEmpty {
      for index in running {
        if let token = try await streams[index].next() {
          together[index].append(token)
        } else {
          running.remove(index)
        }
      }
    }
    #expect(together == alone)
  }
}
