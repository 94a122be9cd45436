import Foundation
import GGUF
import Inference
import OnDeviceModels
import Tokenization

/// The process that holds one model and measures it when it is told to.
///
/// It measures what users get: the engine with its own thread, chunks, sampler and checks.
final class BenchWorker {
  private let path: String
  private let options: EngineOptions
  private var model: OnDeviceModel?

  /// A worker that has not opened the file yet.
  init(path: String, options: EngineOptions) {
    self.path = path
    self.options = options
  }

  /// Answers requests on standard input until it ends.
  func serve() async throws {
    try await JSONLines.answer { request in
      try request.refuseOthers(than: ["measure"])
      guard let name = try request.text("measure") else {
        throw RequestError("\"measure\" is missing")
      }
      guard let measure = Measure(name) else { throw RequestError("unknown measure \"\(name)\"") }
      return try await self.run(measure).members
    }
  }

  /// Runs a measure once.
  ///
  /// - Throws: `RequestError` for a measure of the start when the model is already there, and what
  ///   loading and generating throw.
  private func run(_ measure: Measure) async throws -> Sample {
    if measure.needsFreshProcess, model != nil {
      throw RequestError("\(measure.name) needs a fresh process")
    }
    switch measure {
    case .prefill(let tokens):
      let model = try await loaded()
      await model.engine.reset()
      let clock = Stopwatch()
      try await generate(1, after: tokens)
      return clock.sample(perSecond: tokens, try .prompt(tokens, model.file))
    case .decode(let depth):
      let model = try await loaded()
      let prompt = max(depth, 1)
      let clock = try await generate(1 + Measure.decoded, after: prompt)
      return clock.sample(
        perSecond: Measure.decoded,
        try .decoding(Measure.decoded, after: prompt, options.keyValueType, model.file))
    case .load:
      let clock = Stopwatch()
      _ = try await loaded()
      return clock.sample()
    case .firstToken(let tokens):
      let clock = Stopwatch()
      try await generate(1, after: tokens)
      return clock.sample()
    case .peakMemory:
      let clock = Stopwatch()
      try await generate(16, after: 512)
      return Sample(value: try PeakMemory.bytes() / 1e6, cpu: clock.sample().cpu)
    }
  }

  private func loaded() async throws -> OnDeviceModel {
    if let model { return model }
    let loaded = try await ModelFile.naming(path) {
      try await OnDeviceModel.load(file: path, options: options)
    }
    // What was asked for is not there to be measured.
    if let problem = loaded.weightCacheProblem { throw problem }
    model = loaded
    return loaded
  }

  /// Generates tokens after a prompt; returns a clock that started with the first of them.
  @discardableResult
  private func generate(_ count: Int, after prompt: Int) async throws -> Stopwatch {
    let engine = try await loaded().engine
    guard prompt <= engine.contextSize - count else {
      throw RequestError(
        "\(prompt) tokens and \(count) more do not fit the context of \(engine.contextSize)")
    }
    // Ids that are text in every vocabulary of some size.
    let tokens = (0..<prompt).map { TokenID((300 + $0 * 7 % 900) % engine.vocabularySize) }
    let stream = try await engine.generate(
      GenerationRequest(prompt: tokens, sampling: .greedy, maximumTokens: count))
    var clock: Stopwatch?
    for try await _ in stream where clock == nil { clock = Stopwatch() }
    guard let clock else { throw RequestError("no token came") }
    return clock
  }
}

extension Sample {
  /// What a worker answers.
  fileprivate var members: [OrderedJSON.Member] {
    [.init("value", .double(value)), .init("cpu", .double(cpu))] + (cost.map { [$0.member] } ?? [])
  }
}

/// Wall and CPU time since it was made.
private struct Stopwatch {
  private let start = ContinuousClock.now
  private let startCPU = Double(clock()) / Double(CLOCKS_PER_SEC)

  func sample(perSecond count: Int? = nil, _ cost: TokenCost? = nil) -> Sample {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let cpu = Double(clock()) / Double(CLOCKS_PER_SEC) - startCPU
    return Sample(value: count.map { Double($0) / seconds } ?? seconds, cpu: cpu, cost: cost)
  }
}
