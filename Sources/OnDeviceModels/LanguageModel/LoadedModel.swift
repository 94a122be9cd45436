internal import Foundation
internal import GGUF
internal import Inference
internal import LanguageModels
internal import Tokenization

/// A model in memory with what turns transcripts into its prompts.
struct LoadedModel: Sendable {
  let model: OnDeviceModel
  let composer: PromptComposer
  let toolCalls: ToolCallFormat
  /// What the makers recommend, for a model of the catalog.
  let recommendedSampling: SamplingOptions?

  /// Loads a model on a thread of its own.
  ///
  /// - Throws: `OnDeviceModelError`; `GGUFError`, `TokenizerError`, `InferenceError` or
  ///   `ChatTemplateError` for what is wrong with the file.
  static func load(
    _ configuration: OnDeviceLanguageModel.Executor.Configuration,
    memory: MachineMemory = .current
  ) async throws -> LoadedModel {
    let path = try path(of: configuration.source)
    let options = EngineOptions(
      contextSize: configuration.contextSize, threads: configuration.threads,
      weightLayout: configuration.weightLayout, keyValueType: configuration.keyValueType)
    let model = try await OnDeviceModel.load(
      file: path, options: options, template: configuration.template
    ) { file in
      guard !configuration.ignoresMemoryEstimate else { return }
      try memory.check(
        MemoryEstimate(
          file: file, contextSize: options.contextSize, prefillChunk: options.prefillChunk,
          weightLayout: options.weightLayout, keyValueType: options.keyValueType))
    }
    guard let renderer = try model.promptRenderer else {
      throw OnDeviceModelError.noChatTemplate(path: path)
    }
    let toolCalls = ToolCallFormat(of: renderer)
    return LoadedModel(
      model: model,
      composer: PromptComposer(renderer, toolCalls, contextSize: model.contextSize),
      toolCalls: toolCalls, recommendedSampling: recommendedSampling(forFile: path))
  }

  private static func path(of source: ModelSource) throws(OnDeviceModelError) -> String {
    switch source {
    case .unknown(let name):
      throw .unknownModel(name: name, known: ModelCatalog.builtIn.models.map(\.name))
    case .file(let path):
      guard let entry = catalogEntry(forFile: path) else { return path }
      switch Files.kind(of: URL(filePath: path)) {
      case .nothing: throw .notFetched(name: entry.name, path: path)
      // Elsewhere a file of that name may be another one.
      case .file(let bytes)
      where bytes != entry.bytes
        && path == ModelStore().path(for: entry).standardizedFileURL.filePath:
        throw .damaged(name: entry.name, path: path, expected: entry.bytes, actual: bytes)
      default: return path
      }
    }
  }

  private static func recommendedSampling(forFile path: String) -> SamplingOptions? {
    guard let entry = catalogEntry(forFile: path) else { return nil }
    var sampling = SamplingOptions()
    if let temperature = entry.temperature { sampling.temperature = temperature }
    if let topP = entry.topP { sampling.topP = topP }
    return sampling
  }

  private static func catalogEntry(forFile path: String) -> ModelCatalog.Entry? {
    let name = URL(filePath: path).lastPathComponent
    return ModelCatalog.builtIn.models.first { $0.file == name }
  }

  /// Compiles what the tools of a transcript's instructions will need.
  ///
  /// - Throws: `SchemaProblem`, `GrammarError`.
  func compileGrammar(ofTools transcript: Transcript) async throws {
    let tools = transcript.tools
    guard !tools.isEmpty else { return }
    let request = LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: transcript, enabledTools: tools, generationOptions: .init(),
      contextOptions: .init(), metadata: [:])
    if let grammar = try ResponseShape(of: request, toolCalls, model.tokenizer).grammar,
      !grammar.isForOneText
    {
      try await model.compile(grammar)
    }
  }
}
