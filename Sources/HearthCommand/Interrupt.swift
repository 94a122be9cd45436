import Foundation
import Synchronization

/// What Ctrl-C and requests to terminate do: end the process, or what is going on.
///
/// One set of signal sources serves the whole process, since the system's library installs its
/// handlers for the first ones only. They are never changed after they are made and deliver to a queue
/// of their own; the rest is behind a lock, so the class is safe to share.
final class Interrupt: @unchecked Sendable {
  private struct State {
    var action: (@Sendable () -> Void)?
    /// The signal that has cancelled what is going on.
    var received: Int32?
  }

  private static let shared = Interrupt()

  private let state = Mutex(State())
  private var sources: [any DispatchSourceSignal] = []

  private init() {
    let registration = DispatchGroup()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let previous = signal(number, SIG_IGN)
      // Whoever started the process wants it to outlive the terminal (`nohup`).
      if number == SIGHUP, unsafe unsafeBitCast(previous, to: Int.self) == Self.ignored { continue }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [unowned self] in receive(number) }
      registration.enter()
      source.setRegistrationHandler { registration.leave() }
      source.resume()
      sources.append(source)
    }
    // The system's library installs its handlers on another thread; until then signals are ignored.
    registration.wait()
  }

  /// `SIG_IGN` as a number, since functions cannot be compared.
  private static let ignored = 1

  /// The first signal cancels what is going on, which then cleans up; another one ends the process.
  private func receive(_ number: Int32) {
    let current = state.withLock { state in
      defer { state.action = nil }
      if state.action != nil { state.received = number }
      return state.action
    }
    guard let current else { exit(Self.status(of: number)) }
    current()
  }

  /// The exit status after a signal, as shells report it.
  static func status(of signal: Int32) -> Int32 { 128 + signal }

  /// Begins to listen, before work is begun that signals shall cancel: one that came between would be
  /// lost.
  static func prepare() { _ = shared }

  /// Waits for `work`; Ctrl-C meanwhile cancels it, a second one ends the process.
  ///
  /// - Throws: where `work` was cancelled and has cleaned up: `CancellationError` after Ctrl-C,
  ///   `Terminated` after another signal, also if the work was done by then. Else what `work` throws.
  static func cancelling<T: Sendable>(_ work: Task<T, any Error>) async throws -> T {
    shared.state.withLock { state in
      state.action = { work.cancel() }
      state.received = nil
    }
    let result = await work.result
    let received = shared.state.withLock { state in
      state.action = nil
      return state.received
    }
    if let received, received != SIGINT { throw Terminated(signal: received) }
    if received != nil, case .failure = result { throw CancellationError() }
    return try result.get()
  }
}

/// The process was asked to end by a signal.
struct Terminated: Error, CustomStringConvertible {
  let signal: Int32

  var description: String { "ended by \(signal == SIGHUP ? "SIGHUP" : "SIGTERM")" }
}
