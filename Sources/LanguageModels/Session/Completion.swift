internal import Synchronization

/// The end of something, for which any number of tasks can wait.
final class Completion: Sendable {
  private struct State {
    var isReached = false
    var lastTicket = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// Lets all go on who wait, and all who come.
  func reach() {
    let waiting = state.withLock { state in
      state.isReached = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume() }
  }

  /// An end that is reached already.
  static var reached: Completion {
    let completion = Completion()
    completion.reach()
    return completion
  }

  /// Lets all go on as soon as another end is reached, which may be now.
  func reach(after other: Completion) {
    if other.state.withLock({ $0.isReached }) { return reach() }
    Task {
      await other.wait()
      reach()
    }
  }

  /// Returns at the end, or when the task is cancelled.
  func wait() async {
    let ticket = state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard !state.isReached, !Task.isCancelled else { return false }
          state.waiting[ticket] = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }
  }
}
