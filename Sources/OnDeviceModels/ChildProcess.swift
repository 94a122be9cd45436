#if os(macOS) || os(Linux)
package import Foundation

/// Runs a program to its end without blocking a Swift thread, and never leaves it behind.
///
/// The program ends when the task is cancelled and also when this process dies, even by SIGKILL: a
/// small shell between the two reads a pipe that only this process holds open, and ends the
/// program and all it started once the pipe closes. The program gets no standard input.
package struct ChildProcess: Sendable {
  /// A name looked up on PATH, or a path.
  package var program: String
  package var arguments: [String]
  /// Added to the environment of this process.
  package var environment: [String: String]

  package init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
  }

  /// How a program ended.
  package struct Outcome: Sendable {
    /// Exit status; 128 + n where signal n ended the program, as shells report it.
    package var status: Int32
    /// The last 4 KiB of standard error.
    package var errorTail: String

    /// The last line of standard error that is not blank, or the status where there is none.
    package var reason: String {
      let lines = errorTail.split(whereSeparator: \.isNewline)
      let last = lines.last { !$0.allSatisfy(\.isWhitespace) }
      return last.map(String.init) ?? "exit status \(status)"
    }
  }

  /// Runs the program and waits for its end.
  ///
  /// - Parameter output: Where standard output goes; nil discards it.
  /// - Returns: How it ended; a status other than zero is not an error here.
  /// - Throws: `.toolMissing`, `.cancelled` (once the program is gone), or why it cannot start.
  package func run(output: FileHandle? = nil) async throws(ModelStoreError) -> Outcome {
    guard Self.isInstalled(program) else { throw .toolMissing(program) }
    if Task.isCancelled { throw .cancelled }
    let errors = try ScratchFile()
    let discarded = FileHandle.nullDevice
    let lifeline = try Lifeline()
    let command = ["/bin/sh", "-c", Self.guardian, "sh", program] + arguments
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let end = await withTaskCancellationHandler {
      await onOwnThread {
        SpawnedProcess.start(
          command, environment: variables, input: lifeline.readEnd,
          output: (output ?? discarded).fileDescriptor, error: errors.handle.fileDescriptor
        ).map { $0.waitForEnd() }
      }
    } onCancel: {
      lifeline.cut()
    }
    if Task.isCancelled { throw .cancelled }
    switch end {
    case .failure(let error): throw Files.fileSystemError(URL(filePath: "/bin/sh"), error)
    case .success(let status): return Outcome(status: status, errorTail: errors.tail(4096))
    }
  }

  /// Starts "$@" and passes its status on.
  ///
  /// When standard input closes, ends the whole process group: politely, then for good. The watcher
  /// that is left over when the program ends by itself is ended by `waitForEnd`.
  private static let guardian = """
    exec 3<&0 </dev/null
    "$@" 3<&- &
    program=$!
    trap '' TERM
    (read -r _ <&3; kill -TERM 0; sleep 2; kill -KILL 0) >/dev/null 2>&1 &
    exec 3<&-
    wait $program
    """

  /// Whether the program can be started.
  package static func isInstalled(_ program: String) -> Bool {
    if program.isEmpty { return false }
    if program.contains("/") { return FileManager.default.isExecutableFile(atPath: program) }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return path.split(separator: ":").contains { folder in
      FileManager.default.isExecutableFile(atPath: "\(folder)/\(program)")
    }
  }
}

/// A temporary file without a name: it is gone when it is closed, however this process ends.
struct ScratchFile {
  let handle: FileHandle

  init() throws(ModelStoreError) {
    let file = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    try Files.create(file)
    do {
      handle = try FileHandle(forUpdating: file)
      Files.closeOnExec(handle.fileDescriptor)
      try FileManager.default.removeItem(at: file)
    } catch {
      throw Files.fileSystemError(file, error)
    }
  }

  /// The last `count` bytes as text; empty if they cannot be read.
  func tail(_ count: Int) -> String {
    guard let end = try? handle.seekToEnd() else { return "" }
    try? handle.seek(toOffset: end - min(end, UInt64(count)))
    let bytes = (try? handle.read(upToCount: count)) ?? nil
    return String(decoding: bytes ?? Data(), as: UTF8.self)
  }
}
#endif
