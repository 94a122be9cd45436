#if os(macOS) || os(Linux)
import Foundation
import OnDeviceModels
import Testing

@Suite(.timeLimit(.minutes(1))) struct ChildProcessTests {
  func shell(_ script: String) -> ChildProcess { ChildProcess("sh", ["-c", script]) }

  @Test(arguments: [0, 1, 127, 255])
  func exitStatusIsReported(_ status: Int32) async throws {
    #expect(try await shell("exit \(status)").run().status == status)
  }

  @Test func deathBySignalIsReportedAsShellsDo() async throws {
    #expect(try await shell("kill -9 $$").run().status == 128 + 9)
  }

  @Test func argumentsAndEnvironmentArriveAsTheyAre() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("", to: "out")
    let output = try FileHandle(forWritingTo: file)
    let child = ChildProcess(
      "sh", ["-c", #"printf '%s|' "$@" "$HEARTH_TEST""#, "sh", "a b", "$HOME", "*", "", "é\n"],
      environment: ["HEARTH_TEST": "x\"y"])
    #expect(try await child.run(output: output).status == 0)
    #expect(file.text == "a b|$HOME|*||é\n|x\"y|")
  }

  @Test func onlyTheEndOfStandardErrorIsKept() async throws {
    let outcome = try await shell(
      "i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; echo >&2"
    ).run()
    #expect(outcome.errorTail.utf8.count == 4096)
    #expect(outcome.reason == "line 2999")
  }

  @Test func aSilentFailureNamesTheStatus() async throws {
    #expect(try await shell("exit 3").run().reason == "exit status 3")
  }

  @Test func standardInputIsEmpty() async throws {
    #expect(try await shell("read -r line && exit 7; exit 8").run().status == 8)
  }

  @Test(arguments: ["no-such-program-here", "/nowhere/program", ""])
  func aMissingProgramIsAnError(_ name: String) async throws {
    await #expect(throws: ModelStoreError.toolMissing(name)) {
      try await ChildProcess(name, []).run()
    }
  }

  @Test(arguments: ["", "trap '' TERM; "])
  func cancellingEndsTheProgram(_ prelude: String) async throws {
    let folder = try TemporaryFolder()
    let pidFile = folder.file("pid")
    let child = shell(
      "\(prelude)echo $$ > '\(pidFile.path).new'; mv '\(pidFile.path).new' '\(pidFile.path)'; "
        + "while :; do sleep 0.1; done")
    let task = Task { try await child.run() }
    while pidFile.text == nil { try await Task.sleep(for: .milliseconds(10)) }
    let pid = try #require(
      pidFile.text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
    #expect(kill(pid, 0) == 0)
    task.cancel()
    await #expect(throws: ModelStoreError.cancelled) { _ = try await task.value }
    // Its parent is gone too, so it is reaped by init, a moment later.
    while kill(pid, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(errno == ESRCH)
  }

  @Test func cancelledBeforeTheStartRunsNothing() async throws {
    let folder = try TemporaryFolder()
    let mark = folder.file("mark")
    let child = shell("touch '\(mark.path)'")
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = try await child.run()
    }
    task.cancel()
    await #expect(throws: ModelStoreError.cancelled) { try await task.value }
    #expect(folder.files.isEmpty)
  }

  /// Each run cancels at another moment of the start; a lost program would run into the limit.
  @Test func cancellingWhileStartingIsSafe() async throws {
    for microseconds in stride(from: 0, to: 4000, by: 200) {
      let task = Task { try await shell("sleep 100").run() }
      try await Task.sleep(for: .microseconds(microseconds))
      task.cancel()
      await #expect(throws: ModelStoreError.cancelled) { _ = try await task.value }
    }
  }

  /// More programs than the cooperative pool has threads, each waiting for the last one: they end
  /// only if none of them holds a thread.
  @Test func waitingHoldsNoThreadOfThePool() async throws {
    let folder = try TemporaryFolder()
    let count = ProcessInfo.processInfo.activeProcessorCount + 4
    try await withThrowingTaskGroup { group in
      for index in 0..<count {
        let script = """
          touch '\(folder.url.path)/\(index)'
          while [ "$(ls '\(folder.url.path)' | wc -l)" -lt \(count) ]; do sleep 0.05; done
          """
        group.addTask { try await self.shell(script).run().status }
      }
      for try await status in group { #expect(status == 0) }
    }
  }

  /// The later program must not hold the pipe open that ends the earlier one.
  @Test func cancellingOneOfTwoProgramsEndsIt() async throws {
    let folder = try TemporaryFolder()
    let script = "touch '\(folder.url.path)'/$$; sleep 100"
    let first = Task { try await shell(script).run() }
    while folder.files.count < 1 { try await Task.sleep(for: .milliseconds(10)) }
    let second = Task { try await shell(script).run() }
    while folder.files.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
    first.cancel()
    await #expect(throws: ModelStoreError.cancelled) { _ = try await first.value }
    second.cancel()
    await #expect(throws: ModelStoreError.cancelled) { _ = try await second.value }
  }

  /// A program must not hold the lock of the pull it works for, open.
  @Test func programsInheritNoOtherFiles() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("", to: "out")
    let list = ChildProcess("ls", ["-l", "/dev/fd/"])
    let fetcher = FakeFetcher { _ throws(ModelStoreError) in
      guard let output = try? FileHandle(forWritingTo: file) else { return "" }
      _ = try await list.run(output: output)
      return "hello"
    }
    _ = try? await ModelDownloader(store: ModelStore(folder: folder.url), fetcher: fetcher)
      .pull(.hello)
    let listing = try #require(file.text)
    #expect(listing.contains("/out"))
    #expect(!listing.contains(".lock"))
  }
}
#endif
