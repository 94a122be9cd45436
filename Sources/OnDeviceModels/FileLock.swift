internal import Foundation

/// A lock between processes on one file; it is free again when its holder ends, however it ends.
struct FileLock {
  private let handle: FileHandle

  /// Takes the lock if it is free.
  ///
  /// - Parameter file: Created where it is absent, and left in place: removing it would let two
  ///   processes lock different files of the same name.
  /// - Returns: nil if another holder has it.
  /// - Throws: `.fileSystem` if the file cannot be made or locked.
  static func tryAcquire(_ file: URL) throws(ModelStoreError) -> FileLock? {
    if Files.size(of: file) == nil { try Files.create(file) }
    let handle = try Files.openForAppending(file)
    if flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0 { return FileLock(handle: handle) }
    guard errno == EWOULDBLOCK else { throw Files.lastError(file) }
    return nil
  }

  /// Waits until the lock is free; `waiting` is called each time it is not.
  ///
  /// - Throws: `.cancelled` when the task is cancelled meanwhile.
  static func acquire(
    _ file: URL, waiting: () -> Void
  ) async throws(ModelStoreError) -> FileLock {
    while true {
      if let lock = try tryAcquire(file) { return lock }
      waiting()
      do {
        try await Task.sleep(for: .milliseconds(200))
      } catch {
        throw .cancelled
      }
    }
  }

  func release() {
    try? handle.close()
  }
}
