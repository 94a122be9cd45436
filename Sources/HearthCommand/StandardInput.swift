import Foundation
import GGUF

/// Standard input, read as it comes.
enum StandardInput {
  /// Bytes of one line, or of a prompt, at most.
  static let longest = 16 << 20

  /// What is there now, waiting for at least one byte; empty at the end.
  ///
  /// - Throws: `InputError` when it cannot be read: closed, or a folder.
  static func some() throws(InputError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe read(0, bytes.baseAddress, bytes.count)
      }
      if count >= 0 { return Array(buffer[..<count]) }
      guard errno == EINTR else { throw InputError(code: errno) }
    }
  }

  /// All of it as text.
  ///
  /// - Throws: `InputError` when it cannot be read, `UsageError` when there is too much,
  ///   `UTF8Error`.
  static func all() throws -> String {
    var bytes: [UInt8] = []
    while true {
      let more = try some()
      if more.isEmpty {
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw UTF8Error(in: bytes, what: "standard input")
        }
        return text
      }
      bytes += more
      guard bytes.count <= longest else {
        throw UsageError("standard input holds more than \(longest >> 20) MiB")
      }
    }
  }
}

/// Standard input cannot be read.
struct InputError: Error, CustomStringConvertible {
  let code: Int32

  var description: String {
    "cannot read standard input: \(FileProblem.text(code))"
  }
}

/// Text that is no UTF-8.
///
/// What stood there cannot be guessed, and a span of what is guessed would be no copy.
struct UTF8Error: Error, CustomStringConvertible {
  let what: String
  /// Where the first byte is that cannot stand there.
  let offset: Int

  init(in bytes: [UInt8], what: String) {
    self.what = what
    let repaired = String(decoding: bytes, as: UTF8.self).utf8
    offset = zip(bytes, repaired).prefix { $0 == $1 }.count
  }

  var description: String { "\(what) is not UTF-8 text: see byte \(offset)" }
}

/// Lines of standard input, each of bounded length, as soon as they are complete.
struct LineReader {
  /// A line, or that it was too long.
  enum Line {
    case text(String)
    case tooLong
    case invalid(UTF8Error)
  }

  private var buffer: [UInt8] = []
  private var position = 0

  /// The next line without its end, nil at the end of input.
  ///
  /// - Throws: `InputError` when standard input cannot be read.
  mutating func next() throws(InputError) -> Line? {
    var line: [UInt8] = []
    var isTooLong = false
    while true {
      if position == buffer.count {
        buffer = try StandardInput.some()
        position = 0
        if buffer.isEmpty {
          guard !line.isEmpty || isTooLong else { return nil }
          break
        }
      }
      let rest = buffer[position...]
      let end = rest.firstIndex(of: 0x0A)
      let part = rest[..<(end ?? rest.endIndex)]
      position = end.map { $0 + 1 } ?? buffer.count
      if line.count + part.count > StandardInput.longest {
        isTooLong = true
        line = []
      } else if !isTooLong {
        line += part
      }
      if end != nil { break }
    }
    if line.last == 0x0D { line.removeLast() }
    if isTooLong { return .tooLong }
    guard let text = String(validating: line, as: UTF8.self) else {
      return .invalid(UTF8Error(in: line, what: "the line"))
    }
    return .text(text)
  }
}
