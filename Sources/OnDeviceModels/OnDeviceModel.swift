public import ConstrainedDecoding
internal import Foundation
public import GGUF
public import Inference
public import Tokenization

/// A model that is ready to answer: weights, tokenizer, chat template and an engine.
///
/// One response at a time; a second one while the first is being read is refused as `busy`.
public final class OnDeviceModel: Sendable {
  /// The open file, for its metadata and tensors.
  public let file: GGUFFile
  /// Turns text into tokens and back.
  public let tokenizer: Tokenizer
  /// Runs the model.
  public let engine: InferenceEngine
  /// Where the weights are: `interleaved` in place of `cached` where that could not be.
  public let weightLayout: WeightLayout
  /// Why weights that should be `cached` are not, for somebody who can do something about it.
  public let weightCacheProblem: GGUFError?
  /// Tokens that fit the context window.
  public var contextSize: Int { engine.contextSize }

  /// The chat template, or why it does not compile: a model can go on without one.
  private let renderer: Result<PromptRenderer?, any Error>
  private let grammars: GrammarStore

  /// Whether conversations are possible; a text can always be continued.
  ///
  /// - Throws: `ChatTemplateError` with line and column when the template does not compile.
  public var hasChatTemplate: Bool { get throws { try renderer.get() != nil } }

  /// What turns conversations into prompts.
  ///
  /// - Throws: `ChatTemplateError` when the template does not compile.
  var promptRenderer: PromptRenderer? { get throws { try renderer.get() } }

  private init(
    _ model: TransformerModel, tokenizer: Tokenizer, engine: InferenceEngine,
    renderer: Result<PromptRenderer?, any Error>
  ) {
    file = model.file
    weightLayout = model.layout
    weightCacheProblem = model.cacheProblem
    self.tokenizer = tokenizer
    self.engine = engine
    self.renderer = renderer
    grammars = GrammarStore(tokenizer.vocabulary)
  }

  /// Opens a model file on a thread of its own.
  ///
  /// - Parameters:
  ///   - path: a GGUF file, or the first file of a split set.
  ///   - access: mapping is faster and takes no memory of its own; a file that another program may
  ///     shorten meanwhile must be copied, since reading what is gone ends the process.
  ///   - options: how the engine uses the machine.
  ///   - template: the chat template to use; nil takes the one in the file, and the catalog's
  ///     choice for its own models, which may come without one.
  /// - Returns: the model, ready to answer.
  /// - Throws: `GGUFError`, `TokenizerError`, `InferenceError` or `ChatTemplateError`, each saying
  ///   where.
  public static func load(
    file path: String, access: GGUFFile.Access = .mapped, options: EngineOptions = EngineOptions(),
    template: ChatTemplateChoice? = nil
  ) async throws -> OnDeviceModel {
    try await load(file: path, access: access, options: options, template: template) { _ in }
  }

  /// Opens a model file after `check` has looked at its header.
  ///
  /// - Throws: what `check` throws, and as above.
  static func load(
    file path: String, access: GGUFFile.Access = .mapped, options: EngineOptions,
    template: ChatTemplateChoice?, check: @escaping @Sendable (GGUFFile) throws -> Void
  ) async throws -> OnDeviceModel {
    try await ModelLoader().load(path, access, options, template, check)
  }

  /// Opens a model of the catalog that has been downloaded (`hearth models pull NAME`).
  ///
  /// - Parameters:
  ///   - name: a name of the catalog, or an alias.
  ///   - options: how the engine uses the machine.
  /// - Returns: the model, ready to answer.
  /// - Throws: `ModelStoreError` for an unknown name or a model that is not there, and what
  ///   `load(file:)` throws.
  public static func load(
    named name: String, options: EngineOptions = EngineOptions()
  ) async throws -> OnDeviceModel {
    try await load(file: ModelStore().locate(name).path(percentEncoded: false), options: options)
  }

  fileprivate static func open(
    _ loader: isolated ModelLoader, _ path: String, _ access: GGUFFile.Access,
    _ options: EngineOptions, _ template: ChatTemplateChoice?, _ check: (GGUFFile) throws -> Void
  ) async throws -> OnDeviceModel {
    let file = try GGUFFile(path: path, access: access)
    try check(file)
    // The vocabulary is read by one thread, weights are copied by all of them: both together take
    // less time, but not where only one thread may work.
    async let vocabulary = TokenizerReader().tokenizer(of: file)
    if options.threads == 1 { _ = try await vocabulary }
    let weights = Result {
      try TransformerModel(file: file, layout: options.weightLayout, threads: options.threads)
    }
    let tokenizer = try await vocabulary
    let model = try weights.get()
    guard tokenizer.vocabulary.count <= model.configuration.vocabularySize else {
      throw InferenceError.invalidHyperparameter(
        key: "tokenizer.ggml.tokens",
        reason: "\(tokenizer.vocabulary.count) tokens, but the embedding table has "
          + "\(model.configuration.vocabularySize) rows")
    }
    let renderer = Result {
      try PromptRenderer(file: file, tokenizer: tokenizer, path: path, template)
    }
    if model.layout != .mapped { file.release() }
    return OnDeviceModel(
      model, tokenizer: tokenizer, engine: try InferenceEngine(model, options), renderer: renderer)
  }

  /// Compiles a grammar for this model's vocabulary, away from the caller's thread.
  ///
  /// Responses do so by themselves; ahead of them it spares the first one the time, and finds out
  /// what is wrong with the grammar.
  ///
  /// - Parameter grammar: what a response must look like.
  /// - Returns: the compiled grammar, shared with all responses that use it.
  /// - Throws: `GrammarError`, saying what is wrong and where.
  @discardableResult
  public func compile(_ grammar: ResponseGrammar) async throws -> CompiledGrammar {
    try await grammars.compiled(grammar)
  }

  /// Continues a text as it stands, without a chat template.
  ///
  /// - Parameters:
  ///   - prompt: the text; control tokens in it stay text.
  ///   - options: how the response is made.
  /// - Returns: the continuation, computed as it is read.
  /// - Throws: `InferenceError.contextSizeExceeded` with both numbers before any work when the
  ///   prompt does not fit; `busy`; `invalidOption`; `GrammarError`.
  public func complete(
    _ prompt: String, options: GenerationOptions = GenerationOptions()
  ) async throws -> TextStream {
    let tokens = tokenizer.encode(prompt, addSpecial: true)
    return try await stream(
      tokens, usage: ContextUsage(contextSize: contextSize, prompt: tokens.count), options,
      startsText: false)
  }

  /// Answers one prompt.
  ///
  /// - Parameters:
  ///   - prompt: what the user says.
  ///   - instructions: what the model is told about its task, if anything.
  ///   - options: how the response is made.
  /// - Returns: the answer, computed as it is read.
  /// - Throws: as `complete` does, and `PromptError.noTemplate` when the model has no chat template.
  public func respond(
    to prompt: String, instructions: String? = nil,
    options: GenerationOptions = GenerationOptions()
  ) async throws -> TextStream {
    try await answer(
      [ChatMessage(role: .user, content: prompt)], instructions: instructions, options)
  }

  /// Answers the last of some messages.
  func answer(
    _ messages: [ChatMessage], instructions: String?, _ options: GenerationOptions,
    onFinish: @escaping @Sendable (String, FinishReason) -> Void = { _, _ in }
  ) async throws -> TextStream {
    guard let renderer = try renderer.get() else { throw PromptError.noTemplate }
    let (tokens, lead) = try renderer.prompt(instructions: instructions, messages: messages)
    var usage = ContextUsage(contextSize: contextSize, prompt: tokens.count - lead)
    if instructions == nil { usage.templateInstructions = lead } else { usage.instructions = lead }
    return try await stream(tokens, usage: usage, options, startsText: true, onFinish: onFinish)
  }

  private func stream(
    _ prompt: [TokenID], usage: ContextUsage, _ options: GenerationOptions, startsText: Bool,
    onFinish: @escaping @Sendable (String, FinishReason) -> Void = { _, _ in }
  ) async throws -> TextStream {
    var request = GenerationRequest(
      prompt: prompt, sampling: options.sampling, maximumTokens: options.maximumResponseTokens,
      timeLimit: options.timeLimit, endTokens: tokenizer.vocabulary.endOfGeneration)
    let stops = options.stopStrings.filter { !$0.isEmpty }
    if let grammar = options.grammar {
      guard stops.isEmpty else {
        throw InferenceError.invalidOption(
          name: "stop strings", reason: "a grammar says itself where the text ends")
      }
      request.guide = GrammarGuide(grammar: try await compile(grammar), tokenizer: tokenizer)
    }
    // A grammar accounts for every byte, also for a blank that starts the text.
    let detokenizer = Detokenizer(
      tokenizer, startsText: startsText && options.grammar == nil, stops: stops)
    return TextStream(
      try await engine.generate(request), detokenizer, stopStrings: stops, usage: usage,
      onFinish: onFinish)
  }
}

/// Opens models away from the caller's thread and from the cooperative pool: it may read a lot.
private actor ModelLoader {
  private let executor = InferenceExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func load(
    _ path: String, _ access: GGUFFile.Access, _ options: EngineOptions,
    _ template: ChatTemplateChoice?, _ check: @Sendable (GGUFFile) throws -> Void
  ) async throws -> OnDeviceModel {
    try await OnDeviceModel.open(self, path, access, options, template, check)
  }
}

/// Reads vocabularies on a thread of its own.
private actor TokenizerReader {
  private let executor = InferenceExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func tokenizer(of file: GGUFFile) throws -> Tokenizer { try Tokenizer(file: file) }
}
