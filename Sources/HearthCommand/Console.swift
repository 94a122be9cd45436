import Foundation

/// Standard output and error of this process.
enum Console {
  /// Writes text at once, so that a reader sees each piece as it comes.
  static func write(_ text: String) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      // Nobody reads any more or the disk is full: going on would be work for nothing.
      note("hearth: cannot write the output: \(error.localizedDescription)")
      exit(1)
    }
  }

  /// Writes one line to standard output, with control characters of a file's texts made visible.
  static func line(_ text: String) { write(visible(text) + "\n") }

  /// Writes one line of data to standard output as it is.
  static func data(_ text: String) { write(text + "\n") }

  /// Writes one message to standard error, with control characters of a file's texts made visible.
  static func note(_ text: String) {
    let shown = visible(text)
    status((shown.count > longestNote ? shown.prefix(longestNote) + "…" : shown) + "\n")
  }

  /// Writes to standard error as it is; that nobody reads it is no reason to stop.
  static func status(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Characters of one message at most; a file may hold texts of any length.
  private static let longestNote = 8192

  /// Escapes what could move the cursor, change the terminal or reorder the text.
  private static func visible(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0A, 0x09: result.append(scalar)
      case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069:
        result.append(contentsOf: scalar.escaped(asASCII: true).unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Whether a person sees standard error.
  static var hasTerminalForErrors: Bool { isatty(2) == 1 }

  /// Whether a person types into standard input.
  static var hasTerminalForInput: Bool { isatty(0) == 1 }
}
