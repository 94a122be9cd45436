import Foundation

/// The most memory that this process has had, pages of mapped files included.
enum PeakMemory {
  /// - Throws: `RequestError` where the system does not say.
  static func bytes() throws -> Double {
    #if os(Linux)
    // Not getrusage(2): what it reports includes the program that started this one.
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
      let number = Double(kilobytes)
    else { throw RequestError("the system does not report peak memory") }
    return number * 1024
    #else
    var usage = rusage()
    guard unsafe getrusage(RUSAGE_SELF, &usage) == 0 else {
      throw RequestError("the system does not report peak memory")
    }
    return Double(usage.ru_maxrss)
    #endif
  }
}
