import Foundation
import OnDeviceModels

/// A folder of its own for one test, removed with the value.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "hearth-tests-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ name: String) -> URL {
    url.appending(path: name, directoryHint: .notDirectory)
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> URL {
    let file = file(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file
  }

  /// Paths of all files below the folder, except the lock files, which stay.
  var files: [String] {
    let all = FileManager.default.enumerator(atPath: url.path(percentEncoded: false))
    return (all?.compactMap { $0 as? String } ?? [])
      .filter { !$0.hasSuffix(".lock") && $0 != ".pull" }.sorted()
  }
}

extension URL {
  var text: String? {
    (try? Data(contentsOf: self)).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension ModelCatalog.Entry {
  /// A model of eleven bytes, "hello world", in two wheels.
  ///
  /// The checksum is that of coreutils: `printf 'hello world' | sha256sum`.
  static let hello = ModelCatalog.Entry(
    name: "hello", aliases: ["hi"], isDefault: true, file: "hello.gguf", bytes: 11,
    sha256: "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
    license: "CC0-1.0", licenseURL: "", architecture: "llama", quantization: "F32",
    contextLength: 16,
    wheels: [
      ModelCatalog.Wheel(package: "hello-a", version: "1.0", bytes: 100, member: "a/part0"),
      ModelCatalog.Wheel(package: "hello-b", version: "1.0", bytes: 200, member: "b/part1"),
    ])
}
