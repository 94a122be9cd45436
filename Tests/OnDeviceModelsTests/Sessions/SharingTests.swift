import Foundation
import GGUF
import Inference
import LanguageModels
import OnDeviceModels
import Synchronization
import Testing

/// Several sessions, one loaded model: turns, cancelling, letting go.
@Suite struct OnDeviceSharingTests {
  @Test func eightSessionsAtOnceAnswerAsEachAlone() async throws {
    let model = TinyModel.model(contextSize: 490)
    let prompts = (0..<8).map { "prompt \($0)" }
    var alone: [String] = []
    for prompt in prompts {
      alone.append(
        try await LanguageModelSession(model: model).respond(to: prompt, options: atMost(12))
          .content)
    }
    let together = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for (index, prompt) in prompts.enumerated() {
        group.addTask {
          let session = LanguageModelSession(model: model)
          return (index, try await session.respond(to: prompt, options: atMost(12)).content)
        }
      }
      return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
    }
    #expect((0..<8).map { together[$0] } == alone)
  }

  @Test func aSecondRequestOfOneSessionIsRefused() async throws {
    let session = LanguageModelSession(model: TinyModel.model(contextSize: 491))
    var stream = session.streamResponse(to: "hello", options: atMost(30)).makeAsyncIterator()
    _ = try await stream.next()
    await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
      try await session.respond(to: "again")
    }
    while try await stream.next() != nil {}
    #expect(session.transcript.count == 2)
  }

  @Test func aReaderWhoWaitsForAnotherResponseIsNotBlocked() async throws {
    let model = TinyModel.model(contextSize: 492)
    let outer = LanguageModelSession(model: model)
    let inner = LanguageModelSession(model: model)
    var text = ""
    var others = 0
    for try await snapshot in outer.streamResponse(to: "hello", options: atMost(12)) {
      text = snapshot.content
      guard others == 0 else { continue }
      try await inner.respond(to: "other", options: atMost(3))
      others += 1
    }
    // The response goes on as if nobody had used the model meanwhile.
    let undisturbed = try await LanguageModelSession(model: model).respond(
      to: "hello", options: atMost(12))
    #expect(others == 1 && text == undisturbed.content)
  }

  @Test func aGuidedResponseSurvivesAnInterruption() async throws {
    let model = TinyModel.model(contextSize: 493)
    let outer = LanguageModelSession(model: model)
    let inner = LanguageModelSession(model: model)
    var last: GeneratedContent?
    var others = 0
    for try await snapshot in outer.streamResponse(to: "x", generating: Pick.self) {
      last = snapshot.rawContent
      guard others == 0 else { continue }
      try await inner.respond(to: "y", generating: Pick.self)
      others += 1
    }
    let undisturbed = try await LanguageModelSession(model: model).respond(
      to: "x", generating: Pick.self)
    #expect(others == 1 && last == undisturbed.rawContent)
  }

  // MARK: Ending early

  @Test func cancellingBeforeTheStartLeavesNoTrace() async throws {
    let session = LanguageModelSession(model: TinyModel.model(contextSize: 494))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await session.respond(to: "hello").content
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(session.transcript.isEmpty && !session.isResponding)
  }

  @Test func cancellingMidwayLeavesNoTraceAndFreesTheModel() async throws {
    let session = LanguageModelSession(model: TinyModel.model(contextSize: 494))
    let task = Task {
      for try await _ in session.streamResponse(to: "hello", options: atMost(200)) {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
      try Task.checkCancellation()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    let after = try await session.respond(to: "2+2", options: atMost(8))
    let fresh = try await LanguageModelSession(model: TinyModel.model(contextSize: 494))
      .respond(to: "2+2", options: atMost(8))
    #expect(after.content == fresh.content)
  }

  @Test func whoWaitsCanBeCancelled() async throws {
    let model = TinyModel.model(contextSize: 495)
    let first = LanguageModelSession(model: model)
    var stream = first.streamResponse(to: "hello", options: atMost(200)).makeAsyncIterator()
    _ = try await stream.next()
    let second = LanguageModelSession(model: model)
    let task = Task { try await second.respond(to: "x", options: atMost(200)) }
    while second.transcript.isEmpty { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(second.transcript.isEmpty)
    #expect(try await stream.next() != nil)
  }

  @Test func breakingOffFreesTheModel() async throws {
    let model = TinyModel.model(contextSize: 496)
    for try await _ in LanguageModelSession(model: model).streamResponse(
      to: "hello", options: atMost(200))
    { break }
    try await LanguageModelSession(model: model).respond(to: "x", options: atMost(2))
    while !model.release() { await Task.yield() }
    #expect(!model.isLoaded)
  }

  // MARK: Loading

  @Test func equalModelsAreLoadedOnceAndLetGoWhenNobodyUsesThem() async throws {
    let model = TinyModel.model(contextSize: 497)
    #expect(!model.isLoaded)
    let session = LanguageModelSession(model: model)
    try await session.respond(to: "hello", options: atMost(2))
    // How tokens are chosen is no reason to load a model twice.
    #expect(TinyModel.model(contextSize: 497, sampling: TinyModel.hot(1)).isLoaded)
    #expect(!TinyModel.model(contextSize: 498).isLoaded)
    #expect(model.release() && !model.isLoaded)
    // The next request loads it again, and has lost nothing but the cache.
    let again = try await session.respond(to: "hello", options: atMost(2))
    #expect(again.usage.input.cachedTokenCount == 0 && model.isLoaded)
    withExtendedLifetime(session) {}
  }

  @Test func aCacheOfAnotherTypeBelongsToAnotherLoadedModel() async throws {
    func model(_ type: KeyValueType) -> OnDeviceLanguageModel {
      OnDeviceLanguageModel(
        file: TinyModel.path,
        options: .init(
          contextSize: 489, threads: 1, keyValueType: type, sampling: .greedy, template: .chatML))
    }
    let (half, wide) = (model(.float16), model(.float32))
    #expect(half.executorConfiguration != wide.executorConfiguration)
    let session = LanguageModelSession(model: wide)
    try await session.respond(to: "hello", options: atMost(4))
    #expect(wide.isLoaded && !half.isLoaded)
    let again = try await session.respond(to: "more", options: atMost(4))
    #expect(again.usage.input.cachedTokenCount > 0)
  }

  @Test func aModelInUseIsNotLetGo() async throws {
    let model = TinyModel.model(contextSize: 499)
    let session = LanguageModelSession(model: model)
    var stream = session.streamResponse(to: "hello", options: atMost(30)).makeAsyncIterator()
    _ = try await stream.next()
    #expect(!model.release() && model.isLoaded)
    while try await stream.next() != nil {}
    #expect(model.release())
  }

  @Test func aModelThatDoesNotFitIsRefusedWithNumbers() throws {
    var estimate = try MemoryEstimate(file: .init(path: TinyModel.path), contextSize: 100)
    (estimate.mapped, estimate.copied, estimate.keyValueCache, estimate.scratch) = (50, 20, 10, 5)
    #expect(throws: OnDeviceModelError.notEnoughMemory(needed: 85, available: 84, contextSize: 100))
    {
      try MachineMemory(physical: 84, available: nil).check(estimate)
    }
    // What is mapped can be dropped, the rest must be free now.
    #expect(throws: OnDeviceModelError.notEnoughMemory(needed: 35, available: 34, contextSize: 100))
    {
      try MachineMemory(physical: 85, available: 34).check(estimate)
    }
    try MachineMemory(physical: 85, available: 35).check(estimate)
  }

  @Test func whatTheSystemSaysOfItsMemoryIsRead() {
    var memory = MachineMemory(physical: 32 << 30, available: nil)
    memory.readMemoryInformation("MemTotal:  100 kB\nMemAvailable:   2097152 kB\nSwapFree: 0 kB\n")
    #expect(memory.available == 2 << 30 && !memory.isShort)
    memory.readMemoryInformation("MemAvailable: 2097151 kB")
    #expect(memory.isShort)
    memory.readMemoryInformation("MemAvailable: many kB")
    #expect(memory.available == 2_097_151 << 10)
    let calm = "some avg10=19.99 avg60=0.00 avg300=0.00 total=1\nfull avg10=99.00 avg60=0 total=1\n"
    #expect(!MemoryPressure.isStalling(calm))
    #expect(MemoryPressure.isStalling(calm.replacing("19.99", with: "20.00")))
    #expect(!MemoryPressure.isStalling(""))
    #expect(MachineMemory.current.physical > 0)
  }
}

/// What several tasks did, in order.
private final class Record<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }

  func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

@Suite struct TurnQueueTests {
  @Test func turnsComeInTheOrderOfArrival() async throws {
    let queue = TurnQueue()
    let order = Record<Int>()
    let places = (0..<20).map { _ in queue.enter() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, place) in places.enumerated().reversed() {
        group.addTask {
          try await place.wait()
          order.add(index)
          await Task.yield()
          place.leave()
        }
      }
      try await group.waitForAll()
    }
    #expect(order.all == Array(0..<20) && queue.count == 0)
  }

  @Test func whoGivesUpOrIsDroppedHoldsNobodyUp() async throws {
    let queue = TurnQueue()
    let first = queue.enter()
    var dropped: TurnQueue.Place? = queue.enter()
    let cancelled = queue.enter()
    let last = queue.enter()
    try await first.wait()
    let task = Task { try await cancelled.wait() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    cancelled.leave()
    #expect(dropped != nil)
    dropped = nil
    first.leave()
    try await last.wait()
    #expect(queue.count == 1)
  }

  @Test func whoPausesLongLetsOthersPassAndGoesOnAfterThem() async throws {
    let queue = TurnQueue()
    let order = Record<String>()
    let slow = queue.enter()
    try await slow.wait()
    let other = queue.enter()
    try await slow.pausing {
      try? await other.wait()
      order.add("other")
      other.leave()
    }
    order.add("slow")
    #expect(order.all == ["other", "slow"])
    slow.leave()
    #expect(queue.count == 0)
  }

  @Test func severalWhoPauseForEachOtherAllGetTheirTurns() async throws {
    let queue = TurnQueue()
    let finished = Record<Int>()
    func nest(_ depth: Int) async throws {
      let place = queue.enter()
      defer { place.leave() }
      try await place.wait()
      if depth > 0 { try await place.pausing { try? await nest(depth - 1) } }
      finished.add(depth)
    }
    try await nest(4)
    #expect(finished.all == [0, 1, 2, 3, 4] && queue.count == 0)
  }
}
