import Foundation

/// Standard input, output and error of this process.
enum Console {
  /// Writes text at once, so that a reader sees each piece as it comes.
  static func write(_ text: String) { put(text, to: .standardOutput) }

  /// Writes one line to standard output.
  static func line(_ text: String) { put(text + "\n", to: .standardOutput) }

  /// Writes one line to standard error.
  static func note(_ text: String) { put(text + "\n", to: .standardError) }

  /// Writes to standard error without ending the line.
  static func status(_ text: String) { put(text, to: .standardError) }

  private static func put(_ text: String, to handle: FileHandle) {
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      // Nobody reads any more (a closed pipe, a full disk): going on would be work for nothing.
      exit(1)
    }
  }

  /// Whether a person sees standard error.
  static var hasTerminalForErrors: Bool { isatty(2) == 1 }

  /// Whether a person types into standard input.
  static var hasTerminalForInput: Bool { isatty(0) == 1 }
}

/// Lines of standard input as bytes, each of bounded length.
struct LineReader {
  /// Longest line that is read whole; a longer one is reported and passed over.
  static let longest = 64 << 20

  /// A line, or that it was too long.
  enum Line {
    case text(String)
    case tooLong
  }

  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  /// The next line without its end, nil at the end of input.
  ///
  /// Invalid UTF-8 is replaced.
  mutating func next() -> Line? {
    var line: [UInt8] = []
    var isTooLong = false
    while true {
      if position == buffer.count, !refill() {
        guard !line.isEmpty || isTooLong else { return nil }
        break
      }
      let rest = buffer[position...]
      let end = rest.firstIndex(of: 0x0A)
      let part = rest[..<(end ?? rest.endIndex)]
      position = end.map { $0 + 1 } ?? buffer.count
      if line.count + part.count > Self.longest {
        isTooLong = true
        line = []
      } else if !isTooLong {
        line += part
      }
      if end != nil { break }
    }
    if line.last == 0x0D { line.removeLast() }
    return isTooLong ? .tooLong : .text(String(decoding: line, as: UTF8.self))
  }

  private mutating func refill() -> Bool {
    guard !isAtEnd else { return false }
    let data = try? FileHandle.standardInput.read(upToCount: 1 << 16)
    buffer = data.map { [UInt8]($0) } ?? []
    position = 0
    isAtEnd = buffer.isEmpty
    return !isAtEnd
  }

  /// All of standard input as text.
  ///
  /// - Throws: `UsageError` when there is more than a line may have.
  static func all() throws(UsageError) -> String {
    var bytes: [UInt8] = []
    while let data = try? FileHandle.standardInput.read(upToCount: 1 << 16), !data.isEmpty {
      bytes += data
      guard bytes.count <= longest else {
        throw UsageError("standard input holds more than \(longest >> 20) MiB")
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
