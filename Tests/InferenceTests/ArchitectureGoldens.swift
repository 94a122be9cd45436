import Foundation
import GGUF
import Inference
import TestSupport
import Testing

/// Expected results of one tiny model, made by `transformers` in float32 on random weights.
struct ArchitectureGolden: Decodable {
  struct Case: Decodable {
    var promptIds: [Int32]
    var lastLogits: [Float]
    var argmaxPerPosition: [Int]
    var greedy16: [Int32]
  }

  var cases: [Case]

  static let names = [
    "llama", "llama-tied", "llama3-rope", "mistral", "qwen2", "qwen3", "gemma2", "gemma3", "phi3",
  ]

  static func load(_ name: String) throws -> ArchitectureGolden {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(
      ArchitectureGolden.self, from: Data(contentsOf: arch.appending(path: name + ".json")))
  }

  static let arch = TestData.fixtures.appending(path: "arch")

  static func model(_ name: String) throws -> TransformerModel {
    let path = arch.appending(path: name + ".gguf").path(percentEncoded: false)
    return try TransformerModel(file: GGUFFile(path: path))
  }
}

extension ForwardPass {
  /// Runs tokens in chunks of at most `chunk`; logits of the last token are left.
  func prefill(_ tokens: [Int32], chunk: Int = .max) throws {
    var start = 0
    while start < tokens.count {
      let end = min(tokens.count, start + min(chunk, tokens.count))
      try run(tokens[start..<end].span, wanted: end == tokens.count ? .last : .none)
      start = end
    }
  }

  /// Greedy continuation after `prefill`.
  func greedy(_ count: Int) throws -> [Int32] {
    var result: [Int32] = []
    while result.count < count {
      let token = Int32(argmax())
      result.append(token)
      if result.count < count { try run([token].span, wanted: .last) }
    }
    return result
  }
}

@Suite struct ArchitectureGoldenTests {
  /// Largest difference allowed, in standard deviations of the logits: the float16 cache rounds
  /// keys and values to 11 bits.
  static let tolerance: Float = 0.002

  @Test(arguments: ArchitectureGolden.names)
  func lastLogitsAndArgmaxAreThoseOfTheReference(_ name: String) throws {
    let golden = try ArchitectureGolden.load(name)
    let model = try ArchitectureGolden.model(name)
    for expected in golden.cases {
      let pass = try ForwardPass(model, contextSize: 256, threads: 2)
      try pass.run(expected.promptIds.span, wanted: .all)
      let logits = pass.logits.row(expected.promptIds.count - 1)
      let mean = expected.lastLogits.reduce(0, +) / Float(logits.count)
      let variance =
        expected.lastLogits.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(logits.count)
      let tolerance = Self.tolerance * variance.squareRoot()
      let worst = zip(logits, expected.lastLogits).map { abs($0 - $1) }.max() ?? .infinity
      #expect(worst <= tolerance, "\(worst / variance.squareRoot()) standard deviations")
      // Where two logits are nearer to each other than twice the accuracy, either may come first.
      for (position, token) in expected.argmaxPerPosition.enumerated() {
        let row = pass.logits.row(position)
        #expect(row[pass.argmax(row: position)] - row[token] <= 2 * tolerance)
      }
    }
  }

  @Test(arguments: ArchitectureGolden.names, [1, 2])
  func greedyTokensAreThoseOfTheReferenceWithAnyThreadsAndChunks(
    _ name: String, threads: Int
  ) throws {
    let golden = try ArchitectureGolden.load(name)
    let model = try ArchitectureGolden.model(name)
    for expected in golden.cases {
      for chunk in [1, 7, 32, 512] {
        let pass = try ForwardPass(model, contextSize: 256, threads: threads)
        try pass.prefill(expected.promptIds, chunk: chunk)
        #expect(try pass.greedy(16) == expected.greedy16, "chunk \(chunk)")
      }
    }
  }

  /// Nothing rounds keys and values then: what is left is the order of additions, about 1e-5 in place
  /// of 1e-3.
  @Test(arguments: ArchitectureGolden.names)
  func aFloat32CacheIsTenTimesNearerToTheReference(_ name: String) throws {
    let golden = try ArchitectureGolden.load(name)
    let model = try ArchitectureGolden.model(name)
    for expected in golden.cases {
      func error(_ type: KeyValueType, chunk: Int) throws -> Float {
        let pass = try ForwardPass(model, contextSize: 256, threads: 2, keyValueType: type)
        try pass.prefill(expected.promptIds, chunk: chunk)
        return zip(pass.logits.row(0), expected.lastLogits).reduce(0) {
          $0 + ($1.0 - $1.1) * ($1.0 - $1.1)
        }
      }
      for chunk in [1, 7, 512] {
        let errors = (
          half: try error(.float16, chunk: chunk), wide: try error(.float32, chunk: chunk)
        )
        #expect(errors.wide * 100 <= errors.half, "squares of \(errors), chunk \(chunk)")
      }
      let pass = try ForwardPass(model, contextSize: 256, threads: 2, keyValueType: .float32)
      try pass.prefill(expected.promptIds)
      #expect(try pass.greedy(16) == expected.greedy16)
    }
  }

  /// K7, K11: what is left in the cache after dropping tokens is as good as a cold start, also
  /// where layers see a sliding window only.
  @Test(arguments: ArchitectureGolden.names, [KeyValueType.float16, .float32])
  func branchingFromAKeptPrefixEqualsAColdRun(_ name: String, type: KeyValueType) throws {
    let golden = try ArchitectureGolden.load(name)
    let model = try ArchitectureGolden.model(name)
    let prompt = golden.cases[2].promptIds
    let warm = try ForwardPass(model, contextSize: 256, threads: 2, keyValueType: type)
    try warm.prefill(Array(prompt[..<40]))
    try warm.prefill(prompt.reversed())
    warm.cache.truncate(to: 40)
    try warm.prefill(Array(prompt[40...]))
    let cold = try ForwardPass(model, contextSize: 256, threads: 2, keyValueType: type)
    try cold.prefill(Array(prompt[..<40]))
    try cold.prefill(Array(prompt[40...]))
    let isEqual = warm.logits.row(0) == cold.logits.row(0)
    #expect(isEqual)
  }
}
