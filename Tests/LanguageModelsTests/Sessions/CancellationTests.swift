import LanguageModels
import TestSupport
import Testing

@Suite struct CancellationTests {
  /// Says one word, then waits until it is cancelled.
  private static func waiting(_ hasBegun: Gate) -> ScriptedModel {
    ScriptedModel { _, channel in
      await channel.say("Well")
      hasBegun.open()
      await Gate().pass()
      try Task.checkCancellation()
    }
  }

  @Test func aRequestThatIsCancelledBeforeItBeginsAsksNothing() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(model: model)
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await session.respond(to: "?").content
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(model.requests.isEmpty)
    #expect(session.transcript.isEmpty)
    #expect(!session.isResponding)
  }

  @Test func cancellingRevertsTheTranscript() async throws {
    let hasBegun = Gate()
    let session = LanguageModelSession(model: Self.waiting(hasBegun), instructions: "Be kind.")
    let task = Task { try await session.respond(to: "?").content }
    await hasBegun.pass()
    #expect(session.isResponding)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(session.transcript.kinds == ["instructions"])
    #expect(!session.isResponding)
  }

  @Test func cancellingMayPreserveTheTranscript() async throws {
    let hasBegun = Gate()
    let session = LanguageModelSession(model: Self.waiting(hasBegun))
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    let task = Task { try await session.respond(to: "?").content }
    await hasBegun.pass()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(session.transcript.texts == ["?", "Well"])
  }

  @Test func cancellingTheReaderOfAStreamEndsIt() async throws {
    let hasBegun = Gate()
    let session = LanguageModelSession(model: Self.waiting(hasBegun))
    let task = Task {
      var seen: [String] = []
      do {
        for try await snapshot in session.streamResponse(to: "?") { seen.append(snapshot.content) }
      } catch {
        return (seen, error is CancellationError)
      }
      return (seen, false)
    }
    await hasBegun.pass()
    task.cancel()
    let (seen, isCancelled) = await task.value
    #expect(isCancelled)
    #expect(seen.count <= 1)
    #expect(session.transcript.isEmpty)
    #expect(!session.isResponding)
  }

  @Test func cancellingAfterTheEndChangesNothing() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("Yes"))
    let task = Task { try await session.respond(to: "?").content }
    #expect(try await task.value == "Yes")
    task.cancel()
    #expect(session.transcript.texts == ["?", "Yes"])
    #expect(try await session.respond(to: "!").content == "Yes")
  }

  @Test func anExecutorThatIgnoresCancellationStillEndsWithIt() async throws {
    let hasBegun = Gate()
    let model = ScriptedModel { _, channel in
      hasBegun.open()
      while !Task.isCancelled { await Task.yield() }
      await channel.say("Too late")
    }
    let session = LanguageModelSession(model: model)
    let task = Task { try await session.respond(to: "?").content }
    await hasBegun.pass()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(session.transcript.isEmpty)
  }

  @Test func toolsAreCancelledWithTheirRequest() async throws {
    let hasBegun = Gate()
    let tool = GateTool { _ in
      hasBegun.open()
      await Gate().pass()
      try Task.checkCancellation()
      return "never"
    }
    let model = ScriptedModel { _, channel in await channel.call("1", "gate", #"{"flight": "A"}"#) }
    let session = LanguageModelSession(model: model, tools: [tool])
    let task = Task { try await session.respond(to: "?").content }
    await hasBegun.pass()
    #expect(session.transcript.kinds == ["instructions", "prompt", "toolCalls"])
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(session.transcript.kinds == ["instructions"])
  }

  @Test func aRequestThatWaitsForAnotherOnesEndCanBeCancelled() async throws {
    let mayEnd = Gate()
    let model = ScriptedModel([
      { _, channel in
        await channel.say("a")
        await channel.say("b")
        // Deaf to cancellation for a while.
        await Task.detached { await mayEnd.pass() }.value
      },
      { _, channel in await channel.say("Yes") },
    ])
    let session = LanguageModelSession(model: model)
    for try await _ in session.streamResponse(to: "1") { break }
    let second = Task { try await session.respond(to: "2").content }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    let third = Task { try await session.respond(to: "3").content }
    // The first request still works, so the third one must not be asked yet.
    for _ in 0..<100 { await Task.yield() }
    #expect(model.requests.count == 1)
    mayEnd.open()
    #expect(try await third.value == "Yes")
    #expect(session.transcript.texts == ["1", "a", "3", "Yes"])
  }
}
