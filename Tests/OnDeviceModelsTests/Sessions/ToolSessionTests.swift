import Foundation
import Inference
import LanguageModels
import OnDeviceModels
import Synchronization
import TestSupport
import Testing
import Tokenization

/// Calls of tools by models on this device, held to their grammar.
@Suite struct OnDeviceToolTests {
  private static let required = LanguageModels.GenerationOptions(toolCallingMode: .required)

  @Test(arguments: [1, 2, 3, 4])
  func requiredCallsFollowTheirSchemas(_ seed: UInt64) async throws {
    let desk = Desk(last: 3)
    let session = LanguageModelSession(
      model: TinyModel.model(sampling: TinyModel.hot(seed)),
      tools: [GateTool(desk: desk), EchoTool()], instructions: "Help.")
    // A model that must call goes on until a tool throws; so does the echo by chance only.
    let error = await #expect(throws: (any Error).self) {
      try await session.respond(to: "Which gate?", options: Self.required)
    }
    let isEnd = error is LanguageModelSession.ToolCallError || error is LanguageModelError
    #expect(isEnd, "\(String(describing: error))")
    let flights = desk.flights
    #expect(flights.allSatisfy { $0.wholeMatch(of: /TK[0-9]{2,4}/) != nil }, "\(flights)")
    #expect(session.transcript.kinds == ["instructions"])
  }

  @Test func aCallAndItsOutputStandInTheTranscript() async throws {
    let desk = Desk(last: 1)
    let session = LanguageModelSession(
      model: TinyModel.model(), tools: [GateTool(desk: desk)], instructions: "Help.")
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: LanguageModelSession.ToolCallError.self) {
      try await session.respond(to: "Which gate?", options: Self.required)
    }
    try #require(session.transcript.count > 2)
    #expect(session.transcript.kinds.prefix(3) == ["instructions", "prompt", "toolCalls"])
    guard case .toolCalls(let calls) = session.transcript[2] else {
      Issue.record("no calls")
      return
    }
    #expect((1...16).contains(calls.count) && Set(calls.map(\.id)).count == calls.count)
    #expect(calls.allSatisfy { $0.toolName == "gate" && $0.arguments.isComplete })
  }

  @Test(arguments: [1, 2], [ChatTemplateChoice.chatML, .source(toolTemplate)])
  func outputsAreReadAndAnswered(_ seed: UInt64, _ template: ChatTemplateChoice) async throws {
    let desk = Desk(last: 99)
    let model = TinyModel.model(
      contextSize: 4000 + Int(seed), sampling: TinyModel.hot(seed), template: template)
    let session = LanguageModelSession(
      model: CallsFirst(model: model), tools: [GateTool(desk: desk)], instructions: "Help.")
    let response = try await session.respond(to: "Which gate?", generating: Colour.self)
    #expect(!desk.flights.isEmpty)
    #expect(desk.flights.allSatisfy { $0.wholeMatch(of: /TK[0-9]{2,4}/) != nil })
    let kinds = Transcript(entries: response.transcriptEntries).kinds
    #expect(kinds.prefix(2) == ["toolCalls", "toolOutput"] && kinds.last == "response")
    let usage = try #require(session.contextUsage)
    #expect(usage.tools > 0 && usage.toolOutput > 0 && usage.responses > 0 && usage.schema > 0)
    // Another turn shows all of it again, and finds it in the cache if the words are its own.
    let other = LanguageModelSession(
      model: model, tools: [GateTool(desk: desk)], transcript: session.transcript)
    let cached = try await model.cachedTokenCount
    let next = try await other.respond(to: "And?", options: atMost(1))
    // The end of the response was never computed: nothing was chosen after it.
    let computed = usage.used - response.content.tokensFromTheChoiceOn
    #expect(cached == computed)
    if template == .chatML { #expect(next.usage.input.cachedTokenCount == computed) }
  }

  /// A template that knows tools, with marks of its own.
  static let toolTemplate = """
    {% if tools %}{{ '<|im_start|>system\\n' ~ tools | tojson ~ '<|im_end|>\\n' }}{% endif %}\
    {% for m in messages %}{{ '<|im_start|>' ~ m.role ~ '\\n' ~ m.content }}\
    {% if m.tool_calls %}[CALLS]{% for c in m.tool_calls %}{{ c.function.name }}=\
    {{ c.function.arguments | tojson }}{{ ';' if not loop.last }}{% endfor %}[END]\
    {% endif %}{{ '<|im_end|>\\n' }}{% endfor %}\
    {% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
    """

  @Test(arguments: [1, 2, 3, 4, 5, 6])
  func withASchemaTheAnswerIsACallOrTheValue(_ seed: UInt64) async throws {
    let session = LanguageModelSession(
      model: TinyModel.model(sampling: TinyModel.hot(seed)), tools: [EchoTool()])
    var response: LanguageModelSession.Response<Pick>?
    do {
      response = try await session.respond(to: "x", generating: Pick.self)
    } catch LanguageModelError.contextSizeExceeded {
      // Calls upon calls have filled the window.
    }
    guard let response else { return }
    #expect(["red", "green"].contains(response.content.colour))
    #expect((0...9).contains(response.content.number))
    let kinds = Transcript(entries: response.transcriptEntries).kinds
    #expect(kinds.last == "response")
  }

  @Test func aValueStreamsThoughToolsAreThere() async throws {
    // Makes every call impossible: the first byte of one is "<".
    var sampling = TinyModel.hot(5)
    let tokenizer = try await TinyModel.plain().tokenizer
    sampling.logitBias[try #require(tokenizer.encode("<").first)] = -.infinity
    let session = LanguageModelSession(
      model: TinyModel.model(sampling: sampling), tools: [EchoTool()])
    var count = 0
    for try await _ in session.streamResponse(to: "x", generating: Pick.self) { count += 1 }
    #expect(count > 2)
    #expect(session.transcript.kinds == ["instructions", "prompt", "response"])
  }

  @Test func freeTextIsNotAlteredByTools() async throws {
    let tools = LanguageModelSession(model: TinyModel.model(), tools: [EchoTool()])
    let response = try await tools.respond(to: "hello", options: atMost(20))
    // The same prompt without a grammar, by hand.
    let model = try await TinyModel.plain()
    let definition =
      #"{"name": "echo", "description": "Says it again", "parameters": "#
      + EchoTool().parameters.modelText + "}"
    let instructions = """
      You can use these tools, each described by one line of JSON:
      <tools>
      \(definition)
      </tools>
      To use a tool, answer with nothing but a call, or with several calls one after another:
      <tool_call>
      {"name": "the name of the tool", "arguments": {its arguments}}
      </tool_call>
      """
    let plain = try await model.respond(
      to: "hello", instructions: instructions,
      options: .init(sampling: .greedy, maximumResponseTokens: 20))
    #expect(try await response.content == plain.collect())
    #expect(response.usage.input.totalTokenCount == plain.metrics.promptTokens)
    #expect(tools.contextUsage?.tools ?? 0 > tools.contextUsage?.prompts ?? 0)
  }

  @Test(arguments: [0, 1, 3, 11, 12])
  func aCallThatIsCutOffIsAnErrorAndNoText(_ limit: Int) async throws {
    let session = LanguageModelSession(
      model: TinyModel.model(), tools: [EchoTool()], instructions: "Help.")
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    var options = Self.required
    options.maximumResponseTokens = limit
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "hello", options: options)
    }
    // The model writes one byte a token: the marks that calls begin with, as far as they got.
    #expect(error?.rawContent == String("<tool_call>\n{\"name\"".prefix(limit)))
    #expect(session.transcript.dropFirst(2).flatMap(\.segments).allSatisfy { $0.text == "" })
  }

  @Test func withoutToolsAllowedNoneAreShown() async throws {
    let session = LanguageModelSession(
      model: TinyModel.model(), tools: [EchoTool()], instructions: "Help.")
    var options = atMost(3)
    options.toolCallingMode = .disallowed
    try await session.respond(to: "hello", options: options)
    #expect(session.contextUsage?.tools == 0)
    options.toolCallingMode = .allowed
    try await session.respond(to: "hello", options: options)
    #expect(session.contextUsage?.tools ?? 0 > 0)
  }
}

/// Remembers what it was asked, and closes.
final class Desk: Sendable {
  struct Closed: Error {}

  private let asked = Mutex<[String]>([])
  private let last: Int

  init(last: Int) { self.last = last }

  var flights: [String] { asked.withLock { $0 } }

  func gate(of flight: String) throws -> String {
    let count = asked.withLock { asked in
      asked.append(flight)
      return asked.count
    }
    if count >= last { throw Closed() }
    return "gate B\(count)"
  }
}

/// Knows the gates of flights.
struct GateTool: Tool {
  @Generable
  struct Arguments {
    @Guide(description: "Its number", .pattern(/TK[0-9]{2,4}/))
    var flight: String
  }

  let desk: Desk
  let name = "gate"
  let description = "The gate of a flight"

  func call(arguments: Arguments) async throws -> String { try desk.gate(of: arguments.flight) }
}

extension GenerationSchema {
  /// The schema of the echo's arguments as a model reads it.
  var modelText: String {
    #"{"title": "Arguments", "type": "object", "properties": {"text": "#
      + #"{"type": "string", "enum": ["a", "b"]}}, "required": ["text"], "#
      + #""additionalProperties": false}"#
  }
}
