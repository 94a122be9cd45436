import Foundation
import Tokenization

/// A `hearth bench --serve` in a process of its own, which ends with this object.
final class BenchProcess {
  private let started = ContinuousClock.now
  private let process = Process()
  private let requests = Pipe()
  private let answers = Pipe()
  private var isFresh = true

  /// Starts this program again with other words.
  init(_ words: [String]) throws {
    guard let program = Bundle.main.executableURL else {
      throw RequestError("this program's file is not known")
    }
    process.executableURL = program
    process.arguments = words
    process.standardInput = requests
    process.standardOutput = answers
    try process.run()
  }

  deinit {
    // The worker ends at the end of its input, or when nobody reads its answer.
    try? requests.fileHandleForWriting.close()
    try? answers.fileHandleForReading.close()
    process.terminate()
    process.waitUntilExit()
  }

  /// Runs a measure there and waits for it.
  ///
  /// - Throws: `RequestError` with the worker's own words, or that it ended.
  func sample(_ measure: Measure) throws -> Sample {
    let request = OrderedJSON.object([.init("measure", .string(measure.name))])
    try requests.fileHandleForWriting.write(contentsOf: Data((request.serialized() + "\n").utf8))
    let answer = try OrderedJSON(parsing: answerLine())
    if let error = answer["error"]?.stringValue { throw RequestError(error) }
    guard var value = answer["value"]?.doubleValue, let cpu = answer["cpu"]?.doubleValue else {
      throw RequestError("the worker's answer makes no sense")
    }
    if case .firstToken = measure, isFresh { value = (ContinuousClock.now - started) / .seconds(1) }
    isFresh = false
    return Sample(value: value, cpu: cpu, cost: TokenCost(answer))
  }

  private func answerLine() throws -> String {
    var line = Data()
    while line.last != 0x0A {
      let more = answers.fileHandleForReading.availableData
      guard !more.isEmpty else { throw RequestError("the worker ended before it answered") }
      line += more
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }
}
