import Foundation
import LanguageModels
import OnDeviceModels
import TestSupport
import Testing
import Tokenization

/// The model behind `SystemLanguageModel`, with a tiny one in the place of the catalog's default.
@Suite struct SystemModelTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func catalog(bytes: Int? = nil) throws -> ModelCatalog {
    let size = try FileManager.default.attributesOfItem(atPath: TinyModel.path)[.size] as? Int
    return ModelCatalog(models: [
      .init(
        name: "tiny", aliases: [], isDefault: true, file: "gemma3.gguf", bytes: bytes ?? size ?? 0,
        sha256: "", license: "", licenseURL: "", architecture: "llama", quantization: "F32",
        contextLength: 512, languages: ["en", "zh"], wheels: [])
    ])
  }

  private func system(
    _ variables: [String: String] = [:], physical: Int = 8 << 30, bytes: Int? = nil
  ) throws -> SystemModel {
    var environment = variables
    environment["HEARTH_MODELS"] = folder.url.path(percentEncoded: false)
    return SystemModel(
      catalog: try catalog(bytes: bytes), environment: { [environment] in environment },
      memory: { MachineMemory(physical: physical, available: nil) })
  }

  private func fetch() throws {
    try FileManager.default.copyItem(
      at: URL(filePath: TinyModel.path), to: folder.url.appending(path: "gemma3.gguf"))
  }

  @Test func availabilityIsThatOfTheMoment() throws {
    let system = try system()
    #expect(system.availability == .unavailable(.modelNotReady))
    try fetch()
    #expect(system.availability == .available)
    let mark = folder.url.appending(path: "disabled")
    try Data().write(to: mark)
    #expect(system.availability == .unavailable(.appleIntelligenceNotEnabled))
    try FileManager.default.removeItem(at: mark)
    #expect(system.availability == .available)
    try FileManager.default.removeItem(at: folder.url.appending(path: "gemma3.gguf"))
    #expect(system.availability == .unavailable(.modelNotReady))
  }

  @Test func halfAFileIsNotReady() throws {
    try fetch()
    #expect(
      try system(bytes: 1 << 20 + 1).availability == .unavailable(.modelNotReady))
  }

  @Test(arguments: [("1", true), ("yes", true), ("0", false), ("", false)])
  func aVariableSwitchesItOff(_ value: String, _ isOff: Bool) throws {
    try fetch()
    let availability = try system(["HEARTH_DISABLED": value]).availability
    #expect(availability == (isOff ? .unavailable(.appleIntelligenceNotEnabled) : .available))
  }

  @Test func aMachineWithTooLittleMemoryIsNotEligible() throws {
    #expect(try system(physical: 1000).availability == .unavailable(.deviceNotEligible))
    try fetch()
    #expect(try system(physical: 1000).availability == .unavailable(.deviceNotEligible))
  }

  /// What a session says of a model that cannot be used.
  private func refusal(of system: SystemModel) async -> String {
    let model = SystemLanguageModel(useCase: .general, provider: system)
    let error = await #expect(throws: SystemLanguageModel.Error.self) {
      try await LanguageModelSession(model: model).respond(to: "x")
    }
    return error?.localizedDescription ?? ""
  }

  @Test func aRefusalNamesWhatSwitchedTheModelOffAndHowToSwitchItOn() async throws {
    try fetch()
    #expect(
      try await refusal(of: system(["HEARTH_DISABLED": "yes"])) == """
        Models on this device are switched off for this program by the environment variable \
        HEARTH_DISABLED, which is “yes”. Unset it, or set it to 0, to switch them on.
        """)
    let mark = folder.url.appending(path: "disabled")
    try Data().write(to: mark)
    #expect(
      try await refusal(of: system()) == """
        Models on this device are switched off for all programs by the file \
        \(mark.path(percentEncoded: false)). Remove it to switch them on.
        """)
  }

  @Test func aRefusalSaysWhatIsMissing() async throws {
    let path = folder.url.appending(path: "gemma3.gguf").path(percentEncoded: false)
    #expect(
      try await refusal(of: system())
        == "tiny is not, or not wholly, at \(path). Fetch it with: hearth models pull tiny")
    #expect(
      try await refusal(of: system(physical: 1000, bytes: 1001))
        == "tiny needs 1001 bytes of memory, and this device has 1000.")
  }

  @Test func aSessionSaysWhyThereIsNoModel() async throws {
    let model = SystemLanguageModel(useCase: .general, provider: try system())
    await #expect(throws: SystemLanguageModel.Error.self) {
      try await LanguageModelSession(model: model).respond(to: "x")
    }
    await #expect(throws: SystemLanguageModel.Error.self) {
      _ = try await model.tokenCount(for: "x")
    }
    #expect(model.contextSize == 512)
    #expect(model.supportsLocale(Locale(identifier: "en_GB")))
    #expect(!model.supportsLocale(Locale(identifier: "tr_TR")))
  }

  @Test func theLinkedModelIsThatOfTheCatalog() {
    // No program registers anything.
    #expect(SystemLanguageModel.default.contextSize == 4096)
    #expect(SystemLanguageModel.default.supportsLocale(Locale(identifier: "en_US")))
  }
}

/// Tokens of parts of prompts, which add up to what a session uses.
@Suite struct TokenCountTests {
  private let model = TinyModel.model()

  private func count(_ text: String) async throws -> Int {
    try await TinyModel.plain().tokenizer.encode(text, parseSpecial: true).count
  }

  private func entry(_ text: String) -> Transcript.Entry {
    .prompt(.init(segments: [.text(.init(content: text))]))
  }

  @Test func entriesAreCountedWithTheirMarks() async throws {
    #expect(
      try await model.tokenCount(for: [entry("hello")])
        == count("<|im_start|>user\nhello<|im_end|>\n"))
    let instructions = Transcript.Entry.instructions(
      .init(segments: [.text(.init(content: "Be brief."))], toolDefinitions: []))
    #expect(
      try await model.tokenCount(for: [instructions])
        == count("<|im_start|>system\nBe brief.<|im_end|>\n"))
    #expect(
      try await model.tokenCount(for: [instructions, entry("hello")])
        == count("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nhello<|im_end|>\n"))
    #expect(try await model.tokenCount(for: [Transcript.Entry]()) == 0)
  }

  @Test func toolsAndSchemasAreCountedAsTheyAreShown() async throws {
    let tools = Transcript.Entry.instructions(
      .init(segments: [], toolDefinitions: [.init(tool: EchoTool())]))
    let session = LanguageModelSession(
      model: TinyModel.model(), tools: [EchoTool()], instructions: "Be brief.")
    try await session.respond(to: "x", generating: Pick.self, options: atMost(40))
    let usage = try #require(session.contextUsage)
    // The definitions with the two line ends before them; how those are split is a token's matter.
    let counted = try await model.tokenCount(for: [tools])
    #expect(abs(counted - usage.tools) <= 12, "\(counted) \(usage.tools)")
    let schema = try await model.tokenCount(for: Pick.generationSchema)
    #expect(abs(schema - usage.schema) <= 2, "\(schema) \(usage.schema)")
  }
}
