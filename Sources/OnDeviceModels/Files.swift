internal import Foundation
internal import GGUF

/// The few file operations the store needs, with errors that name the path.
enum Files {
  /// Size in bytes of a regular file (symbolic links are followed), or nil where there is none.
  static func size(of file: URL) -> Int? {
    let values = try? file.resolvingSymlinksInPath().resourceValues(
      forKeys: [.isRegularFileKey, .fileSizeKey])
    guard let values, values.isRegularFile == true else { return nil }
    return values.fileSize
  }

  /// What lies at a path.
  enum Kind: Equatable {
    case file(bytes: Int)
    case folder
    /// Neither; `reason` says what or why it is not known.
    case other(reason: String)
    case nothing
  }

  /// What lies at a path; symbolic links are followed.
  static func kind(of file: URL) -> Kind {
    var status = stat()
    guard unsafe stat(file.filePath, &status) == 0 else {
      return errno == ENOENT ? .nothing : .other(reason: FileProblem.text(errno))
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file(bytes: Int(status.st_size))
    case S_IFDIR: return .folder
    default: return .other(reason: "not a regular file")
    }
  }

  /// Bytes an unprivileged process can still write to the file system of this folder, if known.
  static func freeSpace(of folder: URL) -> Int? {
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.filePath)
    return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
  }

  /// Creates a folder and those above it; one that exists is fine.
  static func createFolder(_ folder: URL) throws(ModelStoreError) {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw fileSystemError(folder, error)
    }
  }

  /// Removes a file or a whole folder; one that is absent is fine.
  static func remove(_ item: URL) throws(ModelStoreError) {
    do {
      try FileManager.default.removeItem(at: item)
    } catch let error as CocoaError where error.code == .fileNoSuchFile {
      return
    } catch {
      throw fileSystemError(item, error)
    }
  }

  /// Creates an empty file, or empties the one that is there.
  static func create(_ file: URL) throws(ModelStoreError) {
    do {
      try Data().write(to: file)
    } catch {
      throw fileSystemError(file, error)
    }
  }

  /// A handle that appends to an existing file.
  static func openForAppending(_ file: URL) throws(ModelStoreError) -> FileHandle {
    do {
      let handle = try FileHandle(forWritingTo: file)
      closeOnExec(handle.fileDescriptor)
      try handle.seekToEnd()
      return handle
    } catch {
      throw fileSystemError(file, error)
    }
  }

  /// Puts `file` in the place of `destination` in one step, after its bytes reached the disk.
  ///
  /// Both must be on one file system. Afterwards `destination` is either what it was or all of
  /// `file`, even when the power fails. Runs on a thread of its own: a sync can take seconds.
  static func moveDurably(_ file: URL, to destination: URL) async throws(ModelStoreError) {
    let result = await onOwnThread { () -> Result<Void, ModelStoreError> in
      do {
        let handle = try FileHandle(forUpdating: file)
        try handle.synchronize()
        try handle.close()
      } catch {
        return .failure(fileSystemError(file, error))
      }
      // Foundation's moves refuse to replace or do it in several steps; rename(2) is atomic. The
      // strings live for the whole call.
      guard unsafe rename(file.filePath, destination.filePath) == 0 else {
        return .failure(lastError(destination))
      }
      // The new name must survive a power failure too, but the file itself is already safe, so a
      // file system that cannot sync a folder is no error.
      let folder = FileHandle(forReadingAtPath: destination.deletingLastPathComponent().filePath)
      try? folder?.synchronize()
      return .success(())
    }
    try result.get()
  }

  /// Keeps a file from the programs this process starts.
  static func closeOnExec(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// An error for `item` from the current `errno`.
  static func lastError(_ item: URL) -> ModelStoreError {
    fileSystemError(item, POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
  }

  /// An error for `item`: a full disk is told apart from the rest.
  static func fileSystemError(_ item: URL, _ error: any Error) -> ModelStoreError {
    let cause = underlyingPOSIXError(error) ?? meaning(of: error)
    if cause == .ENOSPC || cause == .EDQUOT
      || (error as? CocoaError)?.code == .fileWriteOutOfSpace
    {
      return .diskFull(folder: item.deletingLastPathComponent().filePath)
    }
    guard let cause else {
      return .fileSystem(path: item.filePath, reason: error.localizedDescription)
    }
    // POSIXError(…).localizedDescription hides the text behind a domain and a number on Linux.
    return .fileSystem(path: item.filePath, reason: FileProblem.text(cause.rawValue))
  }

  /// What Foundation means by errors that it gives no cause for.
  private static func meaning(of error: any Error) -> POSIXErrorCode? {
    switch (error as? CocoaError)?.code {
    case .fileNoSuchFile?, .fileReadNoSuchFile?: .ENOENT
    case .fileReadNoPermission?, .fileWriteNoPermission?: .EACCES
    case .fileWriteFileExists?: .EEXIST
    case .fileWriteVolumeReadOnly?: .EROFS
    default: nil
    }
  }

  private static func underlyingPOSIXError(_ error: any Error) -> POSIXErrorCode? {
    if let error = error as? POSIXError { return error.code }
    guard let underlying = (error as? CocoaError)?.underlying else { return nil }
    return (underlying as? POSIXError)?.code
  }
}

/// Runs blocking work on a new thread, never on the cooperative pool.
func onOwnThread<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: work()) }
  }
}

extension URL {
  /// The path as the operating system takes it.
  var filePath: String { path(percentEncoded: false) }
}
