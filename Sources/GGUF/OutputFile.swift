#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A file being written beside its place, which it takes only when it is complete.
///
/// A reader that has mapped an older file of that name keeps it. Of two writers of one name the second
/// is refused. Until it is complete nobody but its writer may open it, which is how what a writer that
/// was killed has left is told from other people's files: only that is overwritten.
package struct OutputFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  /// The permissions that the system gives to a new file here; nil where they cannot be changed.
  private let permissions: mode_t?
  private var finished = false

  private var partialPath: String { path + ".partial" }

  /// Permissions of an incomplete file.
  private static let incomplete: mode_t = S_IWUSR

  /// - Throws: `cannotWrite` where the system refuses, another program is writing the file, or
  ///   something that is no incomplete file has the name beside it.
  package init(path: String) throws(GGUFError) {
    self.path = path
    (descriptor, permissions) = try Self.create(path)
  }

  deinit {
    // While the lock is held, so that it cannot be another writer's file.
    if !finished { _ = unsafe unlink(partialPath) }
    close(descriptor)
  }

  /// Makes the file beside `path`, empty and locked.
  private static func create(
    _ path: String
  ) throws(GGUFError) -> (descriptor: Int32, permissions: mode_t?) {
    let partialPath = path + ".partial"
    let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    while true {
      let descriptor = unsafe open(partialPath, flags | O_CREAT | O_EXCL, 0o666)
      guard descriptor >= 0 else {
        guard errno == EEXIST else { throw .cannotWrite(path: path, reason: systemError()) }
        try removeLeftOver(partialPath, of: path)
        continue
      }
      var status = stat()
      let isKnown = unsafe fstat(descriptor, &status) == 0
      let permissions =
        isKnown && fchmod(descriptor, incomplete) == 0 ? status.st_mode & 0o777 : nil
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        if isStill(descriptor, at: partialPath) { return (descriptor, permissions) }
      } else if errno != EWOULDBLOCK {
        let reason = systemError()
        _ = unsafe unlink(partialPath)
        close(descriptor)
        throw .cannotWrite(path: path, reason: reason)
      }
      // Another writer took it for one that is left over before it was locked.
      close(descriptor)
    }
  }

  /// Removes what a writer that was killed has left.
  private static func removeLeftOver(_ partialPath: String, of path: String) throws(GGUFError) {
    let descriptor = unsafe open(partialPath, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw .cannotWrite(path: path, reason: inTheWay(partialPath))
    }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno == EWOULDBLOCK ? "another program is writing it" : systemError()
      throw .cannotWrite(path: path, reason: reason)
    }
    // Its writer may have moved or removed the file before it was locked here.
    guard isStill(descriptor, at: partialPath) else { return }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size == 0 || status.st_mode & 0o777 == incomplete
    else { throw .cannotWrite(path: path, reason: inTheWay(partialPath)) }
    guard unsafe unlink(partialPath) == 0 else {
      throw .cannotWrite(path: path, reason: systemError())
    }
  }

  private static func inTheWay(_ partialPath: String) -> String {
    "\(partialPath), where it would be written first, is in the way; move it or remove it"
  }

  /// Whether a path leads to the file of a descriptor.
  private static func isStill(_ descriptor: Int32, at path: String) -> Bool {
    var (opened, there) = (stat(), stat())
    return unsafe fstat(descriptor, &opened) == 0 && lstat(path, &there) == 0
      && opened.st_ino == there.st_ino && opened.st_dev == there.st_dev
  }

  /// Writes bytes at the end.
  package func append(_ bytes: [UInt8]) throws(GGUFError) { try append(unsafe bytes.span.bytes) }

  /// Writes bytes at the end.
  package func append(_ bytes: RawSpan) throws(GGUFError) {
    var done = 0
    while done < bytes.byteCount {
      let written = unsafe bytes.extracting(droppingFirst: done).withUnsafeBytes { rest in
        unsafe write(descriptor, rest.baseAddress, min(rest.count, 1 << 30))
      }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw .cannotWrite(path: path, reason: systemError()) }
      done += written
    }
  }

  /// Fails early where the file system has less than so many bytes left.
  package func checkSpace(for byteCount: Int) throws(GGUFError) {
    var status = statvfs()
    guard unsafe fstatvfs(descriptor, &status) == 0 else { return }
    let (free, overflow) = UInt(status.f_bavail).multipliedReportingOverflow(
      by: UInt(status.f_frsize))
    guard overflow || byteCount <= free else {
      throw .diskFull(path: path, needed: byteCount, free: Int(clamping: free))
    }
  }

  /// Moves the complete file to its place, once the disk has it.
  package mutating func finish() throws(GGUFError) {
    // A file system may refuse what it cannot do; then the move is as safe as it gets there.
    let isOnDisk = fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP
    let isOpen = permissions.map { fchmod(descriptor, $0) == 0 } ?? true
    guard isOnDisk, isOpen, unsafe rename(partialPath, path) == 0 else {
      throw .cannotWrite(path: path, reason: systemError())
    }
    finished = true
  }
}
