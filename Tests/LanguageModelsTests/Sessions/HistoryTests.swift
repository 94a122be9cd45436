import LanguageModels
import Testing

@Suite struct HistoryTests {
  /// A model whose window holds a number of entries.
  private static func window(_ size: Int) -> ScriptedModel {
    ScriptedModel { request, channel in
      guard request.transcript.count <= size else {
        throw LanguageModelError.contextSizeExceeded(
          .init(
            contextSize: size, tokenCount: request.transcript.count, debugDescription: "too long"))
      }
      await channel.say("Yes")
    }
  }

  @Test func withoutAPolicyALongHistoryIsAnError() async throws {
    let session = LanguageModelSession(model: Self.window(4), instructions: "Be kind.")
    try await session.respond(to: "1")
    try await session.respond(to: "2")
    do {
      try await session.respond(to: "3")
      Issue.record("no error")
    } catch LanguageModelError.contextSizeExceeded(let error) {
      #expect(error.tokenCount == 6)
    }
    #expect(session.transcript.count == 5)
    #expect(session.omittedEntries.isEmpty)
  }

  @Test func theOldestTurnsAreDroppedAndReported() async throws {
    let model = Self.window(4)
    let session = LanguageModelSession(model: model, instructions: "Be kind.")
    session.historyPolicy = .dropOldestTurns()
    for turn in 1...4 { try await session.respond(to: "\(turn)") }
    #expect(session.transcript.count == 9)
    #expect(
      model.requests.last?.transcript.texts == ["Be kind.", "3", "Yes", "4"])
    #expect(Transcript(entries: session.omittedEntries).texts == ["1", "Yes", "2", "Yes"])
    // Only the first request that did not fit was tried twice, then once for each more turn.
    #expect(model.requests.map(\.transcript.count) == [2, 4, 6, 4, 6, 4])
  }

  @Test func severalTurnsCanBeDroppedAtATime() async throws {
    let model = Self.window(6)
    let session = LanguageModelSession(model: model)
    session.historyPolicy = .dropOldestTurns(atATime: 2)
    for turn in 1...4 { try await session.respond(to: "\(turn)") }
    #expect(model.requests.last?.transcript.texts == ["3", "Yes", "4"])
  }

  @Test func aPromptThatDoesNotFitAloneStaysAnError() async throws {
    let session = LanguageModelSession(model: Self.window(0))
    session.historyPolicy = .dropOldestTurns()
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "1") }
    #expect(session.transcript.isEmpty)
  }

  @Test func aCallerMayTransformTheHistory() async throws {
    let model = Self.window(100)
    let session = LanguageModelSession(model: model, instructions: "Be kind.")
    try await session.respond(to: "1")
    session.historyPolicy = .transform { history in
      history.filter { if case .prompt = $0 { false } else { true } }
    }
    try await session.respond(to: "2")
    #expect(model.requests.last?.transcript.texts == ["Be kind.", "Yes", "2"])
    #expect(session.transcript.texts == ["Be kind.", "1", "Yes", "2", "Yes"])
    #expect(Transcript(entries: session.omittedEntries).texts == ["1"])
    session.historyPolicy = nil
    try await session.respond(to: "3")
    #expect(model.requests.last?.transcript.count == 6)
    #expect(session.omittedEntries.isEmpty)
  }

  @Test func anErrorOfTheTransformEndsTheRequest() async throws {
    struct Failure: Error {}
    let session = LanguageModelSession(model: Self.window(100))
    session.historyPolicy = .transform { _ in throw Failure() }
    await #expect(throws: Failure.self) { try await session.respond(to: "1") }
    #expect(session.transcript.isEmpty)
  }

  @Test func aResponseThatFillsTheWindowIsNotTriedAgain() async throws {
    let model = ScriptedModel { request, channel in
      await channel.say("Very long")
      throw LanguageModelError.contextSizeExceeded(
        .init(contextSize: 1, tokenCount: 2, debugDescription: ""))
    }
    let session = LanguageModelSession(
      model: model,
      transcript: Transcript(entries: [.prompt(.init(segments: [.text(.init(content: "Old"))]))]))
    session.historyPolicy = .dropOldestTurns()
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "1") }
    #expect(model.requests.count == 1)
  }
}
