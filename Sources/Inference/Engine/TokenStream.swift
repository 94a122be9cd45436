public import ConstrainedDecoding
public import Tokenization

/// The tokens of one response, computed as they are asked for.
///
/// Each `next()` runs one step on the engine's thread, so a slow reader holds the engine back
/// and a reader that stops asking stops the work. Dropping the stream frees the engine. The task
/// that reads may be cancelled at any time: `next()` then throws `CancellationError` within one
/// token or one prefill chunk. One reader only.
public struct TokenStream: AsyncSequence, Sendable {
  /// One token of the response.
  public typealias Element = TokenID

  private let engine: InferenceEngine
  private let generation: Generation

  init(_ engine: InferenceEngine, _ generation: Generation) {
    self.engine = engine
    self.generation = generation
  }

  /// Why the response ended; nil while it goes on.
  public var finishReason: FinishReason? { generation.finish }

  /// How a response with a grammar came out; nil while it goes on, and without a grammar.
  public var outcome: GrammarOutcome? { generation.outcome }

  /// Tokens of the response before its guide holds; nil while it does not hold.
  package var guideStart: Int? { generation.guideStart }

  /// What the generation has cost so far.
  public var metrics: GenerationMetrics { generation.metrics }

  /// Ends the generation, for instance because a stop string was reached in the text.
  ///
  /// - Parameter reason: why; ignored when everything has been read already.
  public func finish(_ reason: FinishReason) { generation.end(reason) }

  /// The one reader of this stream.
  public func makeAsyncIterator() -> Iterator {
    Iterator(engine: engine, generation: generation)
  }

  /// Reads the stream token by token.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let engine: InferenceEngine
    fileprivate let generation: Generation

    /// The next token, nil at the end.
    ///
    /// - Throws: `CancellationError`, or `InferenceError` when a step fails.
    public mutating func next() async throws -> TokenID? {
      while !generation.isRead {
        guard !Task.isCancelled else {
          generation.end(.cancelled)
          throw CancellationError()
        }
        if let token = generation.take() { return token }
        try await engine.step(generation)
      }
      return nil
    }
  }
}
