import Foundation
import FoundationModels
import Observation
import Testing

/// Looks a gate up, in the way an app writes it.
struct GateTool: Tool {
  let name = "gate"
  let description = "Looks up the gate of a flight"

  struct Arguments: Generable {
    var flight: String

    init(_ content: GeneratedContent) throws {
      flight = try content.value(forProperty: "flight")
    }

    var generatedContent: GeneratedContent { GeneratedContent(properties: ["flight": flight]) }
    static var generationSchema: GenerationSchema {
      GenerationSchema(type: Self.self, properties: [.init(name: "flight", type: String.self)])
    }
  }

  func call(arguments: Arguments) async throws -> GeneratedContent {
    GeneratedContent(properties: ["gate": "B12", "flight": arguments.flight])
  }
}

/// A prompt of an app's own.
struct Question: PromptRepresentable, InstructionsRepresentable {
  var text: String

  var promptRepresentation: Prompt {
    "Question"
    text
  }
  var instructionsRepresentation: Instructions {
    "Rule"
    text
  }
}

@Suite struct SessionSurfaceTests {
  @Test func promptsAndInstructionsAreBuilt() async throws {
    let names = ["a", "b"]
    let isLong = true
    let extra: String? = nil
    let prompt = Prompt {
      "One"
      Question(text: "two")
      if isLong { "three" } else { "four" }
      for name in names { name }
      if let extra { extra }
      names
      5
      GeneratedContent(properties: ["six": 6])
    }
    let instructions = Instructions {
      Question(text: "be kind")
      if isLong { "long" }
      for name in names { "about \(name)" }
    }
    let session = LanguageModelSession(model: .echo, instructions: instructions)
    #expect(
      try await session.respond(to: prompt).content.hasPrefix("One\nQuestion\ntwo\nthree\na\nb"))
    let other = LanguageModelSession(model: EchoModel(prefix: "> ")) {
      "Be kind."
      Instructions("Be brief.")
    }
    #expect(try await other.respond { "x" }.content == "> x")
    #expect(try await other.respond(to: Prompt(Question(text: "y"))).content == "> Question\ny")
  }

  @Test func responsesSayWhatTheyCost() async throws {
    let session = LanguageModelSession(model: .echo, transcript: Transcript())
    let response: LanguageModelSession.Response<String> = try await session.respond(
      to: "x", options: GenerationOptions(), contextOptions: ContextOptions(reasoningLevel: .deep))
    #expect(response.rawContent == GeneratedContent("x"))
    #expect(
      response.usage.input.cachedTokenCount == 4 && response.usage.output.totalTokenCount == 2)
    #expect(response.usage.totalTokenCount == 12 && session.usage.input.totalTokenCount == 10)
    let kinds = response.transcriptEntries.map { entry in
      switch entry {
      case .instructions: "instructions"
      case .prompt: "prompt"
      case .toolCalls: "calls"
      case .toolOutput: "output"
      case .response: "response"
      case .reasoning: "reasoning"
      @unknown default: "other"
      }
    }
    #expect(kinds == ["reasoning", "response"])
  }

  @Test func streamsAreReadInEveryWay() async throws {
    let session = LanguageModelSession(model: .echo)
    for try await snapshot in session.streamResponse(to: "x") {
      let text: String = snapshot.content
      #expect(text == "x" && snapshot.rawContent == GeneratedContent("x"))
    }
    let numbers = session.streamResponse(to: "[1, 2]", generating: [Int].self)
    var last: [Int]?
    for try await partial in numbers { last = partial.content }
    #expect(last == [1, 2])
    var iterator = session.streamResponse { "x" }.makeAsyncIterator()
    #expect(try await iterator.next()?.content == "x")
    #expect(try await iterator.next() == nil)
    let whole = try await session.streamResponse(to: "3", schema: Int.generationSchema).collect()
    #expect(try whole.content.value(Int.self) == 3)
  }

  @Test func toolsAreCalled() async throws {
    let session = LanguageModelSession(model: .echo, tools: [GateTool()]) { "Help." }
    var options = GenerationOptions(toolCallingMode: .required)
    options.sampling = .random(top: 5, seed: 1)
    do {
      try await session.respond(to: "{}", options: options)
      Issue.record("no error")
    } catch let error as LanguageModelSession.ToolCallError {
      #expect(error.tool.name == "gate" && error.underlyingError is GeneratedContent.ParsingError)
      #expect(error.errorDescription?.isEmpty == false)
    }
    let tool: any Tool = GateTool()
    #expect(tool.includesSchemaInInstructions && tool.parameters.name == "Arguments")
    #expect(Transcript.ToolDefinition(tool: GateTool()).name == "gate")
  }

  @Test func aSessionIsObservedAndJudged() async throws {
    let session = LanguageModelSession(model: .echo)
    let observable: any Observable = session
    _ = observable
    #expect(!session.isResponding)
    session.prewarm()
    session.prewarm(promptPrefix: Prompt("x"))
    try await session.respond(to: "x")
    let attachments = [
      session.logFeedbackAttachment(sentiment: .positive),
      session.logFeedbackAttachment(
        sentiment: .negative,
        issues: [LanguageModelFeedback.Issue(category: .incorrect, explanation: "It is y.")],
        desiredOutput: .response(.init(assetIDs: [], segments: [.text(.init(content: "y"))]))),
      session.logFeedbackAttachment(sentiment: nil, desiredResponseText: "y"),
      session.logFeedbackAttachment(
        sentiment: .neutral, issues: [.init(category: .tooVerbose)], desiredResponseContent: 5),
    ]
    for data in attachments {
      #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
    }
    #expect(LanguageModelFeedback.Issue.Category.allCases.count == 8)
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    #expect(session.transcriptErrorHandlingPolicy == .preserveTranscript)
  }

  @Test func transcriptsAreMadeChangedAndSaved() throws {
    let definition = Transcript.ToolDefinition(
      name: "gate", description: "Looks up", parameters: GateTool.Arguments.generationSchema)
    let text = Transcript.Segment.text(Transcript.TextSegment(id: "t", content: "x"))
    let structure = Transcript.Segment.structure(
      Transcript.StructuredSegment(source: "Int", content: GeneratedContent(1)))
    let entries: [Transcript.Entry] = [
      .instructions(Transcript.Instructions(segments: [text], toolDefinitions: [definition])),
      .prompt(
        Transcript.Prompt(
          segments: [text], options: GenerationOptions(temperature: 0.5),
          responseFormat: Transcript.ResponseFormat(type: Int.self))),
      .toolCalls(
        Transcript.ToolCalls([
          Transcript.ToolCall(
            id: "1", toolName: "gate", arguments: GeneratedContent(properties: [:]))
        ])),
      .toolOutput(Transcript.ToolOutput(id: "1", toolName: "gate", segments: [structure])),
      .response(Transcript.Response(assetIDs: [], segments: [text, structure])),
    ]
    var transcript = Transcript(entries: entries)
    let data = try JSONEncoder().encode(transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript)
    #expect(Set(transcript.map(\.id)).count == 5)
    transcript.removeLast()
    transcript.append(contentsOf: entries.suffix(1))
    transcript[4] = entries[4]
    #expect(transcript.history.count == 4 && transcript.count == 5)
    for case .toolCalls(let calls) in transcript {
      #expect(calls[0].toolName == "gate" && calls.count == 1)
    }
    if case .prompt(let prompt) = transcript[1] {
      #expect(prompt.responseFormat?.name == "Int" && prompt.options.temperature == 0.5)
    }
  }
}
