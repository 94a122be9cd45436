internal import Foundation
internal import GGUF
internal import Synchronization

/// Runs work of seconds on a thread of its own, never on one of Swift's pool.
///
/// - Parameter work: is given a question that is true from the moment the task is cancelled.
/// - Throws: what `work` throws, and `CancellationError` in place of `QuantizationError.cancelled`.
func onOwnThread(
  _ work: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Void
) async throws {
  let flag = CancellationFlag()
  let result = await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Result { try work { flag.isSet } })
      }
    }
  } onCancel: {
    flag.set()
  }
  do {
    try result.get()
  } catch QuantizationError.cancelled {
    throw CancellationError()
  } catch let error as GGUFError {
    throw QuantizationError.file(error)
  }
}

/// Says from one thread to another that work is not wanted any more.
private final class CancellationFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}
