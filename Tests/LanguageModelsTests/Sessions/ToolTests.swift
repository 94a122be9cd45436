import Foundation
import LanguageModels
import TestSupport
import Testing

@Suite struct ToolTests {
  /// Calls the tool for some flights at once, then says how many outputs there are.
  private static func asking(_ flights: String...) -> ScriptedModel {
    ScriptedModel { request, channel in
      let outputs = request.transcript.kinds.count { $0 == "toolOutput" }
      guard outputs == 0 else { return await channel.say("\(outputs) outputs") }
      for flight in flights { await channel.call(flight, "gate", #"{"flight": "\#(flight)"}"#) }
    }
  }

  @Test func aToolIsCalledAndItsOutputAnswered() async throws {
    let model = Self.asking("A1")
    let session = LanguageModelSession(model: model, tools: [GateTool()], instructions: "Help.")
    let response = try await session.respond(to: "Which gate?")
    #expect(response.content == "1 outputs")
    #expect(
      session.transcript.kinds == [
        "instructions", "prompt", "toolCalls", "toolOutput", "response",
      ])
    #expect(entries(response.transcriptEntries) == ["toolCalls", "toolOutput", "response"])
    #expect(session.transcript.texts[3] == "gate of A1")
    #expect(response.usage.output.totalTokenCount == 2)

    let request = try #require(model.requests.first)
    #expect(request.enabledToolDefinitions.map(\.name) == ["gate"])
    guard case .instructions(let instructions)? = session.transcript.first else { return }
    #expect(instructions.toolDefinitions == request.enabledToolDefinitions)
  }

  @Test func severalCallsAreOneEntryAndRunAtTheSameTime() async throws {
    let running = Counter()
    let allRun = Gate()
    let tool = GateTool { flight in
      if running.increment() == 3 { allRun.open() }
      await allRun.pass()
      return "gate of \(flight)"
    }
    let session = LanguageModelSession(model: Self.asking("A", "B", "C"), tools: [tool])
    #expect(try await session.respond(to: "?").content == "3 outputs")
    guard case .toolCalls(let calls) = session.transcript[2] else {
      Issue.record("no calls")
      return
    }
    #expect(calls.map(\.id) == ["A", "B", "C"])
    #expect(session.transcript[3...5].map(\.id) == ["A", "B", "C"])
    #expect(session.transcript.texts[3...5] == ["gate of A", "gate of B", "gate of C"])
  }

  @Test func aToolThatThrowsEndsTheRequest() async throws {
    let ended = Counter()
    let tool = GateTool { flight in
      if flight == "B" { throw GateTool.Unknown(flight: flight) }
      await Gate().pass()
      ended.increment()
      return "gate"
    }
    let session = LanguageModelSession(model: Self.asking("A", "B"), tools: [tool])
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "?")
    }
    #expect(error?.tool.name == "gate")
    #expect(error?.underlyingError as? GateTool.Unknown == GateTool.Unknown(flight: "B"))
    #expect(ended.count == 1)
    #expect(session.transcript.kinds == ["instructions"])
    #expect(!session.isResponding)
  }

  @Test func ofToolsWithOneNameTheModelKnowsTheFirst() async throws {
    struct Other: Tool {
      let name = "gate"
      let description = "Something else"
      func call(arguments: Booking) async throws -> String { "other" }
    }
    let model = Self.asking("A")
    let session = LanguageModelSession(model: model, tools: [GateTool(), Other(), GateTool()])
    try await session.respond(to: "?")
    guard case .instructions(let instructions)? = session.transcript.first else {
      Issue.record("no instructions")
      return
    }
    #expect(instructions.toolDefinitions == [.init(tool: GateTool())])
    #expect(model.requests.first?.enabledToolDefinitions == [.init(tool: GateTool())])
  }

  @Test func argumentsOfAnotherShapeAreTheToolsError() async throws {
    let model = ScriptedModel { _, channel in await channel.call("1", "gate", #"{"plane": 1}"#) }
    let session = LanguageModelSession(model: model, tools: [GateTool()])
    let error = await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "?")
    }
    #expect(error?.underlyingError is GeneratedContent.ParsingError)
  }

  @Test(arguments: [("gate", #"{"flight": "A"#), ("plane", "{}")])
  func aCallThatCannotBeMadeIsAnError(name: String, arguments: String) async throws {
    let model = ScriptedModel { _, channel in await channel.call("1", name, arguments) }
    let session = LanguageModelSession(model: model, tools: [GateTool()])
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "?")
    }
    #expect(error?.debugDescription.contains(name) == true)
    #expect(session.transcript.kinds == ["instructions"])
  }

  @Test func toolsGoTogetherWithASchema() async throws {
    let model = ScriptedModel([
      { _, channel in await channel.call("1", "gate", #"{"flight": "A1"}"#) },
      { _, channel in
        await channel.say(#"{"code": "A1","#)
        await channel.say(#" "guests": 2}"#)
      },
    ])
    let session = LanguageModelSession(model: model, tools: [GateTool()])
    var codes: [String?] = []
    let stream = session.streamResponse(to: "?", generating: Booking.self)
    for try await snapshot in stream { codes.append(snapshot.content.code) }
    #expect(codes == ["A1", "A1"])
    #expect(try await stream.collect().content == Booking(code: "A1", guests: 2))
    #expect(model.requests.allSatisfy { $0.schema != nil && !$0.enabledToolDefinitions.isEmpty })
  }

  @Test func wordsBeforeACallAreNotTheResponse() async throws {
    let model = ScriptedModel([
      { _, channel in
        await channel.say("Let me see.")
        await channel.call("1", "gate", #"{"flight": "A1"}"#)
      },
      { _, channel in await channel.say("Gate 5") },
    ])
    let session = LanguageModelSession(model: model, tools: [GateTool()])
    #expect(try await session.respond(to: "?").content == "Gate 5")
    #expect(
      session.transcript.kinds == [
        "instructions", "prompt", "response", "toolCalls", "toolOutput", "response",
      ])
  }

  @Test func callsMayComeInPiecesAndBeTakenBack() async throws {
    let model = ScriptedModel([
      { _, channel in
        func send(_ id: String, _ text: String) async {
          await channel.send(
            .toolCalls(
              action: .toolCall(
                id: id, name: "gate", action: .appendArguments(text, tokenCount: 1))))
        }
        await send("1", #"{"flight""#)
        await send("2", #"{"flight": "B"}"#)
        await send("1", #": "A"}"#)
        await channel.send(.toolCalls(action: .removeToolCall(id: "2")))
      },
      { _, channel in await channel.say("Done") },
    ])
    let session = LanguageModelSession(model: model, tools: [GateTool()])
    try await session.respond(to: "?")
    #expect(session.transcript.texts[3...] == ["gate of A", "Done"])
  }

  @Test func aTurnOfToolsAloneHasNoSnapshots() async throws {
    let model = ScriptedModel([
      { _, channel in await channel.call("1", "gate", #"{"flight": "A1"}"#) }, { _, _ in },
    ])
    let session = LanguageModelSession(model: model, tools: [GateTool()])
    for try await snapshot in session.streamResponse(to: "?") {
      Issue.record("unexpected \(snapshot)")
    }
    #expect(session.transcript.kinds == ["instructions", "prompt", "toolCalls", "toolOutput"])
  }

  @Test func disallowedToolsAreNotMentioned() async throws {
    let model = ScriptedModel.saying("No")
    let session = LanguageModelSession(model: model, tools: [GateTool()])
    try await session.respond(to: "?", options: GenerationOptions(toolCallingMode: .disallowed))
    #expect(model.requests.first?.enabledToolDefinitions.isEmpty == true)
  }

  @Test func requiredToolsAreCalledUntilOneThrows() async throws {
    let calls = Counter()
    let tool = GateTool { flight in
      if calls.increment() == 3 { throw GateTool.Unknown(flight: flight) }
      return "gate"
    }
    let model = ScriptedModel { request, channel in
      #expect(request.generationOptions.toolCallingMode == .required)
      await channel.call("1", "gate", #"{"flight": "A"}"#)
    }
    let session = LanguageModelSession(model: model, tools: [tool])
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "?", options: GenerationOptions(toolCallingMode: .required))
    }
    #expect(calls.count == 3)
  }

  @Test func requiringToolsWithoutAnyIsAnError() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("No"))
    await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "?", options: GenerationOptions(toolCallingMode: .required))
    }
  }

  @Test func outputsMayBeStructures() async throws {
    struct BookingTool: Tool {
      let description = "Finds a booking"
      func call(arguments: GateTool.Arguments) async throws -> Booking {
        Booking(code: arguments.flight, guests: 2)
      }
    }
    let model = ScriptedModel([
      { _, channel in await channel.call("1", "BookingTool", #"{"flight": "A1"}"#) },
      { _, channel in await channel.say("Done") },
    ])
    let session = LanguageModelSession(model: model, tools: [BookingTool()])
    try await session.respond(to: "?")
    guard case .toolOutput(let output) = session.transcript[3],
      case .structure(let segment)? = output.segments.first
    else {
      Issue.record("no structure")
      return
    }
    #expect(segment.schemaName == "Booking")
    #expect(segment.content.jsonString == #"{"code": "A1", "guests": 2}"#)
  }

  @Test func schemasAreMadeOncePerSession() async throws {
    struct CountingTool: Tool {
      static let made = Counter()
      let description = "Counts"
      var parameters: GenerationSchema {
        Self.made.increment()
        return GateTool.Arguments.generationSchema
      }
      func call(arguments: GateTool.Arguments) async throws -> String { "" }
    }
    let session = LanguageModelSession(model: ScriptedModel.saying("Yes"), tools: [CountingTool()])
    try await session.respond(to: "1")
    try await session.respond(to: "2")
    #expect(CountingTool.made.count == 1)
  }
}
