import Foundation
import LanguageModels
import TestSupport
import Testing

/// Calls everything the way an app does, so that what compiles with Apple's framework compiles here.
@Suite struct PublicSurfaceTests {
  private typealias Stream = LanguageModelSession.ResponseStream

  private let model = ScriptedModel { request, channel in
    await channel.say(request.schema == nil ? "Yes" : "3")
  }

  private var last: LanguageModelExecutorGenerationRequest? { model.requests.last }

  @Test func everyFormOfRespondVersion26() async throws {
    let session = LanguageModelSession(model: model)
    let options = GenerationOptions(temperature: 0.5)
    let schema = Int.generationSchema
    let question = Prompt("?")

    try await session.respond(to: "?")
    try await session.respond(to: question)
    try await session.respond(to: "?", options: options)
    try await session.respond(to: question, options: options)
    try await session.respond { "?" }
    try await session.respond(options: options) {
      "?"
      "!"
    }
    #expect(last?.generationOptions == options)
    #expect(last?.transcript.texts.last == "?\n!")
    #expect(last?.contextOptions == ContextOptions())

    #expect(try await session.respond(to: "?", schema: schema).content.value() == 3)
    try await session.respond(to: question, schema: schema, includeSchemaInPrompt: false)
    #expect(last?.contextOptions.includeSchemaInPrompt == false)
    try await session.respond(
      to: "?", schema: schema, includeSchemaInPrompt: true, options: options)
    #expect(last?.contextOptions.includeSchemaInPrompt == true)
    try await session.respond(to: question, schema: schema, options: options)
    try await session.respond(schema: schema) { "?" }
    try await session.respond(schema: schema, includeSchemaInPrompt: false, options: options) {
      "?"
    }
    #expect(last?.contextOptions.includeSchemaInPrompt == false)

    let number: Int = try await session.respond(to: "?").content
    #expect(number == 3)
    #expect(try await session.respond(to: "?", generating: Int.self).content == 3)
    try await session.respond(to: question, generating: Int.self, includeSchemaInPrompt: false)
    try await session.respond(
      to: "?", generating: Int.self, includeSchemaInPrompt: false, options: options)
    #expect(last?.contextOptions.includeSchemaInPrompt == false)
    try await session.respond(generating: Int.self) { "?" }
    try await session.respond(
      generating: Int.self, includeSchemaInPrompt: true, options: options
    ) { "?" }
    #expect(last?.contextOptions.includeSchemaInPrompt == true)
  }

  @Test func everyFormOfRespondVersion27() async throws {
    let session = LanguageModelSession(model: model)
    let options = GenerationOptions(samplingMode: .greedy)
    let context = ContextOptions(includeSchemaInPrompt: false)
    let schema = Int.generationSchema
    let question = Prompt("?")

    try await session.respond(to: "?", contextOptions: context)
    #expect(last?.contextOptions == context)
    try await session.respond(to: question, options: options, contextOptions: context)
    try await session.respond(to: "?", metadata: ["id": 7])
    #expect(last?.metadata["id"] == GeneratedContent(7))
    try await session.respond(options: options, contextOptions: context, metadata: ["id": 8]) {
      "?"
    }
    #expect(last?.metadata["id"] == GeneratedContent(8))

    try await session.respond(to: "?", schema: schema, metadata: ["id": 1])
    #expect(last?.contextOptions.includeSchemaInPrompt == true)
    try await session.respond(
      to: question, schema: schema, options: options, contextOptions: context)
    #expect(last?.contextOptions == context)
    try await session.respond(schema: schema, contextOptions: context) { "?" }
    #expect(last?.contextOptions == context)

    try await session.respond(to: "?", generating: Int.self, metadata: ["id": 1])
    #expect(last?.contextOptions.includeSchemaInPrompt == true)
    try await session.respond(to: question, generating: Int.self, contextOptions: context)
    #expect(last?.contextOptions == context)
    try await session.respond(
      generating: Int.self, options: options, contextOptions: context, metadata: [:]
    ) { "?" }
    #expect(last?.generationOptions == options)
  }

  @Test func everyFormOfStreamVersion26() async throws {
    let session = LanguageModelSession(model: model)
    let options = GenerationOptions(maximumResponseTokens: 10)
    let schema = Int.generationSchema
    let question = Prompt("?")
    func read(_ text: String) throws -> String { text }

    #expect(try await session.streamResponse(to: "?").collect().content == "Yes")
    let texts: [() throws -> Stream<String>] = [
      { session.streamResponse(to: question) },
      { session.streamResponse(to: "?", options: options) },
      { session.streamResponse(to: question, options: options) },
      { session.streamResponse { "?" } },
      { session.streamResponse(options: options) { "?" } },
      { try session.streamResponse(options: options) { try read("?") } },
    ]
    for make in texts { #expect(try await make().collect().content == "Yes") }
    #expect(last?.generationOptions == options)

    let contents: [() -> Stream<GeneratedContent>] = [
      { session.streamResponse(to: "?", schema: schema) },
      { session.streamResponse(to: question, schema: schema, options: options) },
      { session.streamResponse(to: "?", schema: schema, includeSchemaInPrompt: true) },
      { session.streamResponse(schema: schema) { "?" } },
      { session.streamResponse(schema: schema, includeSchemaInPrompt: false) { "?" } },
    ]
    for make in contents { #expect(try await make().collect().content.value() == 3) }
    #expect(last?.contextOptions.includeSchemaInPrompt == false)

    let values: [() -> Stream<Int>] = [
      { session.streamResponse(to: "?") },
      { session.streamResponse(to: "?", generating: Int.self) },
      { session.streamResponse(to: question, generating: Int.self, options: options) },
      { session.streamResponse(to: "?", generating: Int.self, includeSchemaInPrompt: true) },
      { session.streamResponse(generating: Int.self) { "?" } },
      { session.streamResponse(generating: Int.self, includeSchemaInPrompt: false) { "?" } },
    ]
    for make in values { #expect(try await make().collect().content == 3) }
    #expect(last?.contextOptions.includeSchemaInPrompt == false)
  }

  @Test func everyFormOfStreamVersion27() async throws {
    let session = LanguageModelSession(model: model)
    let options = GenerationOptions(maximumResponseTokens: 10)
    let context = ContextOptions(includeSchemaInPrompt: false)
    let schema = Int.generationSchema
    let question = Prompt("?")

    let texts: [() -> Stream<String>] = [
      { session.streamResponse(to: "?", contextOptions: context) },
      { session.streamResponse(to: question, options: options, metadata: ["id": 1]) },
      { session.streamResponse(options: options, contextOptions: context) { "?" } },
    ]
    for make in texts { #expect(try await make().collect().content == "Yes") }
    let contents: [() -> Stream<GeneratedContent>] = [
      { session.streamResponse(to: "?", schema: schema, contextOptions: context) },
      { session.streamResponse(to: question, schema: schema, contextOptions: context) },
      { session.streamResponse(schema: schema, contextOptions: context, metadata: [:]) { "?" } },
    ]
    for make in contents { #expect(try await make().collect().content.value() == 3) }
    let values: [() -> Stream<Int>] = [
      { session.streamResponse(to: "?", generating: Int.self, contextOptions: context) },
      { session.streamResponse(to: question, generating: Int.self, contextOptions: context) },
      { session.streamResponse(generating: Int.self, contextOptions: context) { "?" } },
    ]
    for make in values { #expect(try await make().collect().content == 3) }
    #expect(last?.contextOptions == context)
  }

  @Test func everySession() throws {
    let tools: [any Tool] = [GateTool()]
    let transcript = Transcript(entries: [.prompt(.init(segments: []))])
    let isShort = true
    let sessions = [
      LanguageModelSession(),
      LanguageModelSession(instructions: "Be kind."),
      LanguageModelSession(instructions: Instructions("Be kind.")),
      LanguageModelSession(model: .default, instructions: "Be kind."),
      LanguageModelSession(tools: tools),
      LanguageModelSession(tools: tools, instructions: "Be kind."),
      LanguageModelSession(model: SystemLanguageModel(useCase: .contentTagging), tools: tools),
      LanguageModelSession { "Be kind." },
      LanguageModelSession(model: .default, tools: tools) {
        "Be kind."
        if isShort { "Be short." }
      },
      LanguageModelSession(transcript: transcript),
      LanguageModelSession(model: .default, tools: tools, transcript: transcript),
      LanguageModelSession(model: model),
      LanguageModelSession(model: model, tools: tools),
      LanguageModelSession(model: model, instructions: "Be kind."),
      LanguageModelSession(model: model, tools: tools, instructions: Instructions("Be kind.")),
      LanguageModelSession(model: model) { "Be kind." },
      LanguageModelSession(model: model, tools: tools) { "Be kind." },
      LanguageModelSession(model: model, transcript: transcript),
      LanguageModelSession(model: model, tools: tools, transcript: transcript),
    ]
    let kinds = sessions.map { $0.transcript.kinds.first }
    #expect(
      kinds == [
        nil, "instructions", "instructions", "instructions", "instructions", "instructions",
        "instructions", "instructions", "instructions", "prompt", "prompt",
        nil, "instructions", "instructions", "instructions", "instructions", "instructions",
        "prompt", "prompt",
      ])
    struct Failure: Error {}
    func fail() throws -> String { throw Failure() }
    #expect(throws: Failure.self) { _ = try LanguageModelSession { try fail() } }
    #expect(throws: Failure.self) { _ = try LanguageModelSession(model: model) { try fail() } }
  }

  @Test func everyOption() {
    var options = GenerationOptions()
    options.sampling = .greedy
    #expect(options.samplingMode == .greedy)
    #expect(options == GenerationOptions(sampling: .greedy))
    options.temperature = 0.7
    options.maximumResponseTokens = 100
    #expect(
      options
        == GenerationOptions(
          sampling: .greedy, temperature: 0.7, maximumResponseTokens: 100))
    options.toolCallingMode = .disallowed
    #expect(
      options
        == GenerationOptions(
          samplingMode: .greedy, temperature: 0.7, maximumResponseTokens: 100,
          toolCallingMode: .disallowed))
    switch GenerationOptions.SamplingMode.random(probabilityThreshold: 0.9, seed: 1).kind {
    case .greedy, .randomTopK: Issue.record("another mode")
    case .randomProbabilityThreshold(let threshold, let seed):
      #expect(threshold == 0.9)
      #expect(seed == 1)
    }
    #expect(GenerationOptions.SamplingMode.random(top: 3).kind == .randomTopK(3, seed: nil))
    #expect(GenerationOptions.ToolCallingMode.required.kind == .required)
    #expect(ContextOptions(reasoningLevel: .light) != ContextOptions(reasoningLevel: .custom("x")))
  }

  @Test func availabilityIsAskedForTheUsualWays() {
    let model = SystemLanguageModel.default
    switch model.availability {
    case .available: break
    case .unavailable(.deviceNotEligible): break
    case .unavailable(.appleIntelligenceNotEnabled): break
    case .unavailable(.modelNotReady): break
    case .unavailable(let other): Issue.record("another reason: \(other)")
    }
    #expect(model.isAvailable == (model.availability == .available))
    #expect(model === SystemLanguageModel.default)
    #expect(model.contextSize > 0)
    _ = model.supportsLocale()
    _ = SystemLanguageModel(guardrails: .permissiveContentTransformations)
    _ = SystemLanguageModel(useCase: .general, guardrails: .default)
  }

  /// A view model as apps have it.
  @MainActor final class ViewModel {
    let session: LanguageModelSession
    var booking: Booking.PartiallyGenerated?
    var text = ""

    init(_ session: LanguageModelSession) { self.session = session }

    func load() async throws {
      guard !session.isResponding else { return }
      session.prewarm(promptPrefix: Prompt("Book"))
      let stream = session.streamResponse(generating: Booking.self, options: .init()) { "Book" }
      for try await partial in stream { booking = partial.content }
      text = try await session.respond(to: "Thanks").content
    }
  }

  @Test func anAppCompiles() async throws {
    let model = ScriptedModel { request, channel in
      await channel.say(request.schema == nil ? "Done" : #"{"code": "A", "guests": 1}"#)
    }
    let viewModel = await ViewModel(LanguageModelSession(model: model))
    try await viewModel.load()
    #expect(await viewModel.booking?.code == "A")
    #expect(await viewModel.text == "Done")
  }

  @Test func errorsAreCaughtTheUsualWays() async {
    let session = LanguageModelSession(model: ScriptedModel { _, _ in throw CancellationError() })
    do {
      try await session.respond(to: "?")
    } catch LanguageModelSession.GenerationError.exceededContextWindowSize(let context) {
      Issue.record("\(context.debugDescription)")
    } catch let error as LanguageModelSession.GenerationError {
      Issue.record("\(error.localizedDescription) \(error.recoverySuggestion ?? "")")
    } catch let error as LanguageModelSession.ToolCallError {
      Issue.record("\(error.tool.name): \(error.underlyingError)")
    } catch let error as LanguageModelError {
      switch error {
      case .contextSizeExceeded(let context): Issue.record("\(context.tokenCount)")
      case .refusal(let refusal): Issue.record("\(refusal.debugDescription)")
      default: Issue.record(error)
      }
    } catch is CancellationError {
      #expect(session.transcript.isEmpty)
    } catch {
      Issue.record(error)
    }
  }
}
