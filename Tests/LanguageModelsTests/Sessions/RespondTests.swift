import Foundation
import LanguageModels
import TestSupport
import Testing

@Suite struct RespondTests {
  @Test func aTextIsAnswered() async throws {
    let model = ScriptedModel.saying("Hello", ", ", "world")
    let session = LanguageModelSession(model: model, instructions: "Be kind.")
    let response = try await session.respond(to: "Say hello")
    #expect(response.content == "Hello, world")
    #expect(response.rawContent.kind == .string("Hello, world"))
    #expect(session.transcript.kinds == ["instructions", "prompt", "response"])
    #expect(session.transcript.texts == ["Be kind.", "Say hello", "Hello, world"])
    #expect(entries(response.transcriptEntries) == ["response"])
    #expect(!session.isResponding)
  }

  @Test func eachRequestSendsAllThatWasSaid() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(model: model)
    try await session.respond(to: "One")
    try await session.respond(to: "Two")
    #expect(model.requests.map { $0.transcript.texts } == [["One"], ["One", "Yes", "Two"]])
    #expect(session.transcript.texts == ["One", "Yes", "Two", "Yes"])
  }

  @Test(arguments: ["Merhaba, nasılsın? İyi misin?", "مرحبا بالعالم", "こんにちは、世界。", "👩‍👩‍👧‍👦 e\u{301}"])
  func textsOfAllScriptsComeThrough(text: String) async throws {
    let model = ScriptedModel { request, channel in
      for character in request.transcript.texts.last ?? "" { await channel.say(String(character)) }
    }
    let session = LanguageModelSession(model: model, instructions: text)
    let response = try await session.respond(to: text)
    #expect(Array(response.content.utf8) == Array(text.utf8))
    #expect(session.transcript.texts == [text, text, text])
  }

  @Test func aValueIsMadeOfTheGeneratedJSON() async throws {
    let model = ScriptedModel.saying(#"{"code": "#, #""QX7", "gue"#, #"sts": 2}"#)
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "Book", generating: Booking.self)
    #expect(response.content == Booking(code: "QX7", guests: 2))
    #expect(response.rawContent.jsonString == #"{"code": "QX7", "guests": 2}"#)
    let request = try #require(model.requests.first)
    #expect(request.schema?.name == "Booking")
    #expect(request.contextOptions.includeSchemaInPrompt == true)
    guard case .response(let entry)? = session.transcript.last,
      case .structure(let segment)? = entry.segments.first
    else {
      Issue.record("no structured response")
      return
    }
    #expect(segment.schemaName == "Booking")
    #expect(try Booking(segment.content) == Booking(code: "QX7", guests: 2))
  }

  @Test func contentFollowsASchemaMadeAtRunTime() async throws {
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(name: "Size", anyOf: ["small", "large"]), dependencies: [])
    let session = LanguageModelSession(model: ScriptedModel.saying(#""small""#))
    let response = try await session.respond(
      to: "Which?", schema: schema, includeSchemaInPrompt: false)
    #expect(response.content.kind == .string("small"))
  }

  @Test(arguments: [#"{"code": "QX7", "gues"#, "", #"{"code": "QX7"}"#, "no JSON"])
  func aResponseThatIsNoValueIsAParsingError(text: String) async {
    let session = LanguageModelSession(model: ScriptedModel.saying(text))
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "Book", generating: Booking.self)
    }
    #expect(error?.rawContent == (text == #"{"code": "QX7"}"# ? text : error?.rawContent))
    #expect(session.transcript.isEmpty)
    #expect(!session.isResponding)
  }

  @Test func aNumberAtTheEndIsWhole() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("4", "2"))
    #expect(try await session.respond(to: "?", generating: Int.self).content == 42)
  }

  @Test func usageAddsUpAndTotalsReplaceIt() async throws {
    let model = ScriptedModel { _, channel in
      await channel.send(
        .response(
          action: .updateUsage(
            input: .init(totalTokenCount: 10, cachedTokenCount: 4),
            output: .init(totalTokenCount: 0, reasoningTokenCount: 0))))
      await channel.send(.reasoning(action: .appendText("Hm", tokenCount: 3)))
      await channel.say("Yes")
    }
    let session = LanguageModelSession(model: model)
    let usage = try await session.respond(to: "?").usage
    #expect(usage.input == .init(totalTokenCount: 10, cachedTokenCount: 4))
    #expect(usage.output == .init(totalTokenCount: 4, reasoningTokenCount: 3))
    #expect(usage.totalTokenCount == 14)
    try await session.respond(to: "?")
    #expect(session.usage.totalTokenCount == 28)
    #expect(session.usage.input.cachedTokenCount == 8)
  }

  @Test func contextUsageIsTheExecutorsAndRevertsWithTheTranscript() async throws {
    struct Failure: Error {}
    let model = ScriptedModel([
      { _, channel in
        await channel.send(.contextUsage(.init(contextSize: 100, instructions: 5, prompts: 7)))
        await channel.say("Yes")
        await channel.send(
          .contextUsage(.init(contextSize: 100, instructions: 5, prompts: 7, responses: 1)))
      },
      { _, channel in
        await channel.send(.contextUsage(.init(contextSize: 100, instructions: 5, prompts: 50)))
        throw Failure()
      },
    ])
    let session = LanguageModelSession(model: model)
    #expect(session.contextUsage == nil)
    try await session.respond(to: "One")
    #expect(session.contextUsage?.free == 87)
    #expect(session.contextUsage?.used == 13)
    await #expect(throws: Failure.self) { try await session.respond(to: "Two") }
    #expect(session.contextUsage?.free == 87)
  }

  @Test func optionsAndNotesReachTheModelAndTheTranscript() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(model: model)
    let options = GenerationOptions(
      samplingMode: .random(top: 5, seed: 7), temperature: 0.5, maximumResponseTokens: 20)
    try await session.respond(
      to: "?", options: options, contextOptions: ContextOptions(includeSchemaInPrompt: false),
      metadata: ["turn": 1, "who": "me"])
    let request = try #require(model.requests.first)
    #expect(request.generationOptions == options)
    #expect(try request.metadata["turn"]?.value(Int.self) == 1)
    guard case .prompt(let prompt)? = session.transcript.first else {
      Issue.record("no prompt")
      return
    }
    #expect(prompt.options == options)
    #expect(prompt.contextOptions.includeSchemaInPrompt == false)
    #expect(try prompt.metadata["who"]?.value(String.self) == "me")
  }

  @Test func thoughtsStandBeforeTheResponse() async throws {
    let model = ScriptedModel { _, channel in
      await channel.send(.reasoning(action: .appendText("Let me ", tokenCount: 2)))
      await channel.send(.reasoning(action: .appendText("see", tokenCount: 1)))
      await channel.send(.reasoning(action: .updateSignature(Data([1, 2]), tokenCount: 0)))
      await channel.say("42")
    }
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "?")
    #expect(response.content == "42")
    #expect(entries(response.transcriptEntries) == ["reasoning", "response"])
    guard case .reasoning(let thoughts)? = response.transcriptEntries.first else { return }
    #expect(thoughts.description == "Let me see")
    #expect(thoughts.signature == Data([1, 2]))
  }

  @Test func segmentsAndEntriesAreNamed() async throws {
    let model = ScriptedModel { _, channel in
      await channel.send(
        .response(entryID: "r", action: .appendText("One", segmentID: "a", tokenCount: 1)))
      await channel.send(
        .response(entryID: "r", action: .appendText("Two", segmentID: "b", tokenCount: 1)))
      await channel.send(
        .response(entryID: "r", action: .replaceTextSegment("Eins", segmentID: "a", tokenCount: 1)))
      await channel.send(.response(entryID: "r", action: .updateMetadata(["model": "x"])))
    }
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "?")
    #expect(response.content == "Eins\nTwo")
    guard case .response(let entry)? = session.transcript.last else { return }
    #expect(entry.id == "r")
    #expect(entry.segments.map(\.id) == ["a", "b"])
    #expect(try entry.metadata["model"]?.value(String.self) == "x")
  }

  @Test func whatTheModelCannotDoIsRefusedBeforeItIsAsked() async throws {
    var model = ScriptedModel.saying("Yes")
    model.capabilities = LanguageModelCapabilities([])
    let session = LanguageModelSession(model: model)
    await expectMissing(.guidedGeneration) {
      try await session.respond(to: "?", generating: Int.self)
    }
    await expectMissing(.reasoning) {
      try await session.respond(to: "?", contextOptions: ContextOptions(reasoningLevel: .deep))
    }
    await expectMissing(.vision) {
      try await session.respond {
        "What is this?"
        Attachment(imageURL: URL(filePath: "/picture.png")).label("picture")
      }
    }
    await expectMissing(.toolCalling) {
      try await LanguageModelSession(model: model, tools: [GateTool()]).respond(to: "?")
    }
    #expect(model.requests.isEmpty)
    #expect(session.transcript.isEmpty)
  }

  private func expectMissing(
    _ capability: LanguageModelCapabilities.Capability,
    _ request: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    do {
      try await request()
      Issue.record("no error", sourceLocation: sourceLocation)
    } catch LanguageModelError.unsupportedCapability(let error) {
      #expect(error.capability == capability, sourceLocation: sourceLocation)
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
  }

  @Test func aSchemaThatMakesNoSenseIsRefused() async throws {
    let schema = GenerationSchema(
      type: Booking.self,
      properties: [.init(name: "guests", type: Int.self, guides: [.range(5...9), .maximum(3)])])
    let model = ScriptedModel.saying("{}")
    do {
      try await LanguageModelSession(model: model).respond(to: "?", schema: schema)
      Issue.record("no error")
    } catch LanguageModelError.unsupportedGenerationGuide(let error) {
      #expect(error.schemaName == "Booking")
    }
    #expect(model.requests.isEmpty)
  }
}
