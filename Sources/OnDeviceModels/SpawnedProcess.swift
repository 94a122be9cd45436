#if os(macOS) || os(Linux)
internal import Foundation
internal import Synchronization

/// A child in a process group of its own.
///
/// Not Foundation's `Process`: on Linux its child keeps the signal mask of the calling thread (the
/// threads of Dispatch block most signals, so a shell's `wait` never returns and SIGTERM is not
/// seen), and its end is noticed only when every process that inherited a certain socket ended.
struct SpawnedProcess {
  private let id: pid_t

  /// Starts a program with nothing but these three files open, as far as files are close-on-exec.
  ///
  /// - Parameters:
  ///   - command: The path of the program and its arguments.
  ///   - environment: All of its variables.
  ///   - input: Its standard input, a file descriptor.
  ///   - output: Its standard output.
  ///   - error: Its standard error.
  /// - Returns: The running child, or why there is none.
  static func start(
    _ command: [String], environment: [String: String], input: Int32, output: Int32, error: Int32
  ) -> Result<SpawnedProcess, POSIXError> {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (source, target) in [(input, 0), (output, 1), (error, 2)] as [(Int32, Int32)] {
      unsafe posix_spawn_file_actions_adddup2(&actions, source, target)
    }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    configure(&attributes)

    var id: pid_t = 0
    let variables = environment.map { "\($0)=\($1)" }
    let code = unsafe withCStrings(command) { arguments in
      unsafe withCStrings(variables) { variables in
        unsafe posix_spawn(&id, command[0], &actions, &attributes, arguments, variables)
      }
    }
    guard code == 0 else { return .failure(POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)) }
    return .success(SpawnedProcess(id: id))
  }

  /// A process group of its own, no blocked signals, default reactions to all common ones.
  private static func configure(_ attributes: inout Attributes) {
    var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    #if canImport(Darwin)
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    var none = sigset_t()
    unsafe sigemptyset(&none)
    var defaults = none
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD] {
      unsafe sigaddset(&defaults, signal)
    }
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
  }

  #if canImport(Darwin)
  private typealias Attributes = posix_spawnattr_t?
  #else
  private typealias Attributes = posix_spawnattr_t
  #endif

  /// Blocks until the program ends, ends what it left running, and returns its status as shells
  /// report it: 128 + n after signal n.
  func waitForEnd() -> Int32 {
    // Until it is reaped no other process can get its id, so the group is killed before that.
    var info = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    _ = kill(-id, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) == -1 {
      if errno != EINTR { return 255 }  // someone else reaped it
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// Calls `body` with a null-terminated array of C strings that live for the call.
  private static func withCStrings(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var pointers = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe pointers.forEach { unsafe free($0) } }
    unsafe pointers.append(nil)
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return EINVAL }
      return unsafe body(start)
    }
  }
}

/// A pipe whose only writing end is in this process; it closes with `cut`, with the last
/// reference, or with the process.
final class Lifeline: Sendable {
  /// File descriptor for the child.
  let readEnd: Int32
  private let writeEnd: Mutex<Int32?>

  init() throws(ModelStoreError) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
    let code = unsafe pipe(&ends)  // children get no files by default there
    #else
    // Close-on-exec from the start, which pipe(2) cannot do; Swift does not import pipe2(2).
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let code = unsafe socketpair(AF_UNIX, type, 0, &ends)
    #endif
    guard code == 0 else { throw Files.lastError(URL(filePath: "/bin/sh")) }
    readEnd = ends[0]
    writeEnd = Mutex(ends[1])
  }

  /// Ends the program; it may be called before it starts and more than once.
  func cut() {
    writeEnd.withLock { end in
      if let end { _ = close(end) }
      end = nil
    }
  }

  deinit {
    cut()
    _ = close(readEnd)
  }
}
#endif
