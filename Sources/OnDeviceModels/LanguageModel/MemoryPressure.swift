internal import Dispatch
internal import Foundation

/// Tells when the system runs short of memory.
///
/// Apple's systems say so by themselves. Linux is asked every few seconds, and only while a model
/// is loaded: whether tasks stall for want of memory (`/proc/pressure/memory`) or hardly any is
/// available.
package struct MemoryPressure: Sendable {
  /// Time between two looks.
  private let interval: Duration
  private let isShort: @Sendable () -> Bool

  /// A source that is asked now and then.
  ///
  /// - Parameters:
  ///   - interval: the time between two looks.
  ///   - isShort: whether memory is short now.
  package init(every interval: Duration, isShort: @escaping @Sendable () -> Bool) {
    self.interval = interval
    self.isShort = isShort
  }

  /// This machine.
  package static let system = MemoryPressure(every: .seconds(5)) {
    #if canImport(Darwin)
    false
    #else
    let text = try? String(contentsOfFile: "/proc/pressure/memory", encoding: .utf8)
    return MachineMemory.current.isShort || isStalling(text ?? "")
    #endif
  }

  /// Calls `action` whenever memory is short, until `isNeeded` says that nobody wants it any more.
  func watch(
    while isNeeded: @Sendable () -> Bool, _ action: @escaping @Sendable () -> Void
  ) async {
    #if canImport(Darwin)
    let source = DispatchSource.makeMemoryPressureSource(
      eventMask: [.warning, .critical], queue: .global())
    source.setEventHandler(handler: action)
    source.activate()
    defer { source.cancel() }
    #endif
    while isNeeded() {
      guard (try? await Task.sleep(for: interval)) != nil else { return }
      if isShort() { action() }
    }
  }

  /// The share of time, in percent, that some task has stalled for want of memory.
  static let stallLimit = 20.0

  /// Whether the text of `/proc/pressure/memory` tells of stalls in the last ten seconds.
  package static func isStalling(_ text: String) -> Bool {
    for line in text.split(separator: "\n") where line.hasPrefix("some ") {
      for field in line.split(separator: " ") where field.hasPrefix("avg10=") {
        return Double(field.dropFirst("avg10=".count)).map { $0 >= stallLimit } ?? false
      }
    }
    return false
  }
}
