internal import Synchronization

/// Hands elements from senders to one reader; a sender goes on when its element has been taken.
///
/// So there is never more than one element per sender waiting, however slow the reader is.
final class Handoff<Element: Sendable>: Sendable {
  private struct Waiting {
    let ticket: Int
    let element: Element
    var sender: CheckedContinuation<Void, Never>?
  }

  private struct State {
    var waiting: [Waiting] = []
    var lastTicket = 0
    var reader: CheckedContinuation<Element?, any Error>?
    var isUnwanted = false
    var end: Result<Void, any Error>?

    mutating func takeSenders() -> [CheckedContinuation<Void, Never>] {
      waiting.indices.compactMap { waiting[$0].sender.take() }
    }
  }

  private let state = Mutex(State())

  /// Gives an element and waits until it is taken.
  func send(_ element: Element) async {
    await untilTaken(enqueue(element))
  }

  /// Gives an element, which comes after all that were given before.
  ///
  /// - Returns: what to wait for, or nil where the element was taken at once or nobody wants it.
  func enqueue(_ element: Element) -> Int? {
    let (ticket, reader) = state.withLock { state in
      guard state.end == nil, !state.isUnwanted else { return (Int?.none, Reader?.none) }
      if let reader = state.reader.take() { return (nil, reader) }
      state.lastTicket += 1
      state.waiting.append(Waiting(ticket: state.lastTicket, element: element))
      return (state.lastTicket, nil)
    }
    reader?.resume(returning: element)
    return ticket
  }

  /// Waits until an element is taken, nothing more is wanted, or the task is cancelled.
  func untilTaken(_ ticket: Int?) async {
    guard let ticket else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { sender in
        let waits = state.withLock { state in
          guard !Task.isCancelled,
            let index = state.waiting.firstIndex(where: { $0.ticket == ticket })
          else { return false }
          state.waiting[index].sender = sender
          return true
        }
        if !waits { sender.resume() }
      }
    } onCancel: {
      let sender = state.withLock { state in
        state.waiting.firstIndex { $0.ticket == ticket }.flatMap { state.waiting[$0].sender.take() }
      }
      sender?.resume()
    }
  }

  /// Takes the next element, or nil at the end.
  ///
  /// - Throws: what the elements ended with; `LanguageModelSession.Error.concurrentRequests` when
  ///   somebody else is waiting for one.
  func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
    try await withCheckedThrowingContinuation { reader in
      let answer: (result: Result<Element?, any Error>, sender: Sender?)? = state.withLock {
        state in
        if !state.waiting.isEmpty {
          let first = state.waiting.removeFirst()
          return (.success(first.element), first.sender)
        }
        if let end = state.end { return (end.map { nil }, nil) }
        guard state.reader == nil else {
          return (.failure(LanguageModelSession.Error.concurrentRequests), nil)
        }
        state.reader = reader
        return nil
      }
      guard let answer else { return }
      answer.sender?.resume()
      reader.resume(with: answer.result)
    }
  }

  /// Ends the elements; those that wait can still be taken, and only the first end counts.
  func finish(_ end: Result<Void, any Error> = .success(())) {
    let (reader, senders) = state.withLock { state in
      guard state.end == nil else { return (Reader?.none, [Sender]()) }
      state.end = end
      return (state.reader.take(), state.takeSenders())
    }
    for sender in senders { sender.resume() }
    reader?.resume(with: end.map { nil })
  }

  /// Drops what waits and what is still sent; only the end is wanted.
  func discard() {
    let senders = state.withLock { state in
      state.isUnwanted = true
      defer { state.waiting = [] }
      return state.takeSenders()
    }
    for sender in senders { sender.resume() }
  }

  private typealias Sender = CheckedContinuation<Void, Never>
  private typealias Reader = CheckedContinuation<Element?, any Error>
}
