internal import Synchronization

extension LanguageModelSession {
  /// A response while it is being generated, in snapshots of all that is there.
  ///
  /// The model is at most one step ahead of the reader. Leaving a loop early keeps what was read in
  /// the transcript; ``collect()`` or another loop goes on from there, unless the session has gone
  /// on to another request, which is allowed then. Once the stream and all of its iterators are
  /// gone, the work ends. Errors appear while reading.
  public struct ResponseStream<Content: Generable>: Sendable {
    let source: StreamSource

    init(_ source: StreamSource) { self.source = source }

    /// What there is of a response.
    public struct Snapshot {
      /// The response as a value with the parts that are there.
      public var content: Content.PartiallyGenerated
      /// The response as far as it is generated.
      public var rawContent: GeneratedContent
      /// What the request has added to the transcript behind its prompt.
      public var transcriptEntries: ArraySlice<Transcript.Entry>
      /// What the request has cost so far.
      public var usage: Usage

      init(_ state: ResponseState) throws {
        content = try Content.PartiallyGenerated(state.content)
        rawContent = state.content
        transcriptEntries = state.entries
        usage = state.usage
      }
    }
  }
}

extension LanguageModelSession.ResponseStream.Snapshot: Sendable
where Content.PartiallyGenerated: Sendable {}

extension LanguageModelSession.ResponseStream: AsyncSequence {
  /// What there is of a response.
  public typealias Element = Snapshot

  /// A reader of the response; one at a time.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: StreamReader(source)) }

  /// Reads the rest of the response.
  ///
  /// - Returns: the whole response, also if some or all of it was read before.
  /// - Throws: as reading does.
  public nonisolated(nonsending) func collect() async throws
    -> sending LanguageModelSession
    .Response<Content>
  {
    let reader = StreamReader(source)
    while try await reader.next() != nil {}
    return try await LanguageModelSession.Response(source.run.get().response())
  }

  /// Reads a response snapshot by snapshot.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: StreamReader
    private var isOver = false

    init(reader: StreamReader) { self.reader = reader }

    /// What there is of the response at the next change, or nil when it is whole.
    ///
    /// - Throws: `CancellationError`, and what ``LanguageModelSession/respond(to:options:)-(Prompt,_)``
    ///   throws.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Snapshot? {
      while !isOver {
        do {
          guard let state = try await reader.next(isolation: actor) else { break }
          if let snapshot = try Self.snapshot(state) { return snapshot }
        } catch {
          isOver = true
          throw error
        }
      }
      isOver = true
      return nil
    }

    /// Nil where what is there cannot be a value yet, such as half of the name of a case.
    private static func snapshot(_ state: ResponseState) throws -> Snapshot? {
      do {
        return try Snapshot(state)
      } catch  where !state.content.isComplete {
        return nil
      }
    }
  }
}

/// The request behind a stream; when it goes, nobody wants the response any more.
final class StreamSource: Sendable {
  let run: Result<ResponseRun, any Error>

  init(_ run: Result<ResponseRun, any Error>) { self.run = run }

  deinit {
    if case .success(let run) = run { run.abandon() }
  }
}

/// Reads a response; when it goes, nobody reads, though somebody may again.
final class StreamReader: Sendable {
  private let source: StreamSource

  init(_ source: StreamSource) {
    self.source = source
    if case .success(let run) = source.run { run.attach() }
  }

  deinit {
    if case .success(let run) = source.run { run.detach() }
  }

  func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> ResponseState? {
    try await source.run.get().nextSnapshot(isolation: actor)
  }
}
