import CThreadClock
import ConstrainedDecoding
import Foundation
import GGUF
import Tokenization

/// Measures what grammars cost on the vocabulary of a model file, in CPU time of one thread.
///
/// Prints one JSON object a grammar. With `--dump`, writes the vocabulary, the grammars and the
/// tokens of their texts for another program to measure the same.
@main
struct GrammarBenchmark {
  static let usage = "usage: GrammarBenchmark [--dump FILE] VOCABULARY.gguf"

  static func main() {
    do {
      var words = CommandLine.arguments.dropFirst()
      var dump: String?
      if words.first == "--dump" {
        words.removeFirst()
        dump = words.popFirst()
      }
      guard words.count == 1, let path = words.first else { throw UsageError() }
      try run(path, dump: dump)
    } catch is UsageError {
      FileHandle.standardError.write(Data("\(usage)\n".utf8))
      exit(2)
    } catch {
      FileHandle.standardError.write(Data("GrammarBenchmark: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ path: String, dump: String?) throws {
    let tokenizer = try Tokenizer(file: GGUFFile(path: path))
    let vocabulary = tokenizer.vocabulary
    if let dump {
      try Data(description(of: tokenizer).serialized().utf8).write(to: URL(filePath: dump))
      return
    }
    let start = thread_clock_nanoseconds()
    let table = TokenTable(vocabulary)
    let setup = Double(thread_clock_nanoseconds() - start) / 1e6
    for workload in Workload.all {
      let measurement = try GrammarMeasurement(
        texts: workload.texts.map { tokenizer.encode($0).map { Int($0) } }, table: table,
        now: thread_clock_nanoseconds
      ) { () throws(GrammarError) in try workload.grammar() }
      let (warm, cold) = (measurement.warmSummary, measurement.coldSummary)
      let result: OrderedJSON = [
        "engine": "hearth", "vocabulary": .int(vocabulary.count), "grammar": .string(workload.name),
        "setup_ms": number(setup), "compile_ms": number(measurement.compile),
        "first_compile_ms": number(measurement.firstCompile),
        "mask_us": [
          "median": number(warm.median), "mean": number(warm.mean), "p90": number(warm.p90),
          "p99": number(warm.p99), "max": number(warm.max), "cold_mean": number(cold.mean),
          "cold_p99": number(cold.p99), "cold_max": number(cold.max),
        ],
      ]
      print(result.serialized(.spaced))
    }
  }

  /// Three digits after the point are enough for microseconds.
  private static func number(_ value: Double) -> OrderedJSON {
    .double((value * 1000).rounded() / 1000)
  }

  private static func description(of tokenizer: Tokenizer) -> OrderedJSON {
    let vocabulary = tokenizer.vocabulary
    let ids = 0..<TokenID(vocabulary.count)
    func hex(_ id: TokenID) -> String {
      vocabulary.bytes(of: id).map { String(format: "%02x", $0) }.joined()
    }
    return [
      "tokens": .array(ids.map { .string(vocabulary.isText($0) ? hex($0) : "") }),
      "special": .array(ids.filter { !vocabulary.isText($0) }.map { .int(Int($0)) }),
      "end": .array(vocabulary.endOfGeneration.sorted().map { .int(Int($0)) }),
      "workloads": .array(
        [Workload.eightFields, .json].map { workload in
          [
            "name": .string(workload.name), "schema": .string(workload.schema ?? ""),
            "texts": .array(
              workload.texts.map { .array(tokenizer.encode($0).map { .int(Int($0)) }) }),
          ]
        }),
    ]
  }
}

struct UsageError: Error {}
