internal import Dispatch
internal import Foundation
internal import Synchronization

/// Runs an actor's jobs one after another on a thread of its own.
///
/// A forward pass computes for seconds; on Swift's cooperative pool it would keep other tasks
/// from running. The thread ends when the executor is released.
package final class InferenceExecutor: SerialExecutor {
  private let queue: JobQueue

  /// Starts the thread.
  package init() {
    queue = JobQueue()
    queue.start()
  }

  deinit { queue.stop() }

  package func enqueue(_ job: consuming ExecutorJob) {
    unsafe queue.add(UnownedJob(job), on: asUnownedSerialExecutor())
  }
}

/// What the executor and its thread share; the thread keeps it alive until it ends.
private final class JobQueue: Sendable {
  @safe
  private struct State {
    var jobs: [(UnownedJob, UnownedSerialExecutor)] = unsafe []
    var isStopped = false
  }

  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)

  func add(_ job: UnownedJob, on executor: UnownedSerialExecutor) {
    state.withLock { unsafe $0.jobs.append((job, executor)) }
    wakeUp.signal()
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    wakeUp.signal()
  }

  func start() {
    let thread = Thread { self.run() }
    // The usual size of a main thread: a forward pass goes deep in C.
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func run() {
    while true {
      wakeUp.wait()
      // Jobs still waiting at the end are run: their actor needs them to finish.
      let (jobs, isStopped) = unsafe state.withLock { state in
        let jobs = unsafe state.jobs
        unsafe state.jobs = []
        return unsafe (jobs, state.isStopped)
      }
      for unsafe(job, executor) in unsafe jobs { unsafe job.runSynchronously(on: executor) }
      if unsafe isStopped && jobs.isEmpty { return }
      if isStopped { wakeUp.signal() }
    }
  }
}
