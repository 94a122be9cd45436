import Foundation
import GGUF
import Inference
import OnDeviceModels
import Tokenization

/// Measures the engine on one model: load, prefill, decode, first token.
///
/// Rounds interleave all measures, so that a busy moment of a shared machine falls on all of them;
/// medians, the spread and CPU time are printed, never a single wall time.
@main
struct EngineBenchmark {
  static func main() async {
    do {
      let settings = try Settings(CommandLine.arguments.dropFirst())
      var report = Report()
      for round in 0...settings.rounds {
        // The first round warms caches and the branch predictor; it is not counted.
        for measure in settings.measures {
          let sample = try await measure.run(settings)
          if round > 0 { report.add(measure, sample) }
        }
      }
      report.print(settings)
    } catch let error as UsageError {
      FileHandle.standardError.write(
        Data("EngineBenchmark: \(error.text)\n\(Settings.usage)\n".utf8))
      exit(2)
    } catch {
      FileHandle.standardError.write(Data("EngineBenchmark: \(error)\n".utf8))
      exit(1)
    }
  }
}

struct UsageError: Error {
  var text: String
}

/// What to measure, from the command line.
struct Settings {
  var model: String
  var threads = ProcessorCount.online
  var rounds = 5
  var measures = Measure.standard
  var precision = MatmulPrecision.quantized

  static let usage = """
    usage: EngineBenchmark [--model NAME|FILE] [--threads N] [--rounds N] [--backend int8|blas]
                           [--measures prefill128,decode0,load,ttft200,…]
    """

  init(_ words: ArraySlice<String>) throws {
    var rest = words
    var named: String?
    while let word = rest.popFirst() {
      guard let value = rest.popFirst() else { throw UsageError(text: "\(word) needs a value") }
      switch word {
      case "--model": named = value
      case "--threads": threads = try Self.number(word, value)
      case "--rounds": rounds = try Self.number(word, value)
      case "--measures":
        measures = try value.split(separator: ",").map { name in
          guard let measure = Measure(String(name)) else {
            throw UsageError(text: "unknown measure \(name)")
          }
          return measure
        }
      case "--backend":
        guard value == "int8" || value == "blas" else {
          throw UsageError(text: "--backend is int8 or blas")
        }
        precision = value == "blas" ? .float : .quantized
      default: throw UsageError(text: "unknown option \(word)")
      }
    }
    let name = named ?? ModelCatalog.builtIn.defaultEntry?.name ?? ""
    model = try ModelStore().locate(name).path(percentEncoded: false)
  }

  private static func number(_ word: String, _ value: String) throws -> Int {
    guard let number = Int(value), number > 0 else {
      throw UsageError(text: "\(word) needs a positive number")
    }
    return number
  }
}

/// One thing that is measured.
enum Measure: Hashable {
  /// Tokens per second of a prompt of this many tokens.
  case prefill(Int)
  /// Tokens per second of 64 tokens after this many.
  case decode(Int)
  /// Seconds to open the file and make everything ready, with a warm page cache.
  case load
  /// Seconds from nothing to the first token of a prompt of this many tokens.
  case firstToken(Int)

  static let standard: [Measure] = [
    .load, .firstToken(200), .prefill(32), .prefill(128), .prefill(512), .decode(0), .decode(1024),
  ]

  init?(_ name: String) {
    func count(after prefix: String) -> Int? {
      name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
    }
    if name == "load" {
      self = .load
    } else if let tokens = count(after: "prefill"), tokens > 0 {
      self = .prefill(tokens)
    } else if let depth = count(after: "decode"), depth >= 0 {
      self = .decode(depth)
    } else if let tokens = count(after: "ttft"), tokens > 0 {
      self = .firstToken(tokens)
    } else {
      return nil
    }
  }

  var name: String {
    switch self {
    case .prefill(let tokens): "prefill\(tokens)"
    case .decode(let depth): "decode\(depth)"
    case .load: "load"
    case .firstToken(let tokens): "ttft\(tokens)"
    }
  }

  var unit: String {
    switch self {
    case .prefill, .decode: "tokens/s"
    case .load, .firstToken: "s"
    }
  }

  private static let decoded = 64

  func run(_ settings: Settings) async throws -> Sample {
    switch self {
    case .prefill(let tokens):
      let pass = try Self.pass(settings, contextSize: tokens)
      let clock = Stopwatch()
      try Self.prefill(pass, tokens)
      return clock.sample(perSecond: tokens)
    case .decode(let depth):
      let pass = try Self.pass(settings, contextSize: depth + Self.decoded + 1)
      try Self.prefill(pass, max(depth, 1))
      let clock = Stopwatch()
      for _ in 0..<Self.decoded { try pass.run([Int32(pass.argmax())].span, wanted: .last) }
      return clock.sample(perSecond: Self.decoded)
    case .load:
      let clock = Stopwatch()
      _ = try await OnDeviceModel.load(
        file: settings.model, options: EngineOptions(threads: settings.threads))
      return clock.sample()
    case .firstToken(let tokens):
      let clock = Stopwatch()
      let model = try await OnDeviceModel.load(
        file: settings.model,
        options: EngineOptions(threads: settings.threads, precision: settings.precision))
      let stream = try await model.engine.generate(
        GenerationRequest(prompt: Self.tokens(tokens), sampling: .greedy, maximumTokens: 1))
      for try await _ in stream {}
      return clock.sample()
    }
  }

  private static func pass(_ settings: Settings, contextSize: Int) throws -> ForwardPass {
    let model = try TransformerModel(file: GGUFFile(path: settings.model))
    return try ForwardPass(
      model, contextSize: contextSize, threads: settings.threads, precision: settings.precision)
  }

  /// Ids that are text in every vocabulary of some size.
  private static func tokens(_ count: Int) -> [TokenID] {
    (0..<count).map { TokenID(300 + $0 * 7 % 900) }
  }

  private static func prefill(_ pass: ForwardPass, _ count: Int) throws {
    let tokens = tokens(count)
    let chunk = EngineOptions().prefillChunk
    for start in stride(from: 0, to: count, by: chunk) {
      let end = min(start + chunk, count)
      try pass.run(tokens[start..<end].span, wanted: end == count ? .last : .none)
    }
  }
}

/// What one run of a measure gave.
struct Sample {
  var value: Double
  /// Seconds of CPU time over all threads.
  var cpu: Double
}

/// Wall and CPU time since it was made.
struct Stopwatch {
  private let start = ContinuousClock.now
  private let startCPU = Double(clock()) / Double(CLOCKS_PER_SEC)

  func sample(perSecond count: Int? = nil) -> Sample {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let cpu = Double(clock()) / Double(CLOCKS_PER_SEC) - startCPU
    return Sample(value: count.map { Double($0) / seconds } ?? seconds, cpu: cpu)
  }
}

/// All samples, printed as a table of medians.
struct Report {
  private var samples: [Measure: [Sample]] = [:]

  mutating func add(_ measure: Measure, _ sample: Sample) {
    samples[measure, default: []].append(sample)
  }

  func print(_ settings: Settings) {
    let file = settings.model.split(separator: "/").last ?? ""
    Swift.print("\(file), \(settings.threads) threads, \(settings.rounds) rounds")
    for measure in settings.measures {
      let values = (samples[measure] ?? []).map(\.value).sorted()
      let cpu = (samples[measure] ?? []).map(\.cpu).sorted()
      guard let low = values.first, let high = values.last else { continue }
      let median = values[values.count / 2]
      let digits = measure.unit == "s" ? 3 : 1
      Swift.print(
        String(
          format: "%-12@ %10.*f %@  (%.*f … %.*f)  CPU %.3f s", measure.name as NSString, digits,
          median, measure.unit as NSString, digits, low, digits, high, cpu[cpu.count / 2]))
    }
  }
}
