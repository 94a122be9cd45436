import Foundation
import Testing

/// K13: memory does not grow from turn to turn.
@Suite struct MemoryTests {
  @Test func fiftyTurnsTakeNoMoreMemoryThanFive() throws {
    func peak(turns: Int) throws -> Int {
      let talk = (0..<turns).map { "turn number \($0)\n" + ($0 % 4 == 3 ? "/reset\n" : "") }
      return try Command.peakMemory(
        ["chat", "--template", "chatml", "--max-tokens", "20", "--seed", "1", "--model"]
          + [Command.tinyModel("llama")], input: talk.joined())
    }
    let (few, many) = (try peak(turns: 5), try peak(turns: 50))
    #expect(Double(many) <= 1.05 * Double(few), "\(few) and \(many) bytes")
  }
}

extension Command {
  /// Runs `hearth` and returns the most memory it had at once, in bytes.
  static func peakMemory(_ words: [String], input: String) throws -> Int {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "in")
    try input.write(to: file, atomically: false, encoding: .utf8)
    // The shell of POSIX has no measure of it; Python, which fetching models needs anyway, has.
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let script = """
      import resource, subprocess, sys
      with open(sys.argv[1]) as source:
        subprocess.run(sys.argv[2:], stdin=source, capture_output=True, check=True)
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      """
    process.arguments =
      ["python3", "-c", script, file.path(percentEncoded: false)]
      + [try found().path(percentEncoded: false)] + words
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    let peak = try #require(Int(text))
    #if os(macOS)
    return peak
    #else
    return peak * 1024
    #endif
  }
}
