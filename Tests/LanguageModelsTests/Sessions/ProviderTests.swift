import Foundation
import LanguageModels
import Synchronization
import TestSupport
import Testing

@Suite struct ProviderTests {
  @Test func modelsOfEqualConfigurationShareAnExecutor() async throws {
    let model = ScriptedModel.saying("Yes")
    // The executors of other tests would push out one that nobody holds.
    let session = LanguageModelSession(model: model)
    session.prewarm()
    for _ in 0..<3 { try await LanguageModelSession(model: model).respond(to: "?") }
    try await session.respond(to: "?")
    #expect(ScriptedModel.Executor.made.withLock { $0[model.script.id] } == 1)
  }

  @Test func aSessionKeepsItsExecutorWhileOthersComeAndGo() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(model: model)
    try await session.respond(to: "1")
    for _ in 0..<10 {
      try await LanguageModelSession(model: ScriptedModel.saying("No")).respond(to: "?")
    }
    try await session.respond(to: "2")
    #expect(ScriptedModel.Executor.made.withLock { $0[model.script.id] } == 1)
  }

  @Test func anExecutorThatCannotBeMadeFailsTheRequest() async throws {
    struct Failure: Error {}
    struct Broken: LanguageModel {
      let capabilities = LanguageModelCapabilities([])
      let executorConfiguration = 0
      struct Executor: LanguageModelExecutor {
        init(configuration: Int) throws { throw Failure() }
        func respond(
          to request: LanguageModelExecutorGenerationRequest, model: Broken,
          streamingInto channel: LanguageModelExecutorGenerationChannel
        ) async throws {}
      }
    }
    let session = LanguageModelSession(model: Broken())
    session.prewarm()
    await #expect(throws: Failure.self) { try await session.respond(to: "?") }
    #expect(session.transcript.isEmpty)
  }

  @Test func prewarmingGivesTheInstructionsAndThePrefix() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(model: model, tools: [GateTool()], instructions: "Be kind.")
    session.prewarm(promptPrefix: Prompt("Dear"))
    while model.script.prewarmed.withLock({ $0.isEmpty }) { await Task.yield() }
    let transcript = try #require(model.script.prewarmed.withLock { $0.first })
    #expect(transcript.texts == ["Be kind.", "Dear"])
    #expect(session.transcript.kinds == ["instructions"])
    #expect(!session.isResponding)
  }

  @Test func aChannelCanBeReadWithoutASession() async throws {
    let channel = LanguageModelExecutorGenerationChannel()
    let sent = Counter()
    let sender = Task {
      for _ in 0..<5 {
        sent.increment()
        await channel.say("x")
      }
      channel.finish()
    }
    var read = 0
    for try await _ in channel {
      read += 1
      #expect(sent.count <= read + 2)
    }
    #expect(read == 5)
    await sender.value
  }

  @Test func aSenderThatIsCancelledGoesOn() async throws {
    let channel = LanguageModelExecutorGenerationChannel()
    let sender = Task { await channel.say("nobody reads this") }
    sender.cancel()
    await sender.value
  }

  @Test func aReaderThatIsCancelledReachesTheEnd() async throws {
    let channel = LanguageModelExecutorGenerationChannel()
    let reader = Task {
      var count = 0
      for try await _ in channel { count += 1 }
      return count
    }
    await channel.say("one")
    reader.cancel()
    #expect(try await reader.value == 1)
    await channel.say("nobody wants this")
  }

  @Test func capabilitiesAreASet() {
    let capabilities = LanguageModelCapabilities([.vision, .vision])
    #expect(capabilities.contains(.vision))
    #expect(!capabilities.contains(.reasoning))
  }
}

@Suite struct SystemLanguageModelTests {
  final class Provider: SystemModelProvider {
    let state = Mutex(SystemLanguageModel.Availability.unavailable(.modelNotReady))
    let scripted = ScriptedModel.saying("Yes")

    var availability: SystemLanguageModel.Availability { state.withLock { $0 } }
    var supportedLanguages: Set<Locale.Language> {
      [Locale.Language(identifier: "en"), Locale.Language(identifier: "zh-Hant")]
    }
    var contextSize: Int { 2048 }

    func model(for useCase: SystemLanguageModel.UseCase) throws -> any LanguageModel { scripted }

    func tokenCount(of content: SystemLanguageModel.CountedContent) async throws -> Int {
      switch content {
      case .schema(let schema): schema.promptText.count
      case .entries(let entries):
        entries.reduce(0) { count, entry in
          guard case .instructions(let instructions) = entry else {
            return count + Transcript(entries: [entry]).texts.joined().count
          }
          return count + instructions.description.count
        }
      }
    }
  }

  private let provider = Provider()
  private let model: SystemLanguageModel

  init() { model = SystemLanguageModel(useCase: .general, provider: provider) }

  @Test func availabilityIsReadAnew() async throws {
    #expect(model.availability == .unavailable(.modelNotReady))
    #expect(!model.isAvailable)
    let session = LanguageModelSession(model: model)
    await #expect(throws: SystemLanguageModel.Error.self) { try await session.respond(to: "?") }
    provider.state.withLock { $0 = .available }
    #expect(model.isAvailable)
    #expect(try await session.respond(to: "?").content == "Yes")
    provider.state.withLock { $0 = .unavailable(.appleIntelligenceNotEnabled) }
    if case .unavailable(let reason) = model.availability {
      #expect(String(describing: reason) == "appleIntelligenceNotEnabled")
    }
    await #expect(throws: SystemLanguageModel.Error.self) { try await session.respond(to: "?") }
    #expect(session.transcript.count == 2)
  }

  @Test func tokensOfEverythingAreCounted() async throws {
    provider.state.withLock { $0 = .available }
    #expect(try await model.tokenCount(for: "four") == 4)
    #expect(try await model.tokenCount(for: Prompt("four")) == 4)
    #expect(try await model.tokenCount(for: Instructions("kind")) == 4)
    #expect(try await model.tokenCount(for: [GateTool()]) == "\nTools: gate".count)
    let schema = Booking.generationSchema
    #expect(try await model.tokenCount(for: schema) == schema.promptText.count)
    let entry = Transcript.Entry.prompt(.init(segments: [.text(.init(content: "two"))]))
    #expect(try await model.tokenCount(for: [entry, entry]) == 6)
    #expect(try await model.tokenCount(for: Transcript(entries: [entry])) == 3)
    #expect(model.contextSize == 2048)
  }

  @Test func countingNeedsTheModel() async throws {
    await #expect(throws: SystemLanguageModel.Error.self) {
      _ = try await model.tokenCount(for: "four")
    }
  }

  @Test(arguments: [
    ("en_US", true), ("en_NZ", true), ("de_DE", false), ("zh_TW", true), ("zh_HK", true),
    ("zh_CN", false), ("ar", false),
  ])
  func aLocaleIsSupportedByItsLanguageAndScript(identifier: String, isSupported: Bool) {
    #expect(model.supportsLocale(Locale(identifier: identifier)) == isSupported)
  }

  @Test func withoutAnEngineTheDeviceIsNotEligible() async throws {
    let model = SystemLanguageModel(useCase: .general, provider: nil)
    #expect(model.availability == .unavailable(.deviceNotEligible))
    await #expect(throws: SystemLanguageModel.Error.self) {
      try await LanguageModelSession(model: model).respond(to: "?")
    }
  }

  @Test func thereAreNoAdapters() async throws {
    #expect(throws: SystemLanguageModel.Adapter.AssetError.self) {
      try SystemLanguageModel.Adapter(fileURL: URL(filePath: "/tmp/x.fmadapter"))
    }
    #expect(throws: SystemLanguageModel.Adapter.AssetError.self) {
      try SystemLanguageModel.Adapter(name: "poems")
    }
    #expect(SystemLanguageModel.Adapter.compatibleAdapterIdentifiers(name: "poems").isEmpty)
  }

  @Test func privateCloudComputeIsNotHere() async throws {
    let model = PrivateCloudComputeLanguageModel()
    #expect(model.availability == .unavailable(.deviceNotEligible))
    await #expect(throws: PrivateCloudComputeLanguageModel.Error.self) {
      try await LanguageModelSession(model: model).respond(to: "?")
    }
    await #expect(throws: PrivateCloudComputeLanguageModel.Error.self) {
      _ = try await model.contextSize
    }
    #expect(!model.quotaUsage.isLimitReached)
  }
}
