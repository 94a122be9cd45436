import Foundation
import OnDeviceModels
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ModelDownloaderConcurrencyTests {
  let folder: TemporaryFolder
  let store: ModelStore
  let entry = ModelCatalog.Entry.hello

  init() throws {
    folder = try TemporaryFolder()
    store = ModelStore(folder: folder.url)
  }

  /// A fetcher that says when it is fetching and then waits for leave, or for cancellation.
  struct Gate: Sendable {
    let entered = AsyncStream<Void>.makeStream()
    let leave = AsyncStream<Void>.makeStream()

    func fetcher() -> FakeFetcher {
      FakeFetcher { package throws(ModelStoreError) in
        entered.continuation.yield()
        for await _ in leave.stream { break }
        if Task.isCancelled { throw .cancelled }
        return package == "hello-a" ? "hello " : "world"
      }
    }

    func waitUntilEntered() async {
      for await _ in entered.stream { break }
    }
  }

  @Test func cancellingHalfWayLeavesNothing() async throws {
    let gate = Gate()
    let downloader = ModelDownloader(store: store, fetcher: gate.fetcher())
    let task = Task { try await downloader.pull(entry) }
    await gate.waitUntilEntered()
    #expect(!folder.files.isEmpty)
    task.cancel()
    await #expect(throws: ModelStoreError.cancelled) { try await task.value }
    #expect(folder.files.isEmpty)
  }

  @Test func cancelledBeforeTheStartFetchesNothing() async throws {
    let fetcher = FakeFetcher()
    let downloader = ModelDownloader(store: store, fetcher: fetcher)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await downloader.pull(entry)
    }
    task.cancel()
    await #expect(throws: ModelStoreError.cancelled) { try await task.value }
    #expect(fetcher.fetched.isEmpty)
    #expect(folder.files.isEmpty)
  }

  @Test func theSecondOfTwoPullsWaitsAndFetchesNothing() async throws {
    let gate = Gate()
    let first = ModelDownloader(store: store, fetcher: gate.fetcher())
    let firstTask = Task { try await first.pull(entry) }
    await gate.waitUntilEntered()

    let idle = FakeFetcher()
    let second = ModelDownloader(store: store, fetcher: idle)
    let waits = AsyncStream<PullProgress>.makeStream()
    let secondTask = Task { try await second.pull(entry) { waits.continuation.yield($0) } }
    for await step in waits.stream {
      #expect(step.phase == .waiting)
      break
    }
    gate.leave.continuation.finish()
    #expect(try await firstTask.value.text == "hello world")
    #expect(try await secondTask.value.text == "hello world")
    #expect(idle.fetched.isEmpty)
    #expect(folder.files == ["hello.gguf"])
  }

  @Test func theSecondPullTakesOverWhenTheFirstFails() async throws {
    let gate = Gate()
    let first = ModelDownloader(store: store, fetcher: gate.fetcher())
    let firstTask = Task { try await first.pull(entry) }
    await gate.waitUntilEntered()
    let second = ModelDownloader(store: store, fetcher: FakeFetcher())
    let secondTask = Task { try await second.pull(entry) }
    firstTask.cancel()
    await #expect(throws: ModelStoreError.cancelled) { try await firstTask.value }
    #expect(try await secondTask.value.text == "hello world")
  }

  @Test func waitingForAnotherPullCanBeCancelled() async throws {
    let gate = Gate()
    let first = ModelDownloader(store: store, fetcher: gate.fetcher())
    let firstTask = Task { try await first.pull(entry) }
    await gate.waitUntilEntered()
    let second = ModelDownloader(store: store, fetcher: FakeFetcher())
    let waits = AsyncStream<Void>.makeStream()
    let secondTask = Task { try await second.pull(entry) { _ in waits.continuation.yield() } }
    for await _ in waits.stream { break }
    secondTask.cancel()
    await #expect(throws: ModelStoreError.cancelled) { try await secondTask.value }
    gate.leave.continuation.finish()
    #expect(try await firstTask.value.text == "hello world")
  }

  @Test func theWorkFolderOfARunningPullIsNotALeftover() async throws {
    let gate = Gate()
    let first = ModelDownloader(store: store, fetcher: gate.fetcher())
    let firstTask = Task { try await first.pull(entry) }
    await gate.waitUntilEntered()
    var other = entry
    other.file = "other.gguf"
    try await ModelDownloader(store: store, fetcher: FakeFetcher()).pull(other)
    gate.leave.continuation.finish()
    #expect(try await firstTask.value.text == "hello world")
    #expect(folder.files == ["hello.gguf", "other.gguf"])
  }
}
