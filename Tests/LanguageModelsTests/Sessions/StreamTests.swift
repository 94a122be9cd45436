import Foundation
import LanguageModels
import TestSupport
import Testing

@Suite struct StreamTests {
  @Test func everySnapshotHasAllOfTheText() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("a", "b", "", "c"))
    var seen: [String] = []
    for try await snapshot in session.streamResponse(to: "?") {
      seen.append(snapshot.content)
      // With the last snapshot the response may be whole already.
      #expect(session.isResponding || seen.count == 3)
    }
    #expect(seen == ["a", "ab", "abc"])
    #expect(session.transcript.texts == ["?", "abc"])
    #expect(!session.isResponding)
  }

  @Test func structuresFillInTheOrderOfTheirProperties() async throws {
    let pieces = [#"{"co"#, #"de": ""#, "QX", #"7""#, #", "guests": "#, "1", "2", "}"]
    let model = ScriptedModel { _, channel in for piece in pieces { await channel.say(piece) } }
    let session = LanguageModelSession(model: model)
    var snapshots: [LanguageModelSession.ResponseStream<Booking>.Snapshot] = []
    for try await snapshot in session.streamResponse(to: "?", generating: Booking.self) {
      snapshots.append(snapshot)
    }
    // A digit that may go on is no value yet; the last two pieces change nothing but the end.
    #expect(snapshots.map(\.content.code) == [nil, "", "QX", "QX7", "QX7"])
    #expect(snapshots.map(\.content.guests) == [nil, nil, nil, nil, 12])
    #expect(snapshots.map(\.rawContent.isComplete) == [false, false, false, false, true])
    #expect(Set(snapshots.map(\.content.id)).count == 1)
    #expect(snapshots.last?.transcriptEntries.count == 1)
  }

  @Test(arguments: [["4", "2"], ["42"], [" 42", " "]])
  func aNumberIsShownAtTheEndAtTheLatest(_ pieces: [String]) async throws {
    let model = ScriptedModel { _, channel in for piece in pieces { await channel.say(piece) } }
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "?", generating: Int.self)
    var numbers: [Int] = []
    for try await snapshot in stream {
      numbers.append(snapshot.content)
      #expect(snapshot.transcriptEntries.count == 1 && snapshot.rawContent.isComplete)
    }
    #expect(numbers == [42])
    #expect(try await stream.collect().content == 42)
    #expect(session.transcript.kinds == ["prompt", "response"] && !session.isResponding)
  }

  @Test func elementsKeepTheirIdentifiers() async throws {
    let model = ScriptedModel.saying(
      #"[{"code": "A", "#, #""guests": 1}, {"code": "B"#, #"", "guests": 2}]"#)
    let session = LanguageModelSession(model: model)
    var ids: [[GenerationID]] = []
    let stream = session.streamResponse(to: "?", generating: [Booking].self)
    for try await snapshot in stream { ids.append(snapshot.content.map(\.id)) }
    #expect(ids.map(\.count) == [1, 2, 2])
    #expect(ids[1] == ids[2])
    #expect(ids[0][0] == ids[1][0])
    #expect(ids[1][0] != ids[1][1])
    let content = try await stream.collect().content
    #expect(content == [Booking(code: "A", guests: 1), Booking(code: "B", guests: 2)])
  }

  @Test func identifiersAreNewForEachResponse() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying(#"{"code": "A", "guests": 1}"#))
    var ids: Set<GenerationID> = []
    for _ in 0..<2 {
      for try await snapshot in session.streamResponse(to: "?", generating: Booking.self) {
        ids.insert(snapshot.content.id)
      }
    }
    #expect(ids.count == 2)
  }

  @Test func halfOfAChoiceIsNoSnapshot() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying(#""gr"#, "e", #"en""#))
    var seen: [Colour] = []
    for try await snapshot in session.streamResponse(to: "?", generating: Colour.self) {
      seen.append(snapshot.content)
    }
    #expect(seen == [.green])
  }

  @Test func collectingReadsTheRest() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("a", "b", "c"))
    let whole = try await session.streamResponse(to: "1").collect()
    #expect(whole.content == "abc")
    #expect(whole.usage.output.totalTokenCount == 3)

    let stream = session.streamResponse(to: "2")
    for try await snapshot in stream where snapshot.content == "ab" { break }
    #expect(try await stream.collect().content == "abc")
    #expect(try await stream.collect().content == "abc")
    #expect(session.transcript.texts == ["1", "abc", "2", "abc"])
  }

  @Test func anotherLoopGoesOnWhereTheFirstOneStopped() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("a", "b", "c"))
    let stream = session.streamResponse(to: "?")
    for try await snapshot in stream {
      #expect(snapshot.content == "a")
      break
    }
    var seen: [String] = []
    for try await snapshot in stream { seen.append(snapshot.content) }
    #expect(seen == ["ab", "abc"])
    for try await snapshot in stream { Issue.record("\(snapshot) after the end") }
  }

  @Test func leavingEarlyKeepsWhatWasRead() async throws {
    let hasEnded = Gate()
    let model = ScriptedModel([
      { _, channel in
        var number = 0
        while !Task.isCancelled {
          number += 1
          await channel.say("\(number) ")
        }
        hasEnded.open()
        try Task.checkCancellation()
      },
      { _, channel in await channel.say("Yes") },
    ])
    let session = LanguageModelSession(model: model)
    for try await snapshot in session.streamResponse(to: "Count") where snapshot.content == "1 2 " {
      break
    }
    await hasEnded.pass()
    // The next request waits for the end of the one before, and sees what was read of it.
    try await session.respond(to: "Go on?")
    #expect(session.transcript.kinds == ["prompt", "response", "prompt", "response"])
    #expect(session.transcript.texts == ["Count", "1 2 ", "Go on?", "Yes"])
    #expect(!session.isResponding)
  }

  @Test func aStreamThatIsHeldAndNotReadMakesWay() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("a", "b", "c"))
    let stream = session.streamResponse(to: "1")
    for try await _ in stream { break }
    #expect(!session.isResponding)
    #expect(session.transcript.texts == ["1", "a"])
    #expect(try await session.respond(to: "2").content == "abc")
    #expect(session.transcript.texts == ["1", "a", "2", "abc"])
    await #expect(throws: CancellationError.self) { try await stream.collect() }
  }

  @Test func aStreamThatNobodyReadsLeavesNoTrace() async throws {
    let model = ScriptedModel.saying("a")
    let session = LanguageModelSession(model: model)
    do {
      let stream = session.streamResponse(to: "1")
      #expect(session.isResponding)
      _ = stream
    }
    #expect(try await session.respond(to: "2").content == "a")
    #expect(session.transcript.texts == ["2", "a"])
    #expect(model.requests.count == 1)
  }

  @Test func aSlowReaderHoldsTheModelBack() async throws {
    let sent = Counter()
    let model = ScriptedModel { _, channel in
      for _ in 0..<20 {
        sent.increment()
        await channel.say("x")
      }
    }
    let session = LanguageModelSession(model: model)
    var read = 0
    for try await _ in session.streamResponse(to: "?") {
      read += 1
      for _ in 0..<50 { await Task.yield() }
      // One snapshot may be on its way, and the next one being made.
      #expect(sent.count <= read + 2)
    }
    #expect(read == 20)
  }

  @Test func errorsAppearWhileReading() async throws {
    struct Failure: Error {}
    let model = ScriptedModel { _, channel in
      await channel.say("a")
      throw Failure()
    }
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "?")
    var seen: [String] = []
    await #expect(throws: Failure.self) {
      for try await snapshot in stream { seen.append(snapshot.content) }
    }
    #expect(seen == ["a"])
    #expect(session.transcript.isEmpty)
    #expect(!session.isResponding)
    await #expect(throws: Failure.self) { try await stream.collect() }
  }

  @Test func anErrorInTheJSONEndsTheStream() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying(#"{"code": "A""#, " oops"))
    await #expect(throws: GeneratedContent.ParsingError.self) {
      for try await _ in session.streamResponse(to: "?", generating: Booking.self) {}
    }
    #expect(session.transcript.isEmpty)
  }

  @Test func aStreamOutlivesItsSession() async throws {
    let stream = LanguageModelSession(model: ScriptedModel.saying("a", "b")).streamResponse(to: "?")
    #expect(try await stream.collect().content == "ab")
  }

  @Test func twoReadersAtATimeAreRefused() async throws {
    let gate = Gate()
    let model = ScriptedModel { _, channel in
      await gate.pass()
      await channel.say("a")
    }
    let stream = LanguageModelSession(model: model).streamResponse(to: "?")
    let (failures, failure) = AsyncStream.makeStream(of: (any Error).self)
    let readers = (0..<2).map { _ in
      Task {
        do {
          return try await stream.collect().content
        } catch {
          failure.yield(error)
          throw error
        }
      }
    }
    // Whichever comes second is refused while the other one waits.
    let refusal = await failures.first { _ in true }
    #expect(refusal as? LanguageModelSession.Error == .concurrentRequests)
    gate.open()
    var contents: [String] = []
    for reader in readers {
      if let content = try? await reader.value { contents.append(content) }
    }
    #expect(contents == ["a"])
  }

  @Test func isolatedReadersStayWhereTheyAre() async throws {
    try await Self.readOnTheMainActor()
  }

  @MainActor private static func readOnTheMainActor() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("a", "b"))
    var seen = ""
    for try await snapshot in session.streamResponse(to: "?") {
      MainActor.assertIsolated()
      seen = snapshot.content
    }
    #expect(seen == "ab")
    #expect(try await session.respond(to: "?").content == "ab")
    MainActor.assertIsolated()
  }
}
