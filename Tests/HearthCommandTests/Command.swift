import Foundation
import TestSupport
import Testing

/// Runs the built `hearth` command.
struct Command {
  var status: Int32
  var output: String
  var errors: String

  /// The lines of standard output as JSON objects.
  var objects: [[String: Any]] {
    get throws {
      try output.split(separator: "\n").map { line in
        try #require(
          JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
          "\(line.prefix(200))")
      }
    }
  }

  /// Runs `hearth` with words and input (or a file as it); waits for its end.
  static func run(
    _ words: [String], input: String = "", from source: URL? = nil,
    environment: [String: String] = [:]
  ) throws -> Command {
    let process = Process()
    process.executableURL = try found()
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, not pipes: no size of output can block the command.
    func handle(_ name: String, _ content: String) throws -> (URL, FileHandle) {
      let url = folder.appending(path: name)
      try content.write(to: url, atomically: false, encoding: .utf8)
      return (url, try FileHandle(forUpdating: url))
    }
    let (_, standardInput) = try handle("in", input)
    let (output, standardOutput) = try handle("out", "")
    let (errors, standardError) = try handle("err", "")
    process.standardInput = try source.map { try FileHandle(forReadingFrom: $0) } ?? standardInput
    process.standardOutput = standardOutput
    process.standardError = standardError
    try process.run()
    process.waitUntilExit()
    return Command(
      status: process.terminationStatus,
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }

  /// The command beside the test bundle.
  static func found() throws -> URL {
    let places = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
      .appending(Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent())
      .map { $0.appending(path: "hearth") }
    return try #require(
      places.first { FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false)) },
      "the hearth command is not built")
  }

  /// A tiny model with random weights.
  static func tinyModel(_ name: String) -> String {
    TestData.fixtures.appending(path: "arch/\(name).gguf").path(percentEncoded: false)
  }
}

extension [URL] {
  fileprivate func appending(_ more: URL...) -> [URL] { self + more }
}
