public import ConstrainedDecoding
public import Inference
internal import Synchronization
internal import Tokenization

/// The text of one response, piece by piece as it is computed.
///
/// Pieces are whole characters; text that may turn out to begin a stop string is held back until
/// that is decided. Reading drives the model: see `TokenStream` for back-pressure, cancellation
/// and dropping. One reader only.
public struct TextStream: AsyncSequence, Sendable {
  /// A piece of the text.
  public typealias Element = String

  private let tokens: TokenStream
  private let detokenizer: Detokenizer
  private let stopStrings: [String]
  private let promptUsage: ContextUsage
  private let progress: Progress

  init(
    _ tokens: TokenStream, _ detokenizer: Detokenizer, stopStrings: [String], usage: ContextUsage,
    onFinish: @escaping @Sendable (String, FinishReason) -> Void = { _, _ in }
  ) {
    self.tokens = tokens
    self.detokenizer = detokenizer
    self.stopStrings = stopStrings
    promptUsage = usage
    progress = Progress(onFinish)
  }

  /// The text so far.
  public var text: String { progress.text.withLock { $0 } }

  /// Why the response ended; nil while it goes on.
  public var finishReason: FinishReason? { tokens.finishReason }

  /// Whether the response is whole; nil while it goes on, and when it was cancelled.
  ///
  /// With a grammar: whether the text is a whole text of it, also where a limit had it closed early.
  /// Without one: whether the model ended by itself or at a stop string.
  public var outcome: GrammarOutcome? {
    switch finishReason {
    case nil, .cancelled: nil
    case .endOfTurn, .stopString: tokens.outcome ?? .complete
    case .tokenLimit, .timeLimit, .contextFull, .noLegalToken: tokens.outcome ?? .truncated
    }
  }

  /// What the response has cost so far, and the seed that reproduces it.
  public var metrics: GenerationMetrics { tokens.metrics }

  /// How the context window is filled now.
  public var usage: ContextUsage {
    var usage = promptUsage
    usage.response = tokens.metrics.responseTokens
    return usage
  }

  /// Reads the rest of the stream.
  ///
  /// - Returns: the whole text.
  /// - Throws: as the stream does.
  @discardableResult
  public func collect() async throws -> String {
    for try await _ in self {}
    return text
  }

  /// Reads the rest of the stream, and says whether it is whole.
  ///
  /// - Returns: the whole text and its outcome.
  /// - Throws: as the stream does.
  public func guided() async throws -> GuidedResponse {
    let text = try await collect()
    return GuidedResponse(text: text, outcome: outcome ?? .truncated)
  }

  /// The one reader of this stream.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      tokens: tokens.makeAsyncIterator(), stream: tokens, detokenizer: detokenizer,
      stopStrings: stopStrings, progress: progress)
  }

  /// Reads the stream piece by piece.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var tokens: TokenStream.Iterator
    fileprivate let stream: TokenStream
    fileprivate var detokenizer: Detokenizer
    fileprivate let stopStrings: [String]
    fileprivate let progress: Progress
    fileprivate var isFinished = false

    /// The next piece, never empty; nil at the end.
    ///
    /// - Throws: `CancellationError`, or `InferenceError` when a step fails.
    public mutating func next() async throws -> String? {
      while !isFinished {
        var piece: String
        do {
          if let token = try await tokens.next() {
            piece = detokenizer.append(token)
            if let index = detokenizer.stopIndex {
              stream.finish(.stopString(stopStrings[index]))
              isFinished = true
            }
          } else {
            piece = detokenizer.finish()
            isFinished = true
          }
        } catch {
          isFinished = true
          progress.finish(stream.finishReason ?? .cancelled)
          throw error
        }
        if !piece.isEmpty { progress.text.withLock { $0 += piece } }
        if isFinished { progress.finish(stream.finishReason ?? .cancelled) }
        if !piece.isEmpty { return piece }
      }
      return nil
    }
  }
}

/// What the copies of one stream share.
private final class Progress: Sendable {
  let text = Mutex("")
  private let onFinish: @Sendable (String, FinishReason) -> Void

  init(_ onFinish: @escaping @Sendable (String, FinishReason) -> Void) { self.onFinish = onFinish }

  func finish(_ reason: FinishReason) { onFinish(text.withLock { $0 }, reason) }
}
