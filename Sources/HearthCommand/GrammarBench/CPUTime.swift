import Foundation

/// CPU time, which other programs on the machine do not lengthen by running.
enum CPUTime {
  /// Seconds of the calling thread so far.
  static var seconds: Double { read(CLOCK_THREAD_CPUTIME_ID) }

  /// Seconds of all threads of this process so far.
  static var ofProcess: Double { read(CLOCK_PROCESS_CPUTIME_ID) }

  /// Runs `body` and says how many seconds of its thread it took.
  static func measure<R>(_ body: () throws -> R) rethrows -> (result: R, seconds: Double) {
    let start = seconds
    let result = try body()
    return (result, seconds - start)
  }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
