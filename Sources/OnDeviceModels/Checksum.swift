package import Foundation

#if canImport(CryptoKit)
internal import CryptoKit
#endif

/// SHA-256 of files.
///
/// The engine needs it only here, once per download, so it uses what the system has: CryptoKit, or
/// the `sha256sum` of every Linux (`shasum` where that is missing).
package enum Checksum {
  /// Compares size and SHA-256 of a file with the catalog.
  ///
  /// - Parameters:
  ///   - file: The file to read.
  ///   - entry: What it should be.
  ///   - reportedPath: The path for the error, where it is not `file` itself.
  /// - Throws: `.wrongSize`, `.wrongChecksum`, `.cancelled`, or why the file cannot be read.
  package static func check(
    _ file: URL, against entry: ModelCatalog.Entry, reportedPath: URL? = nil
  ) async throws(ModelStoreError) {
    let path = (reportedPath ?? file).filePath
    let size = Files.size(of: file) ?? 0
    guard size == entry.bytes else {
      throw .wrongSize(path: path, expected: entry.bytes, actual: size)
    }
    let digest = try await sha256(of: file)
    guard digest == entry.sha256 else {
      throw .wrongChecksum(path: path, expected: entry.sha256, actual: digest)
    }
  }

  /// The lower-case hexadecimal SHA-256 of a file.
  ///
  /// - Throws: `.cancelled`, or why the file cannot be read.
  /// - Complexity: Linear in the size of the file.
  package static func sha256(of file: URL) async throws(ModelStoreError) -> String {
    #if canImport(CryptoKit)
    try await onOwnThread { hash(file) }.get()
    #else
    try await hashWithTool(file)
    #endif
  }

  #if canImport(CryptoKit)
  private static func hash(_ file: URL) -> Result<String, ModelStoreError> {
    do {
      let handle = try FileHandle(forReadingFrom: file)
      var hash = SHA256()
      while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty {
        hash.update(data: chunk)
      }
      return .success(
        hash.finalize().map { byte in
          let hex = String(byte, radix: 16)
          return byte < 16 ? "0" + hex : hex
        }.joined())
    } catch {
      return .failure(Files.fileSystemError(file, error))
    }
  }
  #else
  private static func hashWithTool(_ file: URL) async throws(ModelStoreError) -> String {
    let perl = !ChildProcess.isInstalled("sha256sum") && ChildProcess.isInstalled("shasum")
    let tool = perl ? ("shasum", ["-a", "256"]) : ("sha256sum", [])
    let output = try ScratchFile()
    let outcome = try await ChildProcess(tool.0, tool.1 + ["--", file.filePath])
      .run(output: output.handle)
    guard outcome.status == 0 else {
      throw .fileSystem(path: file.filePath, reason: outcome.reason)
    }
    // The line is "DIGEST  NAME", with a backslash before it where the name had to be escaped.
    let digest = output.tail(1 << 16).drop { $0 == "\\" }.prefix(while: \.isHexDigit)
    guard digest.count == 64 else {
      throw .fileSystem(path: file.filePath, reason: "\(tool.0) printed no SHA-256")
    }
    return digest.lowercased()
  }
  #endif
}
