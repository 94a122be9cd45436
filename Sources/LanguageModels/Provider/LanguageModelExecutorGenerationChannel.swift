/// Takes what an executor generates, piece by piece.
///
/// Sending waits while the reader of the response is behind by one piece, so an executor never
/// runs far ahead, and goes on when the task is cancelled.
public struct LanguageModelExecutorGenerationChannel: Sendable {
  private enum Destination {
    case response(ResponseRun)
    case reader(Handoff<Event>)
  }

  private let destination: Destination

  init(_ run: ResponseRun) { destination = .response(run) }

  /// A channel of its own, to read what an executor sends; sessions make theirs themselves.
  public init() { destination = .reader(Handoff()) }

  /// Takes one event; returns when there is need of the next one.
  public nonisolated(nonsending) func send(_ event: Event) async {
    switch destination {
    case .response(let run): await run.receive(event)
    case .reader(let events): await events.send(event)
    }
  }

  /// Says that nothing more will be sent, so that reading the channel ends.
  public func finish() {
    if case .reader(let events) = destination { events.finish() }
  }
}

extension LanguageModelExecutorGenerationChannel: AsyncSequence {
  /// One piece of what an executor generates.
  public typealias Element = Event

  /// Reads a channel that was made with ``init()``; that of a session has nothing to read.
  public func makeAsyncIterator() -> AsyncIterator {
    switch destination {
    case .response: AsyncIterator(events: nil)
    case .reader(let events): AsyncIterator(events: events)
    }
  }

  /// Reads a channel event by event.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let events: Handoff<Event>?

    /// The next event, or nil at the end or when the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Event? {
      guard let events else { return nil }
      return try await withTaskCancellationHandler {
        try await events.next(isolation: actor)
      } onCancel: {
        events.finish()
      }
    }
  }
}
