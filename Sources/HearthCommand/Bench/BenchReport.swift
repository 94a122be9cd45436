import Foundation
import Tokenization

/// All samples of one model, printed as medians.
struct BenchReport {
  let path: String
  let threads: Int
  let rounds: Int
  private var results: [(measure: Measure, samples: [Sample])] = []

  init(path: String, threads: Int, rounds: Int) {
    self.path = path
    self.threads = threads
    self.rounds = rounds
  }

  /// Runs all rounds in processes that are called with `words`.
  ///
  /// Rounds interleave the measures, so that a busy moment of a shared machine falls on all.
  mutating func measure(_ measures: [Measure], with words: [String]) throws {
    results = measures.map { ($0, []) }
    let worker = try BenchProcess(words)
    for round in 0...rounds {
      for (index, measure) in measures.enumerated() {
        let process = measure.needsFreshProcess ? try BenchProcess(words) : worker
        let sample = try process.sample(measure)
        if round > 0 { results[index].samples.append(sample) }
      }
    }
  }

  func print(asJSON: Bool) {
    if !asJSON {
      let file = path.split(separator: "/").last ?? ""
      Console.line("\(file), \(threads) threads, \(rounds) rounds")
    }
    for (measure, samples) in results {
      let summary = Summary(samples)
      if asJSON {
        Console.data(json(measure, summary))
      } else {
        Console.line(row(measure, summary))
      }
    }
  }

  private func row(_ measure: Measure, _ summary: Summary) -> String {
    let isRate = measure.tokens != nil
    let digits = measure.unit == "s" ? 3 : 1
    let perToken = isRate ? 1000 / Double(measure.tokens ?? 1) : 1
    let spread = String(format: "(%.*f … %.*f)", digits, summary.low, digits, summary.high)
    let line = String(
      format: "%@ %9.*f %@ %@ CPU %.3f %@", padded(measure.name, 12), digits, summary.value,
      padded(measure.unit, 9), padded(spread, 20), summary.cpu * perToken,
      isRate ? "ms/token" : "s")
    guard let (value, unit) = summary.cost?.traffic(at: summary.value) else { return line }
    return line + String(format: "  %.1f %@", value, unit)
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text.padding(toLength: width, withPad: " ", startingAt: 0)
  }

  private func json(_ measure: Measure, _ summary: Summary) -> String {
    var members: [OrderedJSON.Member] = [
      .init("model", .string(path)), .init("threads", .int(threads)),
      .init("measure", .string(measure.name)), .init("unit", .string(measure.unit)),
      .init("median", .double(summary.value)), .init("low", .double(summary.low)),
      .init("high", .double(summary.high)), .init("rounds", .int(rounds)),
      .init("cpu", .double(summary.cpu / Double(measure.tokens ?? 1))),
    ]
    if let cost = summary.cost { members.append(cost.member) }
    return OrderedJSON.object(members).serialized()
  }
}

/// Median and spread of one measure's samples, of which there is at least one.
private struct Summary {
  let value: Double
  let low: Double
  let high: Double
  let cpu: Double
  let cost: TokenCost?

  init(_ samples: [Sample]) {
    let values = samples.map(\.value).sorted()
    value = Self.median(values)
    low = values[0]
    high = values[values.count - 1]
    cpu = Self.median(samples.map(\.cpu).sorted())
    cost = samples[0].cost
  }

  private static func median(_ sorted: [Double]) -> Double {
    (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
