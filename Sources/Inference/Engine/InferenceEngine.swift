internal import ConstrainedDecoding
internal import Foundation
internal import Tokenization

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
  /// What keys and values of the tokens seen are kept in.
  public var keyValueType: KeyValueType

  /// The defaults suit one conversation on an otherwise idle machine.
  public init(
    contextSize: Int? = nil, threads: Int? = nil, prefillChunk: Int = 256,
    precision: MatmulPrecision = .quantized, weightLayout: WeightLayout = .interleaved,
    keyValueType: KeyValueType = .float16
  ) {
    self.contextSize = contextSize
    self.threads = threads
    self.prefillChunk = prefillChunk
    self.precision = precision
    self.weightLayout = weightLayout
    self.keyValueType = keyValueType
  }

  /// The context size that is used unless one is asked for: bounded, because a model that was
  /// trained on 131,072 tokens would otherwise take gigabytes for its cache.
  package static let defaultContextLimit = 4096
}

/// Turns prompts into tokens on a thread of its own, one generation at a time unless they may
/// interleave.
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
  /// The last one begun; held weakly: a stream that nobody reads any more does not keep the engine
  /// busy.
  private weak var current: Generation?
  /// The one that the cache was last used for.
  private weak var cacheUser: Generation?

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
      precision: options.precision, keyValueType: options.keyValueType)
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
  /// - Throws: `busy` while another stream is being read and they may not interleave,
  ///   `contextSizeExceeded` with both numbers when the prompt alone does not fit,
  ///   `invalidToken`, `invalidOption`.
  package func generate(_ request: GenerationRequest) throws(InferenceError) -> TokenStream {
    if let current, current.finish == nil, !request.mayInterleave { throw .busy }
    guard !request.prompt.isEmpty else {
      throw .invalidOption(name: "prompt", reason: "must hold at least one token")
    }
    guard request.prompt.count <= contextSize else {
      throw .contextSizeExceeded(contextSize: contextSize, tokenCount: request.prompt.count)
    }
    if let maximum = request.maximumTokens, maximum < 0 {
      throw .invalidOption(name: "maximum tokens", reason: "must be 0 or more")
    }
    if let limit = request.timeLimit, limit < .zero {
      throw .invalidOption(name: "time limit", reason: "must not be negative")
    }
    for token in request.prompt where token < 0 || Int(token) >= vocabularySize {
      throw .invalidToken(id: Int(token), vocabularySize: vocabularySize)
    }
    if let guide = request.guide { try check(guide) }
    let sampler = try SamplerChain(request.sampling, vocabularySize: vocabularySize)
    let run = Run(request, sampler, contextSize: contextSize)
    let generation = Generation(request, run, seed: sampler.seed)
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

  /// Bytes that the cache takes when it is full.
  package var keyValueCacheBytes: Int { pass.cache.bytes }

  /// Computes one chunk of tokens, and chooses the next token if their last one is among them.
  func step(_ generation: Generation) throws(InferenceError) {
    // Moved out and back, so that it is changed in place.
    guard var run = generation.takeRun() else { return generation.end(.cancelled) }
    defer { generation.putBack(run) }
    do {
      try advance(&run, generation)
    } catch {
      generation.end(.cancelled)
      throw error
    }
  }

  private func advance(_ run: inout Run, _ generation: Generation) throws(InferenceError) {
    let start = ContinuousClock.now
    if !run.hasBegun {
      run.hasBegun = true
      // The reader gets what is certain before the prompt is computed.
      if try run.addForced(generation) { return }
    }
    let plan = try run.plan(generation)
    if case .ended = plan { return }
    if cacheUser !== generation { share(run.tokens, generation) }
    let isPrompt = cached.count < generation.request.prompt.count
    if try computeChunk(of: run.tokens) {
      try pass.withLogits(row: 0) { logits throws(InferenceError) in
        try run.choose(from: &logits, plan, position: cached.count, generation)
      }
    }
    let time = ContinuousClock.now - start
    generation.count { metrics in
      if isPrompt { metrics.prefillTime += time } else { metrics.decodeTime += time }
    }
  }

  /// Keeps what the cache holds of `tokens`, all but the last: its logits are to be computed.
  private func share(_ tokens: [TokenID], _ generation: Generation) {
    let shared = min(zip(cached, tokens).prefix { $0 == $1 }.count, tokens.count - 1)
    if shared < cached.count {
      cached.removeLast(cached.count - shared)
      pass.cache.truncate(to: shared)
    }
    cacheUser = generation
    generation.count { metrics in
      if metrics.cachedTokens == nil { metrics.cachedTokens = min(shared, metrics.promptTokens) }
    }
  }

  /// Computes the next chunk of `tokens`; true when the last one's logits are there.
  private func computeChunk(of tokens: [TokenID]) throws(InferenceError) -> Bool {
    let chunk = tokens[cached.count..<min(cached.count + chunkSize, tokens.count)]
    let isLast = chunk.endIndex == tokens.count
    try pass.run(chunk.span, wanted: isLast ? .last : .none)
    cached.append(contentsOf: chunk)
    return isLast
  }

  private func check(_ guide: GrammarGuide) throws(InferenceError) {
    let count = guide.grammar.table.tokenCount
    guard count == guide.tokenizer.vocabulary.count, count <= vocabularySize else {
      throw .invalidOption(
        name: "grammar", reason: "is compiled for another vocabulary, of \(count) tokens")
    }
  }
}

/// How many processors this process may use.
package enum ProcessorCount {
  /// Processors that are online, at least 1.
  package static var online: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }
}
