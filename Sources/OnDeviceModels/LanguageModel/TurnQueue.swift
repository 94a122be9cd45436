internal import Synchronization

/// Lets those who want to use one engine do so one after another, in the order in which they came.
///
/// A holder whose reader is slow pauses its turn while it waits for the reader. If somebody else
/// waits then for a tenth of a second, the turn goes on to them, so that a reader who stopped, or
/// who waits for another response of the same model itself, never blocks anybody.
package final class TurnQueue: Sendable {
  private typealias Waiting = CheckedContinuation<Void, any Error>

  private struct State {
    /// The places in order; the first one has the turn.
    var places: [Int] = []
    var lastPlace = 0
    var waiting: [Int: Waiting] = [:]
    /// Places that need no turn now.
    var paused: Set<Int> = []
    var pausedSince: ContinuousClock.Instant?
    var hasTimer = false

    /// Whether the turn could go to somebody who wants it more.
    var isBlocked: Bool {
      guard let first = places.first, paused.contains(first) else { return false }
      return places.contains { !paused.contains($0) }
    }

    /// Whether a timer is to be started now, which then counts as started.
    mutating func startTimer() -> Bool {
      guard !hasTimer, isBlocked else { return false }
      hasTimer = true
      return true
    }

    /// Gives the turn to the first who wants it, and tells whom to wake.
    mutating func passOn() -> Waiting? {
      if let next = places.firstIndex(where: { !paused.contains($0) }), next > 0 {
        places.insert(places.remove(at: next), at: 0)
      }
      return places.first.flatMap { waiting.removeValue(forKey: $0) }
    }
  }

  private static let patience = Duration.milliseconds(100)
  private let state = Mutex(State())

  /// How many have a place.
  package var count: Int { state.withLock { $0.places.count } }

  package init() {}

  /// A place in the queue, at its end.
  package func enter() -> Place {
    let (id, needsTimer) = state.withLock { state in
      state.lastPlace += 1
      state.places.append(state.lastPlace)
      return (state.lastPlace, state.startTimer())
    }
    if needsTimer { startTimer() }
    return Place(queue: self, id: id)
  }

  /// A place in the queue, until it is left or dropped.
  package final class Place: Sendable {
    private let queue: TurnQueue
    private let id: Int

    fileprivate init(queue: TurnQueue, id: Int) {
      self.queue = queue
      self.id = id
    }

    deinit { leave() }

    /// Returns when it is this place's turn.
    ///
    /// - Throws: `CancellationError`.
    package func wait() async throws { try await queue.wait(id) }

    /// Gives up the place; the next one has its turn.
    package func leave() { queue.leave(id) }

    /// Does something that may take long and needs no turn, and waits for the turn after it.
    ///
    /// - Throws: `CancellationError`.
    package nonisolated(nonsending) func pausing(
      _ body: nonisolated(nonsending) () async -> Void
    ) async throws {
      queue.pause(id)
      await body()
      try await queue.resume(id)
    }
  }

  private func wait(_ id: Int) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: Waiting) in
        let result: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.places.first == id { return .success(()) }
          state.waiting[id] = continuation
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }
  }

  private func leave(_ id: Int) {
    let next = state.withLock { state -> Waiting? in
      guard let index = state.places.firstIndex(of: id) else { return nil }
      state.places.remove(at: index)
      state.paused.remove(id)
      return index == 0 ? state.passOn() : nil
    }
    next?.resume()
  }

  private func pause(_ id: Int) {
    let needsTimer = state.withLock { state in
      state.paused.insert(id)
      if state.places.first == id { state.pausedSince = .now }
      return state.startTimer()
    }
    if needsTimer { startTimer() }
  }

  private func resume(_ id: Int) async throws {
    let (hasTurn, needsTimer) = state.withLock { state in
      state.paused.remove(id)
      return (state.places.first == id, state.startTimer())
    }
    if needsTimer { startTimer() }
    if !hasTurn { try await wait(id) }
  }

  private func startTimer() {
    Task { [weak self] in
      try? await Task.sleep(for: Self.patience)
      self?.timerFired()
    }
  }

  private func timerFired() {
    let (next, goesOn) = state.withLock { state in
      state.hasTimer = false
      guard state.isBlocked else { return (Waiting?.none, false) }
      // A holder that has gone on and paused again since is given its time anew.
      let isDue = state.pausedSince.map { ContinuousClock.now - $0 >= Self.patience } ?? true
      return (isDue ? state.passOn() : nil, state.startTimer())
    }
    next?.resume()
    if goesOn { startTimer() }
  }
}
