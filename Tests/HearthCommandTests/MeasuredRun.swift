import Foundation
import TestSupport

/// A run of the command with what it took.
struct MeasuredRun {
  let status: Int32
  let output: String
  let errors: String
  let peakBytes: Int

  /// Runs `hearth` and waits for its end.
  ///
  /// The system kills what takes a minute of CPU time, or ten of debug code.
  init(_ words: [String], input: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try input.write(to: file, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    // The shell of POSIX has no measure of it; Python, which fetching models needs anyway, has.
    let script = """
      import json, resource, subprocess, sys
      resource.setrlimit(resource.RLIMIT_CPU, 2 * (\(TestData.isRelease ? 60 : 600),))
      with open(sys.argv[1]) as source:
        done = subprocess.run(sys.argv[2:], stdin=source, capture_output=True)
      use = resource.getrusage(resource.RUSAGE_CHILDREN)
      print(json.dumps({
        "status": done.returncode, "output": done.stdout.decode(), "errors": done.stderr.decode(),
        "peak": use.ru_maxrss * (1 if sys.platform == "darwin" else 1024)}))
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["python3", "-c", script, file.path(percentEncoded: false)]
      + [try Command.found().path(percentEncoded: false)] + words
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    struct Report: Decodable {
      var status: Int32
      var output, errors: String
      var peak: Int
    }
    let report = try JSONDecoder().decode(Report.self, from: data)
    (status, output, errors) = (report.status, report.output, report.errors)
    peakBytes = report.peak
  }
}
