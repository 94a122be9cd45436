import Foundation
import FoundationModels
import Testing

@Suite struct ModelSurfaceTests {
  /// Compiled, and run only where there is a model: counting loads it.
  private func countTokens(of model: SystemLanguageModel) async throws -> [Int] {
    [
      try await model.tokenCount(for: "text"),
      try await model.tokenCount(for: Prompt("text")),
      try await model.tokenCount(for: Instructions("text")),
      try await model.tokenCount(for: [GateTool()]),
      try await model.tokenCount(for: Int.generationSchema),
      try await model.tokenCount(for: Transcript()),
    ]
  }

  @Test func theModelOfTheDeviceIsAskedForInEveryWay() {
    let models = [
      SystemLanguageModel.default, SystemLanguageModel(),
      SystemLanguageModel(useCase: .contentTagging),
      SystemLanguageModel(guardrails: .permissiveContentTransformations),
      SystemLanguageModel(useCase: .general, guardrails: .default),
    ]
    for model in models {
      switch model.availability {
      case .available: #expect(model.isAvailable)
      case .unavailable(let reason):
        #expect(!model.isAvailable)
        switch reason {
        case .deviceNotEligible, .appleIntelligenceNotEnabled, .modelNotReady: break
        @unknown default: Issue.record("another reason")
        }
      }
      #expect(model.contextSize > 0)
      _ = (
        model.supportedLanguages, model.supportsLocale(),
        model.supportsLocale(Locale(identifier: "en"))
      )
      _ = model.capabilities.contains(.guidedGeneration)
    }
    _ = countTokens
    #expect(SystemLanguageModel.UseCase.general != .contentTagging)
  }

  @Test func adaptersAndTheCloudAreNotHere() async {
    do {
      let adapter = try SystemLanguageModel.Adapter(fileURL: URL(filePath: "/tmp/a.fmadapter"))
      try await adapter.compile()
      _ = SystemLanguageModel(adapter: adapter, guardrails: .default)
      _ = adapter.creatorDefinedMetadata
      Issue.record("an adapter")
    } catch SystemLanguageModel.Adapter.AssetError.invalidAsset(let context) {
      #expect(!context.debugDescription.isEmpty)
    } catch {
      Issue.record(error)
    }
    #expect(throws: (any Error).self) { try SystemLanguageModel.Adapter(name: "x") }
    #expect(SystemLanguageModel.Adapter.compatibleAdapterIdentifiers(name: "x").isEmpty)
    try? SystemLanguageModel.Adapter.removeObsoleteAdapters()

    let cloud = PrivateCloudComputeLanguageModel()
    switch cloud.availability {
    case .available: Issue.record("a cloud")
    case .unavailable(.deviceNotEligible), .unavailable(.systemNotReady): break
    @unknown default: break
    }
    switch cloud.quotaUsage.status {
    case .belowLimit(let usage): #expect(!usage.isApproachingLimit)
    case .limitReached: Issue.record("a limit")
    @unknown default: break
    }
    cloud.quotaUsage.limitIncreaseSuggestion?.show()
    #expect(cloud.quotaUsage.resetDate == nil)
    do {
      _ = try await cloud.contextSize
    } catch PrivateCloudComputeLanguageModel.Error.serviceUnavailable(let payload) {
      #expect(!payload.debugDescription.isEmpty)
    } catch PrivateCloudComputeLanguageModel.Error.networkFailure,
      PrivateCloudComputeLanguageModel.Error.quotaLimitReached
    {
      Issue.record("another error")
    } catch {
      Issue.record(error)
    }
  }

  @Test func everyErrorIsMadeAndCaught() {
    let errors: [LanguageModelError] = [
      .contextSizeExceeded(.init(contextSize: 4096, tokenCount: 5000, debugDescription: "long")),
      .rateLimited(.init(resetDate: nil, debugDescription: "wait")),
      .guardrailViolation(.init(debugDescription: "no")),
      .refusal(.init(explanation: "I would rather not.", debugDescription: "refused")),
      .unsupportedCapability(.init(capability: .vision, debugDescription: "blind")),
      .unsupportedTranscriptContent(.init(unsupportedContent: [], debugDescription: "?")),
      .unsupportedGenerationGuide(.init(schemaName: "City", debugDescription: "?")),
      .unsupportedLanguageOrLocale(.init(languageCode: "xx", debugDescription: "?")),
      .timeout(.init(debugDescription: "late")),
    ]
    for error in errors {
      #expect(error.errorDescription?.isEmpty == false)
      switch error {
      case .contextSizeExceeded(let payload): #expect(payload.tokenCount > payload.contextSize)
      case .rateLimited(let payload): #expect(payload.resetDate == nil)
      case .guardrailViolation(let payload): #expect(payload.metadata.isEmpty)
      case .refusal(let refusal): #expect(refusal.debugDescription == "refused")
      case .unsupportedCapability(let payload): #expect(payload.capability == .vision)
      case .unsupportedTranscriptContent(let payload): #expect(payload.unsupportedContent.isEmpty)
      case .unsupportedGenerationGuide(let payload): #expect(payload.schemaName == "City")
      case .unsupportedLanguageOrLocale(let payload): #expect(payload.languageCode == "xx")
      case .timeout(let payload): #expect(payload.debugDescription == "late")
      @unknown default: Issue.record("another error")
      }
    }
    let context = LanguageModelSession.GenerationError.Context(debugDescription: "d")
    let old: [LanguageModelSession.GenerationError] = [
      .exceededContextWindowSize(context), .assetsUnavailable(context),
      .guardrailViolation(context), .unsupportedGuide(context),
      .unsupportedLanguageOrLocale(context), .decodingFailure(context), .rateLimited(context),
      .concurrentRequests(context), .refusal(.init(transcriptEntries: []), context),
    ]
    for error in old {
      #expect(
        error.errorDescription != nil && error.recoverySuggestion != nil
          && error.failureReason != nil)
    }
    #expect(
      LanguageModelSession.Error.concurrentRequests
        != LanguageModelSession.Error.transcriptMutationWhileResponding)
    let missing = SystemLanguageModel.Error.assetsUnavailable(.init(debugDescription: "gone"))
    #expect(missing.errorDescription == "gone")
  }
}
