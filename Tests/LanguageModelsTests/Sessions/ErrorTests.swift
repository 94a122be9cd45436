import Foundation
import LanguageModels
import Testing

@Suite struct ErrorTests {
  private static let tooLong = LanguageModelError.contextSizeExceeded(
    .init(contextSize: 100, tokenCount: 120, debugDescription: "120 of 100"))

  private static func failing(_ error: any Error) -> LanguageModelSession {
    LanguageModelSession(model: ScriptedModel { _, _ in throw error })
  }

  @Test func anErrorSaysBothNumbers() async throws {
    let session = Self.failing(Self.tooLong)
    do {
      try await session.respond(to: "?")
      Issue.record("no error")
    } catch LanguageModelError.contextSizeExceeded(let error) {
      #expect(error.contextSize == 100)
      #expect(error.tokenCount == 120)
    }
    #expect(Self.tooLong.localizedDescription.contains("100"))
    #expect(Self.tooLong.localizedDescription.contains("120"))
    #expect(session.transcript.isEmpty)
  }

  @Test func aFailedRequestMayLeaveItsPrompt() async throws {
    let session = Self.failing(Self.tooLong)
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: LanguageModelError.self) { try await session.respond(to: "?") }
    #expect(session.transcript.texts == ["?"])
  }

  @Test func oldCatchClausesWorkWhereTheyAreAskedFor() async throws {
    let session = Self.failing(Self.tooLong)
    session.errorFamily = .generationError
    do {
      try await session.respond(to: "?")
      Issue.record("no error")
    } catch LanguageModelSession.GenerationError.exceededContextWindowSize(let context) {
      #expect(context.debugDescription == "120 of 100")
    }
    await #expect(throws: LanguageModelSession.GenerationError.self) {
      for try await _ in session.streamResponse(to: "?") {}
    }
  }

  @Test func newSessionsTakeTheDefault() {
    #expect(LanguageModelSession.defaultErrorFamily == .languageModelError)
    #expect(Self.failing(Self.tooLong).errorFamily == .languageModelError)
  }

  @Test func busySessionsThrowTheOldErrorToo() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("a"))
    session.errorFamily = .generationError
    let stream = session.streamResponse(to: "1")
    do {
      try await session.respond(to: "2")
      Issue.record("no error")
    } catch LanguageModelSession.GenerationError.concurrentRequests {
      #expect(try await stream.collect().content == "a")
    }
  }

  @Test func everyErrorWithAnOldCaseHasIt() throws {
    typealias Old = LanguageModelSession.GenerationError
    func name(_ error: any Error) -> String? {
      Old(error).map { String(describing: $0).prefix { $0 != "(" } }.map(String.init)
    }
    #expect(name(Self.tooLong) == "exceededContextWindowSize")
    #expect(
      name(LanguageModelError.rateLimited(.init(resetDate: nil, debugDescription: "")))
        == "rateLimited")
    #expect(
      name(LanguageModelError.guardrailViolation(.init(debugDescription: "")))
        == "guardrailViolation")
    #expect(
      name(LanguageModelError.refusal(.init(explanation: "No", debugDescription: ""))) == "refusal")
    #expect(
      name(
        LanguageModelError.unsupportedGenerationGuide(.init(schemaName: nil, debugDescription: "")))
        == "unsupportedGuide")
    #expect(
      name(
        LanguageModelError.unsupportedLanguageOrLocale(
          .init(languageCode: "tr", debugDescription: ""))) == "unsupportedLanguageOrLocale")
    #expect(
      name(GeneratedContent.ParsingError(rawContent: "", debugDescription: "")) == "decodingFailure"
    )
    #expect(name(LanguageModelSession.Error.concurrentRequests) == "concurrentRequests")
    #expect(
      name(SystemLanguageModel.Error.assetsUnavailable(.init(debugDescription: "")))
        == "assetsUnavailable")
    #expect(name(LanguageModelError.timeout(.init(debugDescription: ""))) == nil)
    #expect(name(CancellationError()) == nil)
  }

  @Test func aRefusalCanBeExplained() async throws {
    let refusal = LanguageModelError.Refusal(
      explanation: "I would rather not.", debugDescription: "")
    #expect(try await refusal.explanation.content == "I would rather not.")
    var seen: [String] = []
    for try await snapshot in refusal.explanationStream { seen.append(snapshot.content) }
    #expect(seen == ["I would rather not."])
    let entry = Transcript.Entry.response(.init(segments: [.text(.init(content: "No."))]))
    let old = LanguageModelSession.GenerationError.Refusal(transcriptEntries: [entry])
    #expect(try await old.explanation.content == "No.")
  }
}
