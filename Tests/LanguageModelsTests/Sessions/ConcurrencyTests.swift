import LanguageModels
import Observation
import Synchronization
import Testing

@Suite struct ConcurrencyTests {
  /// A session that answers when the gate opens, and the request it is busy with.
  private static func busy(
    _ gate: Gate
  ) async -> (session: LanguageModelSession, request: Task<String, any Error>) {
    let hasBegun = Gate()
    let model = ScriptedModel { _, channel in
      hasBegun.open()
      await gate.pass()
      await channel.say("Yes")
    }
    let session = LanguageModelSession(model: model)
    let request = Task { try await session.respond(to: "1").content }
    await hasBegun.pass()
    return (session, request)
  }

  @Test func aSecondRequestIsRefused() async throws {
    let gate = Gate()
    let (session, request) = await Self.busy(gate)
    await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
      try await session.respond(to: "2")
    }
    let stream = session.streamResponse(to: "3")
    await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
      for try await _ in stream {}
    }
    gate.open()
    #expect(try await request.value == "Yes")
    #expect(session.transcript.texts == ["1", "Yes"])
    #expect(try await session.respond(to: "4").content == "Yes")
  }

  @Test func aStreamHasTheSessionFromItsBeginning() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("a"))
    let stream = session.streamResponse(to: "1")
    await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
      try await session.respond(to: "2")
    }
    #expect(try await stream.collect().content == "a")
  }

  @Test func changingTheTranscriptEndsTheRequest() async throws {
    let (session, request) = await Self.busy(Gate())
    let other = Transcript(entries: [.response(.init(segments: [.text(.init(content: "Mine"))]))])
    session.transcript = other
    await #expect(throws: LanguageModelSession.Error.transcriptMutationWhileResponding) {
      try await request.value
    }
    #expect(session.transcript == other)
    #expect(!session.isResponding)
  }

  @Test func theTranscriptCanBeChangedBetweenRequests() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(model: model)
    try await session.respond(to: "1")
    session.transcript.removeLast()
    session.transcript.append(.response(.init(segments: [.text(.init(content: "No"))])))
    try await session.respond(to: "2")
    #expect(model.requests.last?.transcript.texts == ["1", "No", "2"])
  }

  @Test func eightSessionsShareOneModel() async throws {
    let model = ScriptedModel { request, channel in
      for word in (request.transcript.texts.last ?? "").split(separator: " ") {
        await channel.say(String(word) + ".")
        await Task.yield()
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<8 {
        group.addTask {
          let session = LanguageModelSession(model: model)
          for turn in 0..<10 {
            var last = ""
            for try await snapshot in session.streamResponse(to: "\(index) \(turn)") {
              last = snapshot.content
            }
            #expect(last == "\(index).\(turn).")
          }
          #expect(session.transcript.count == 20)
        }
      }
      try await group.waitForAll()
    }
    #expect(ScriptedModel.Executor.made.withLock { $0[model.script.id] } == 1)
  }

  @Test func oneOfManyRequestsAtATimeIsAnswered() async throws {
    let gate = Gate()
    let model = ScriptedModel { _, channel in
      await gate.pass()
      await channel.say("Yes")
    }
    let session = LanguageModelSession(model: model)
    let refused = Counter()
    let answered = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          do {
            return try await session.respond(to: "?").content == "Yes"
          } catch {
            #expect(error as? LanguageModelSession.Error == .concurrentRequests)
            if refused.increment() == 7 { gate.open() }
            return false
          }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(answered == 1)
    #expect(session.transcript.texts == ["?", "Yes"])
  }

  @Test func isRespondingCanBeObserved() async throws {
    let gate = Gate()
    let (session, request) = await Self.busy(gate)
    let changes = Counter()
    withObservationTracking {
      #expect(session.isResponding)
    } onChange: {
      changes.increment()
    }
    #expect(changes.count == 0)
    gate.open()
    _ = try await request.value
    #expect(changes.count == 1)
    #expect(!session.isResponding)
  }

  @Test func theTranscriptCanBeObserved() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("Yes"))
    let changes = Counter()
    withObservationTracking {
      #expect(session.transcript.isEmpty)
    } onChange: {
      changes.increment()
    }
    try await session.respond(to: "?")
    #expect(changes.count == 1)
  }
}
