import Foundation
import Synchronization

/// What Ctrl-C does: ends the process, or what is going on.
///
/// One signal source serves the whole process, since the system's library installs its handler for
/// the first one only. It is never changed after it is made and delivers to a queue of its own;
/// the action is behind a lock, so the class is safe to share.
final class Interrupt: @unchecked Sendable {
  private static let shared = Interrupt()

  private let action = Mutex<(@Sendable () -> Void)?>(nil)
  private let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())

  private init() {
    source.setEventHandler { [unowned self] in
      let current = action.withLock { action in
        defer { action = nil }
        return action
      }
      guard let current else { exit(130) }
      current()
    }
    source.resume()
    // The source sees the signal all the same; without this it would end the process first.
    signal(SIGINT, SIG_IGN)
  }

  /// Waits for `work`; Ctrl-C meanwhile cancels it, a second one ends the process.
  static func cancelling<T: Sendable>(_ work: Task<T, any Error>) async throws -> T {
    shared.action.withLock { $0 = { work.cancel() } }
    defer { shared.action.withLock { $0 = nil } }
    return try await work.value
  }
}
