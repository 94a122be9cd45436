internal import Tokenization
internal import Synchronization

internal import Foundation

/// How an engine uses the machine.
public struct EngineOptions: Sendable, Equatable {
  /// Tokens of the context window; nil takes the model's own, at most 4,096.
  public var contextSize: Int?
  /// Threads for the forward pass; nil takes one per core.
  public var threads: Int?
  /// Prompt tokens computed between two looks at cancellation.
  public var prefillChunk: Int
  /// How products with quantised weights are done.
  public var precision: MatmulPrecision
  /// Where weights are while the model is loaded.
  public var weightLayout: WeightLayout

  /// The defaults suit one conversation on an otherwise idle machine.
  public init(
    contextSize: Int? = nil, threads: Int? = nil, prefillChunk: Int = 256,
    precision: MatmulPrecision = .quantized, weightLayout: WeightLayout = .interleaved
  ) {
    self.contextSize = contextSize
    self.threads = threads
    self.prefillChunk = prefillChunk
    self.precision = precision
    self.weightLayout = weightLayout
  }

  /// The context size that is used unless one is asked for: bounded, because a model that was
  /// trained on 131,072 tokens would otherwise take gigabytes for its cache.
  package static let defaultContextLimit = 4096
}

/// Turns prompts into tokens on a thread of its own, one generation at a time.
///
/// Keeps the KV cache between generations: a prompt that begins like the last conversation is
/// computed from where it differs. Several engines may share one model.
public actor InferenceEngine {
  /// Tokens that fit the context window.
  public nonisolated let contextSize: Int
  /// The model's token count.
  public nonisolated let vocabularySize: Int

  private let executor: InferenceExecutor
  private let chunkSize: Int
  private let pass: ForwardPass
  /// The tokens whose keys and values are in the cache.
  private var cached: [TokenID] = []
  /// Held weakly: a stream that nobody reads any more does not keep the engine busy.
  private weak var current: Generation?

  /// The engine's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// An engine with an empty cache.
  ///
  /// - Throws: `contextTooLarge`, `outOfMemory`, `threads`, `invalidOption`.
  package init(_ model: TransformerModel, _ options: EngineOptions) throws(InferenceError) {
    guard options.prefillChunk >= 1, options.prefillChunk <= 4096 else {
      throw .invalidOption(name: "prefill chunk", reason: "must be between 1 and 4096")
    }
    let trained = model.configuration.trainedContextSize
    let contextSize = options.contextSize ?? min(trained, EngineOptions.defaultContextLimit)
    pass = try ForwardPass(
      model, contextSize: contextSize, threads: options.threads ?? ProcessorCount.online,
      precision: options.precision)
    executor = InferenceExecutor()
    self.contextSize = contextSize
    chunkSize = min(options.prefillChunk, contextSize)
    vocabularySize = model.configuration.vocabularySize
  }

  /// Starts a generation; nothing is computed until its stream is read.
  ///
  /// Prompt and response together take at most `contextSize` tokens: a prompt of exactly that
  /// many is accepted and its response is empty, ended as `contextFull`.
  ///
  /// - Throws: `busy` while another stream is being read, `contextSizeExceeded` with both numbers
  ///   when the prompt alone does not fit, `invalidToken`, `invalidOption`.
  package func generate(_ request: GenerationRequest) throws(InferenceError) -> TokenStream {
    if let current, current.finish == nil { throw .busy }
    guard !request.prompt.isEmpty else {
      throw .invalidOption(name: "prompt", reason: "must hold at least one token")
    }
    guard request.prompt.count <= contextSize else {
      throw .contextSizeExceeded(contextSize: contextSize, tokenCount: request.prompt.count)
    }
    if let maximum = request.maximumTokens, maximum < 0 {
      throw .invalidOption(name: "maximum tokens", reason: "must be 0 or more")
    }
    for token in request.prompt where token < 0 || Int(token) >= vocabularySize {
      throw .invalidToken(id: Int(token), vocabularySize: vocabularySize)
    }
    let generation = Generation(
      request, try SamplerChain(request.sampling, vocabularySize: vocabularySize))
    current = generation
    return TokenStream(self, generation)
  }

  /// Forgets the cached conversation.
  package func reset() {
    cached = []
    pass.cache.truncate(to: 0)
  }

  /// Tokens whose keys and values are in the cache.
  package var cachedTokenCount: Int { cached.count }

  /// One prefill chunk (nil) or one token of the response; nil also at the end.
  func step(_ generation: Generation) throws(InferenceError) -> TokenID? {
    guard current === generation else {
      generation.end(.cancelled)
      return nil
    }
    do {
      return try advance(generation)
    } catch {
      generation.end(.cancelled)
      throw error
    }
  }

  private func advance(_ generation: Generation) throws(InferenceError) -> TokenID? {
    let request = generation.request
    let (produced, pending) = generation.state.withLock { ($0.metrics.responseTokens, $0.pending) }
    if produced >= request.maximumTokens ?? .max {
      generation.end(.tokenLimit)
      return nil
    }
    guard request.prompt.count + produced < contextSize else {
      generation.end(.contextFull)
      return nil
    }
    let clock = ContinuousClock()
    let start = clock.now
    if let pending {
      try run([pending], wanted: .last)
    } else {
      let isDone = try prefillChunk(of: generation)
      generation.state.withLock { $0.metrics.prefillTime += clock.now - start }
      guard isDone else { return nil }
    }
    let token = try sample(generation)
    if pending != nil {
      generation.state.withLock { $0.metrics.decodeTime += clock.now - start }
    }
    return token
  }

  /// Computes the next chunk of the prompt; true when its last token's logits are there.
  private func prefillChunk(of generation: Generation) throws(InferenceError) -> Bool {
    let prompt = generation.request.prompt
    // The last token is always computed: its logits are what the response starts from.
    let shared = min(zip(cached, prompt).prefix { $0 == $1 }.count, prompt.count - 1)
    if shared < cached.count {
      cached.removeLast(cached.count - shared)
      pass.cache.truncate(to: shared)
    }
    generation.state.withLock { state in
      if state.metrics.cachedTokens == nil { state.metrics.cachedTokens = shared }
    }
    let end = min(shared + chunkSize, prompt.count)
    let isLast = end == prompt.count
    try run(prompt[shared..<end], wanted: isLast ? .last : .none)
    return isLast
  }

  private func run(
    _ tokens: ArraySlice<TokenID>, wanted: LogitsWanted
  ) throws(InferenceError) {
    try pass.run(tokens.span, wanted: wanted)
    cached.append(contentsOf: tokens)
  }

  /// Draws the next token from the logits; nil when it ends the turn.
  private func sample(_ generation: Generation) throws(InferenceError) -> TokenID? {
    let position = cached.count
    var sampler = generation.state.withLock { $0.sampler }
    let token = try pass.withLogits(row: 0) { logits throws(InferenceError) in
      try sampler.sample(&logits, position: position)
    }
    let isEnd = generation.request.endTokens.contains(token)
    generation.state.withLock { state in
      state.sampler = sampler
      state.pending = token
      if isEnd {
        state.finish = state.finish ?? .endOfTurn
      } else {
        state.metrics.responseTokens += 1
      }
    }
    return isEnd ? nil : token
  }
}

/// How many processors this process may use.
package enum ProcessorCount {
  /// Processors that are online, at least 1.
  package static var online: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }
}
