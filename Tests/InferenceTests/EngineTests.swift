import Inference
import Testing

/// Contexts, cancellation and reuse of the KV cache, on a tiny model with random weights.
@Suite struct EngineTests {
  private func engine(
    _ options: EngineOptions = EngineOptions(threads: 1)
  ) throws
    -> InferenceEngine
  {
    try InferenceEngine(ArchitectureGolden.model("llama"), options)
  }

  private func prompt(_ count: Int) -> [Int32] { (0..<count).map { Int32($0 % 200) } }

  private func request(_ prompt: [Int32], _ maximum: Int? = nil) -> GenerationRequest {
    GenerationRequest(prompt: prompt, sampling: .greedy, maximumTokens: maximum)
  }

  private func tokens(_ stream: TokenStream) async throws -> [Int32] {
    var result: [Int32] = []
    for try await token in stream { result.append(token) }
    return result
  }

  @Test func tokensAreThoseOfTheReference() async throws {
    let golden = try ArchitectureGolden.load("llama").cases[0]
    let stream = try await engine().generate(request(golden.promptIds, 16))
    #expect(try await tokens(stream) == golden.greedy16)
    #expect(stream.finishReason == .tokenLimit)
    #expect(stream.metrics.promptTokens == golden.promptIds.count)
    #expect(stream.metrics.responseTokens == 16)
    #expect(stream.metrics.cachedTokens == 0)
  }

  @Test func anEndTokenEndsTheTurnAndIsNotPartOfIt() async throws {
    let golden = try ArchitectureGolden.load("llama").cases[0]
    var request = request(golden.promptIds, 16)
    request.endTokens = [golden.greedy16[3]]
    let stream = try await engine().generate(request)
    #expect(try await tokens(stream) == Array(golden.greedy16[..<3]))
    #expect(stream.finishReason == .endOfTurn)
    #expect(stream.metrics.responseTokens == 3)
  }

  // MARK: K1, K2, K4, K5: context

  @Test func aPromptThatDoesNotFitIsAnErrorWithBothNumbers() async throws {
    let engine = try engine(EngineOptions(contextSize: 16, threads: 1))
    await #expect(throws: InferenceError.contextSizeExceeded(contextSize: 16, tokenCount: 20)) {
      _ = try await engine.generate(request(prompt(20)))
    }
    await #expect(engine.cachedTokenCount == 0)
  }

  @Test func theContextEndsTheResponseAtItsSize() async throws {
    let engine = try engine(EngineOptions(contextSize: 16, threads: 1))
    let stream = try await engine.generate(request(prompt(10), 100))
    #expect(try await tokens(stream).count == 6)
    #expect(stream.finishReason == .contextFull)
  }

  @Test(arguments: [(15, 1), (16, 0)])
  func aPromptOfTheWholeContextIsAccepted(_ count: Int, response: Int) async throws {
    let engine = try engine(EngineOptions(contextSize: 16, threads: 1))
    let stream = try await engine.generate(request(prompt(count)))
    #expect(try await tokens(stream).count == response)
    #expect(stream.finishReason == .contextFull)
  }

  @Test func theTokenLimitIsAnotherReasonThanTheContext() async throws {
    let engine = try engine(EngineOptions(contextSize: 16, threads: 1))
    let stream = try await engine.generate(request(prompt(10), 6))
    #expect(try await tokens(stream).count == 6)
    #expect(stream.finishReason == .tokenLimit)
    let none = try await engine.generate(request(prompt(10), 0))
    #expect(try await tokens(none).isEmpty)
    #expect(none.finishReason == .tokenLimit)
  }

  @Test(arguments: [0, -1, 1 << 50, .max])
  func aSenselessContextIsRefusedBeforeAllocation(_ size: Int) throws {
    #expect(throws: InferenceError.contextTooLarge(requested: size, limit: 512)) {
      try engine(EngineOptions(contextSize: size, threads: 1))
    }
  }

  @Test func theDefaultContextIsBounded() throws {
    #expect(try engine().contextSize == 512)
    #expect(EngineOptions.defaultContextLimit == 4096)
  }

  @Test(arguments: [0, -4, 100_000])
  func aSenselessThreadCountIsRefused(_ threads: Int) throws {
    #expect(throws: InferenceError.self) { try engine(EngineOptions(threads: threads)) }
  }

  @Test func badTokensAndLimitsAreRefusedBeforeWork() async throws {
    let engine = try engine()
    for token in [-1, 288, Int32.max] {
      await #expect(
        throws: InferenceError.invalidToken(id: Int(token), vocabularySize: 288)
      ) { _ = try await engine.generate(request([1, token])) }
    }
    await #expect(throws: InferenceError.self) { _ = try await engine.generate(request([])) }
    await #expect(throws: InferenceError.self) { _ = try await engine.generate(request([1], -1)) }
  }

  // MARK: K7, K8, K10: reuse of the prefix

  @Test func aLongerPromptReusesTheConversationBeforeIt() async throws {
    let engine = try engine()
    let first = try await tokens(engine.generate(request(prompt(20), 5)))
    let second = prompt(20) + first + [7, 8, 9]
    let warm = try await engine.generate(request(second, 8))
    let warmTokens = try await tokens(warm)
    // The last token of the response was drawn but never computed.
    #expect(warm.metrics.cachedTokens == 24)
    let cold = try await tokens(self.engine().generate(request(second, 8)))
    #expect(warmTokens == cold)
  }

  @Test func aShorterPromptThanTheCacheStartsFromTheRightPosition() async throws {
    let engine = try engine()
    _ = try await tokens(engine.generate(request(prompt(10), 4)))
    let short = try await engine.generate(request(prompt(6), 6))
    let warm = try await tokens(short)
    #expect(short.metrics.cachedTokens == 5)
    #expect(warm == (try await tokens(self.engine().generate(request(prompt(6), 6)))))
  }

  @Test func aCacheOfFloat32TakesTwiceTheBytesAndIsReused() async throws {
    let engine = try engine(EngineOptions(contextSize: 100, threads: 1, keyValueType: .float32))
    // 3 layers, keys and values, 2 heads of 16 numbers of 4 bytes, 100 positions.
    await #expect(engine.keyValueCacheBytes == 3 * 2 * 2 * 16 * 4 * 100)
    let half = try self.engine(EngineOptions(contextSize: 100, threads: 1))
    await #expect(half.keyValueCacheBytes == 3 * 2 * 2 * 16 * 2 * 100)
    let golden = try ArchitectureGolden.load("llama").cases[0]
    for cachedTokens in [0, golden.promptIds.count - 1] {
      let stream = try await engine.generate(request(golden.promptIds, 16))
      #expect(try await tokens(stream) == golden.greedy16)
      #expect(stream.metrics.cachedTokens == cachedTokens)
    }
  }

  @Test func resetForgetsTheConversation() async throws {
    let engine = try engine()
    _ = try await tokens(engine.generate(request(prompt(10), 4)))
    await engine.reset()
    let stream = try await engine.generate(request(prompt(10), 4))
    _ = try await tokens(stream)
    #expect(stream.metrics.cachedTokens == 0)
  }

  // MARK: K16, K17: cancellation and turns

  @Test func cancellingBeforeTheStartComputesNothing() async throws {
    let engine = try engine()
    let stream = try await engine.generate(request(prompt(20)))
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await tokens(stream)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(stream.finishReason == .cancelled)
    await #expect(engine.cachedTokenCount == 0)
  }

  @Test func cancellingMidwayEndsWithinOneToken() async throws {
    let engine = try engine()
    let stream = try await engine.generate(request(prompt(20)))
    let task = Task {
      var seen = 0
      for try await _ in stream {
        seen += 1
        if seen == 3 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      }
      return seen
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(stream.metrics.responseTokens == 3)
    #expect(stream.finishReason == .cancelled)
    // The engine is free again, and what it kept is right.
    let again = try await tokens(engine.generate(request(prompt(20), 5)))
    #expect(again == (try await tokens(self.engine().generate(request(prompt(20), 5)))))
  }

  @Test func cancellingBetweenPrefillChunksKeepsTheChunksDone() async throws {
    let engine = try engine(EngineOptions(threads: 1, prefillChunk: 4))
    let stream = try await engine.generate(request(prompt(20)))
    let task = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = try await self.tokens(stream) }
        group.cancelAll()
        try await group.waitForAll()
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(engine.cachedTokenCount % 4 == 0)
  }

  @Test func aSecondGenerationWhileOneRunsIsRefused() async throws {
    let engine = try engine()
    let first = try await engine.generate(request(prompt(5), 3))
    await #expect(throws: InferenceError.busy) {
      _ = try await engine.generate(request(prompt(5)))
    }
    #expect(try await tokens(first).count == 3)
    let second = try await engine.generate(request(prompt(5), 3))
    #expect(try await tokens(second).count == 3)
  }

  @Test func droppingTheStreamFreesTheEngine() async throws {
    let engine = try engine()
    do {
      let dropped = try await engine.generate(request(prompt(5)))
      var iterator = dropped.makeAsyncIterator()
      _ = try await iterator.next()
    }
    let next = try await engine.generate(request(prompt(5), 2))
    #expect(try await tokens(next).count == 2)
  }

  @Test func finishingAStreamAffectsNoLaterOne() async throws {
    let engine = try engine()
    let first = try await engine.generate(request(prompt(5)))
    first.finish(.stopString("x"))
    #expect(try await tokens(first).isEmpty)
    let second = try await engine.generate(request(prompt(5), 4))
    first.finish(.cancelled)
    #expect(try await tokens(second).count == 4)
    #expect(first.finishReason == .stopString("x"))
  }

  // MARK: K13, K20

  @Test func twoEnginesOnOneModelGiveTheSameTokensAtTheSameTime() async throws {
    let model = try ArchitectureGolden.model("gemma3")
    let golden = try ArchitectureGolden.load("gemma3").cases[1]
    try await withThrowingTaskGroup(of: [Int32].self) { group in
      for threads in [1, 2, 2] {
        group.addTask {
          let engine = try InferenceEngine(model, EngineOptions(threads: threads))
          return try await self.tokens(
            engine.generate(self.request(golden.promptIds, 16)))
        }
      }
      for try await result in group { #expect(result == golden.greedy16) }
    }
  }

  @Test func theEngineRunsOnItsOwnThread() async throws {
    let engine = try engine()
    try await engine.checkIsolation()
  }
}

extension InferenceEngine {
  fileprivate func checkIsolation() throws { preconditionIsolated() }
}
