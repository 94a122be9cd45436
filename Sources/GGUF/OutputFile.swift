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
/// is refused; what a writer that was killed has left is overwritten.
package struct OutputFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private var finished = false

  private var partialPath: String { path + ".partial" }

  /// - Throws: `cannotWrite` where the system refuses or another program is writing the file.
  package init(path: String) throws(GGUFError) {
    self.path = path
    descriptor = try Self.openLocked(path)
  }

  deinit {
    // While the lock is held, so that it cannot be another writer's file.
    if !finished { _ = unsafe unlink(partialPath) }
    close(descriptor)
  }

  /// Opens the file beside `path`, empty and locked.
  private static func openLocked(_ path: String) throws(GGUFError) -> Int32 {
    let partialPath = path + ".partial"
    while true {
      let descriptor = unsafe open(partialPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else { throw .cannotWrite(path: path, reason: systemError()) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let reason = errno == EWOULDBLOCK ? "another program is writing it" : systemError()
        close(descriptor)
        throw .cannotWrite(path: path, reason: reason)
      }
      // Its last writer may have moved or removed the file before it was locked here.
      var (opened, there) = (stat(), stat())
      if unsafe fstat(descriptor, &opened) == 0, unsafe stat(partialPath, &there) == 0,
        opened.st_ino == there.st_ino, opened.st_dev == there.st_dev,
        ftruncate(descriptor, 0) == 0
      {
        return descriptor
      }
      close(descriptor)
    }
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

  /// Moves the complete file to its place.
  package mutating func finish() throws(GGUFError) {
    guard unsafe rename(partialPath, path) == 0 else {
      throw .cannotWrite(path: path, reason: systemError())
    }
    finished = true
  }
}
