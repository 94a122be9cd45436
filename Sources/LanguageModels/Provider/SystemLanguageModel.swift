public import Foundation
public import Observation
internal import Synchronization

/// The model that this device offers to every program.
///
/// Which model that is, the module with the engine decides. Nothing is loaded before a request or
/// ``LanguageModelSession/prewarm(promptPrefix:)``.
public final class SystemLanguageModel: Sendable {
  /// The model for all purposes.
  public static var `default`: SystemLanguageModel { shared }

  private static let shared = SystemLanguageModel()

  private let useCase: UseCase
  private let provider: (any SystemModelProvider)?
  /// The executor of the model behind, held so that it stays loaded.
  private let executor = Mutex<(any ExecutorHolding)?>(nil)

  package init(useCase: UseCase, provider: (any SystemModelProvider)?) {
    self.useCase = useCase
    self.provider = provider
  }

  /// The model for a use.
  ///
  /// - Parameters:
  ///   - useCase: what the model is used for.
  ///   - guardrails: no rules are applied to content on this device, whatever is given here.
  public convenience init(
    useCase: UseCase = .general, guardrails: Guardrails = Guardrails.default
  ) {
    self.init(useCase: useCase, provider: Self.linkedProvider)
  }

  /// The model with an adapter, of which there are none on this device.
  public convenience init(adapter: Adapter, guardrails: Guardrails = .default) {
    self.init(guardrails: guardrails)
  }

  /// What a model is used for.
  public struct UseCase: Sendable, Hashable {
    private let name: String

    /// Anything.
    public static let general = UseCase(name: "general")
    /// Finding tags for a text.
    public static let contentTagging = UseCase(name: "contentTagging")
  }

  /// Rules about content; none are applied on this device.
  public struct Guardrails: Sendable {
    /// The usual rules.
    public static let `default` = Guardrails()
    /// Fewer rules for texts that are only transformed.
    public static let permissiveContentTransformations = Guardrails()
  }

  /// Whether the model can be used.
  @frozen
  public enum Availability: Equatable, Sendable {
    /// The model can be used.
    case available
    /// The model cannot be used, for a reason.
    case unavailable(UnavailableReason)

    /// Why the model cannot be used.
    public enum UnavailableReason: Hashable, Sendable {
      /// The device has not enough memory for the model.
      case deviceNotEligible
      /// The user has switched models on this device off.
      case appleIntelligenceNotEnabled
      /// The model is not there yet; that may change at any time.
      case modelNotReady
    }
  }
}

extension SystemLanguageModel: Observable {}

// MARK: Properties

extension SystemLanguageModel {
  /// Whether the model can be used now; ask again, it changes.
  public var availability: Availability {
    provider?.availability ?? .unavailable(.deviceNotEligible)
  }

  /// Whether the model can be used now.
  public var isAvailable: Bool { availability == .available }

  /// The languages that the model knows.
  public var supportedLanguages: Set<Locale.Language> { provider?.supportedLanguages ?? [] }

  /// Whether the model knows the language of a locale, in any region where it is spoken.
  public func supportsLocale(_ locale: Locale = Locale.current) -> Bool {
    let wanted = Locale.Language(identifier: locale.language.maximalIdentifier)
    return supportedLanguages.contains { language in
      let known = Locale.Language(identifier: language.maximalIdentifier)
      return known.languageCode == wanted.languageCode && known.script == wanted.script
    }
  }

  /// Tokens that fit the context window: instructions, prompts, tools, schemas and responses.
  public var contextSize: Int { provider?.contextSize ?? 4096 }
}

// MARK: Counting tokens

extension SystemLanguageModel {
  /// Tokens of a prompt.
  ///
  /// - Throws: ``Error`` where the model cannot be used.
  public nonisolated(nonsending) func tokenCount(
    for prompt: some PromptRepresentable
  ) async throws -> Int {
    let prompt = Transcript.Prompt(segments: prompt.promptRepresentation.segments)
    return try await count(.entries([.prompt(prompt)]))
  }

  /// Tokens of instructions.
  ///
  /// - Throws: ``Error`` where the model cannot be used.
  public nonisolated(nonsending) func tokenCount(
    for instructions: Instructions
  ) async throws -> Int {
    let instructions = Transcript.Instructions(
      segments: instructions.segments, toolDefinitions: [])
    return try await count(.entries([.instructions(instructions)]))
  }

  /// Tokens of the definitions of tools.
  ///
  /// - Throws: ``Error`` where the model cannot be used.
  public nonisolated(nonsending) func tokenCount(for tools: [any Tool]) async throws -> Int {
    let definitions = tools.map { Transcript.ToolDefinition(tool: $0) }
    let instructions = Transcript.Instructions(segments: [], toolDefinitions: definitions)
    return try await count(.entries([.instructions(instructions)]))
  }

  /// Tokens of a schema, where the model reads it.
  ///
  /// - Throws: ``Error`` where the model cannot be used.
  public nonisolated(nonsending) func tokenCount(
    for schema: GenerationSchema
  ) async throws -> Int {
    try await count(.schema(schema))
  }

  /// Tokens of entries of a transcript, with what the chat template puts around them.
  ///
  /// - Throws: ``Error`` where the model cannot be used.
  public nonisolated(nonsending) func tokenCount(
    for transcriptEntries: some Collection<Transcript.Entry>
  ) async throws -> Int {
    try await count(.entries(Array(transcriptEntries)))
  }

  private nonisolated(nonsending) func count(_ content: CountedContent) async throws -> Int {
    try await availableProvider().tokenCount(of: content)
  }

  private func availableProvider() throws -> any SystemModelProvider {
    guard let provider else { throw Error.assetsUnavailable(.init(availability)) }
    if case .available = provider.availability { return provider }
    // The provider itself can say more: what is in the way, and what to do about it.
    _ = try provider.model(for: useCase)
    throw Error.assetsUnavailable(.init(availability))
  }
}

// MARK: Answering

extension SystemLanguageModel: LanguageModel {
  /// What the model can do.
  public var capabilities: LanguageModelCapabilities {
    let model = try? provider?.model(for: useCase)
    return model?.capabilities ?? LanguageModelCapabilities([.guidedGeneration, .toolCalling])
  }

  /// Tells models of different use apart.
  public var executorConfiguration: Executor.Configuration { .init(useCase: useCase) }

  /// Passes requests to the model that is behind.
  public struct Executor: LanguageModelExecutor {
    /// What tells executors apart.
    public struct Configuration: Hashable, Sendable {
      let useCase: UseCase
    }

    /// An executor.
    public init(configuration: Configuration) {}

    /// Gets ready for a request that begins with `transcript`, if the model can be used.
    public func prewarm(model: SystemLanguageModel, transcript: Transcript) {
      try? model.modelBehind().prewarm(transcript)
    }

    /// Answers a request.
    ///
    /// - Throws: ``SystemLanguageModel/Error`` where the model cannot be used, and others.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: SystemLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await model.modelBehind().respond(to: request, streamingInto: channel)
    }
  }

  fileprivate func modelBehind() throws -> any LanguageModel {
    let model = try availableProvider().model(for: useCase)
    let shared = model.sharedExecutor()
    executor.withLock { $0 = shared }
    return model
  }
}
