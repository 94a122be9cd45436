import Foundation
import GGUF
import Inference
import TestSupport
import Testing

/// Expected results of a real model: float32 arithmetic over its dequantised weights.
private struct RealGolden: Decodable {
  struct Case: Decodable {
    var text: String
    var promptIds: [Int32]
    /// Token and logit, largest first.
    var top20: [[Float]]
    var logsumexp: Float
  }

  var cases: [Case]
  var passageIds: [Int32]
  var passageLogprobs: [Float]
  var passagePerplexity: Double
}

/// A real model, and how far its quantised arithmetic may be from the float reference.
struct RealModel: Sendable, CustomTestStringConvertible {
  var file: String
  /// Mean absolute difference of the passage's log-probabilities.
  var meanDifference: Double

  var testDescription: String { file }

  static let all = [
    RealModel(file: "SmolLM2-135M-Instruct.Q4_1.gguf", meanDifference: 0.06),
    RealModel(file: "gemma-3-270m-q4_k_m.gguf", meanDifference: 0.07),
  ]

  fileprivate func golden() throws -> RealGolden {
    let name = file.replacing(".gguf", with: ".json")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(
      RealGolden.self,
      from: Data(contentsOf: TestData.fixtures.appending(path: "real/" + name)))
  }

  fileprivate func load() throws -> TransformerModel {
    let url = try #require(TestData.model(file))
    return try TransformerModel(file: GGUFFile(path: url.path(percentEncoded: false)))
  }

  /// Log-probability of each token but the first, given those before it.
  fileprivate func logprobs(
    _ tokens: [Int32], precision: MatmulPrecision
  ) throws -> [Double] {
    let pass = try ForwardPass(
      load(), contextSize: tokens.count, threads: 2, precision: precision)
    var result: [Double] = []
    for start in stride(from: 0, to: tokens.count, by: 64) {
      let chunk = tokens[start..<min(start + 64, tokens.count)]
      try pass.run(chunk.span, wanted: .all)
      for (row, position) in chunk.indices.enumerated() where position + 1 < tokens.count {
        result.append(pass.logits.withRow(row) { logProbability(of: tokens[position + 1], in: $0) })
      }
    }
    return result
  }
}

@Suite(
  .enabled(if: TestData.isRelease, "skipped: real models run in release builds"),
  .serialized)
struct RealModelTests {
  static let present = RealModel.all.filter { TestData.model($0.file) != nil }

  @Test(
    .enabled(if: present.count == RealModel.all.count, "skipped: models are not downloaded"))
  func bothModelsAreThere() {
    #expect(Self.present.map(\.file) == RealModel.all.map(\.file))
  }

  @Test(arguments: present)
  func perplexityOfThePassageIsTheReferences(_ model: RealModel) throws {
    let golden = try model.golden()
    let found = try model.logprobs(golden.passageIds, precision: .quantized)
    try #require(found.count == golden.passageLogprobs.count)
    let perplexity = exp(-found.reduce(0, +) / Double(found.count))
    let ratio = perplexity / golden.passagePerplexity
    #expect(abs(ratio - 1) <= 0.005, "perplexity \(perplexity), ratio \(ratio)")
    let difference = meanDifference(found, golden.passageLogprobs)
    #expect(difference <= model.meanDifference, "mean |difference| \(difference)")
    print(
      "\(model.file): perplexity ratio \(ratio), mean |log-probability difference| \(difference)")
  }

  @Test(arguments: present)
  func floatModeIsTheReference(_ model: RealModel) throws {
    let golden = try model.golden()
    let found = try model.logprobs(golden.passageIds, precision: .float)
    let difference = meanDifference(found, golden.passageLogprobs)
    #expect(difference <= 0.005, "mean |difference| \(difference)")
    print("\(model.file), float mode: mean |log-probability difference| \(difference)")
  }

  @Test(arguments: present)
  func theFirstTokenIsTheReferencesWhereItIsNotANearTie(_ model: RealModel) throws {
    let loaded = try model.load()
    var equal = 0
    let golden = try model.golden()
    for expected in golden.cases {
      let pass = try ForwardPass(loaded, contextSize: 256, threads: 2)
      try pass.prefill(expected.promptIds)
      let isClear = expected.top20[0][1] - expected.top20[1][1] > 0.5
      let isEqual = pass.argmax() == Int(expected.top20[0][0])
      #expect(isEqual || !isClear, "\(expected.text)")
      equal += isEqual ? 1 : 0
    }
    print("\(model.file): \(equal) of \(golden.cases.count) first tokens equal")
  }

  /// The bits themselves depend on no number of threads, and with whole-number dot products not on
  /// the chunks either; matrix units take chunks of some size, in another arithmetic.
  @Test(arguments: present)
  func threadsAndChunksDoNotChangeALogit(_ model: RealModel) throws {
    let loaded = try model.load()
    let prompt = Array(try model.golden().passageIds[..<100])
    let isWhole = MachineBenchmark.instructionSet != "amx"
    var expected: [Float]?
    for chunk in [100, 1, 7, 33] {
      let logits = try [1, 2].map { threads in
        let pass = try ForwardPass(loaded, contextSize: 256, threads: threads)
        try pass.prefill(prompt, chunk: chunk)
        return pass.logits.row(0)
      }
      let areEqual = logits[0] == logits[1]
      #expect(areEqual, "threads, chunk \(chunk)")
      let isEqual = logits[0] == expected ?? logits[0]
      #expect(isEqual || !isWhole, "chunk \(chunk)")
      expected = logits[0]
    }
  }

  private func meanDifference(_ found: [Double], _ expected: [Float]) -> Double {
    zip(found, expected).reduce(0) { $0 + abs($1.0 - Double($1.1)) } / Double(found.count)
  }
}
