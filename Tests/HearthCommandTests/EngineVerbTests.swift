import Foundation
import TestSupport
import Testing

/// The verbs by which other programs check the engine, on tiny models with known results.
@Suite struct EngineVerbTests {
  private struct Golden: Decodable {
    struct Case: Decodable {
      var prompt_ids: [Int]
      var last_logits: [Double]
      var argmax_per_position: [Int]
      var greedy16: [Int]
    }

    var cases: [Case]
  }

  private func golden(_ name: String) throws -> Golden {
    let url = TestData.fixtures.appending(path: "arch/\(name).json")
    return try JSONDecoder().decode(Golden.self, from: Data(contentsOf: url))
  }

  @Test func logitsAnswersEachLineAndGoesOnAfterABadOne() throws {
    let golden = try golden("llama").cases
    let lines = [
      "{\"tokens\":\(golden[0].prompt_ids),\"all\":true,\"greedy\":16}", "not json", "[1]",
      "{\"tokens\":[]}", "{\"tokens\":[999]}", "{\"tokens\":[-1]}", "{\"tokens\":[1.5]}",
      "{\"tokens\":\"1\"}", "{\"tokens\":[1],\"greedy\":-1}", "{\"tokens\":[1],\"colour\":1}", "",
      "{\"tokens\":\(Array(repeating: 1, count: 513))}", "{\"tokens\":\(golden[1].prompt_ids)}",
    ]
    let result = try Command.run(
      ["logits", "--model", Command.tinyModel("llama")], input: lines.joined(separator: "\n"))
    #expect(result.status == 0)
    let objects = try result.objects
    try #require(objects.count == lines.count - 1)
    for index in 1...10 { #expect(objects[index]["error"] is String) }
    #expect(objects[0]["argmax"] as? [Int] == golden[0].argmax_per_position)
    #expect(objects[0]["greedy"] as? [Int] == golden[0].greedy16)
    for (object, expected) in [(objects[0], golden[0]), (objects[11], golden[1])] {
      let logits = try #require(object["logits"] as? [Double])
      try #require(logits.count == expected.last_logits.count)
      let worst = zip(logits, expected.last_logits).map { abs($0 - $1) }.max() ?? 1
      #expect(worst < 0.002)
    }
    #expect(objects[11]["argmax"] == nil && objects[11]["greedy"] == nil)
  }

  @Test func keysAndValuesInFloat32GiveNearerLogits() throws {
    let golden = try golden("llama").cases[0]
    let errors = try ["f16", "f32"].map { type in
      let result = try Command.run(
        ["logits", "--kv", type, "--model", Command.tinyModel("llama")],
        input: "{\"tokens\":\(golden.prompt_ids)}")
      let logits = try #require(result.objects.first?["logits"] as? [Double], "\(result.errors)")
      try #require(logits.count == golden.last_logits.count)
      return zip(logits, golden.last_logits).reduce(0) { $0 + abs($1.0 - $1.1) }
    }
    #expect(errors[1] < errors[0])
  }

  @Test func perplexityIsThatOfTheLogits() throws {
    // So few tokens that all products take the same way, whatever the number of rows: the bits of
    // both commands are the same.
    let tokens = Array(try golden("qwen3").cases[0].prompt_ids.prefix(7))
    let result = try Command.run(
      ["perplexity", "--model", Command.tinyModel("qwen3")],
      input: "{\"tokens\":\(tokens)}\n{\"tokens\":[1]}\n{\"text\":\"the inn\"}\n{}\n")
    let objects = try result.objects
    try #require(objects.count == 4)
    let logprobs = try #require(objects[0]["logprobs"] as? [Double])
    #expect(logprobs.count == tokens.count - 1)
    #expect(objects[0]["tokens"] as? Int == tokens.count)
    let perplexity = try #require(objects[0]["perplexity"] as? Double)
    let mean = logprobs.reduce(0, +) / Double(logprobs.count)
    #expect(abs(perplexity - exp(-mean)) < 1e-9 * perplexity)
    #expect(objects[1]["error"] is String && objects[3]["error"] is String)
    #expect(objects[2]["perplexity"] is Double)

    // The last log-probability from the logits of the command beside it.
    let logits =
      try Command.run(
        ["logits", "--model", Command.tinyModel("qwen3")],
        input: "{\"tokens\":\(Array(tokens.dropLast()))}\n"
      ).objects[0]["logits"] as? [Double]
    let values = try #require(logits)
    let sum = values.reduce(0) { $0 + exp($1) }
    let last = try #require(tokens.last)
    #expect(abs(values[last] - log(sum) - (logprobs.last ?? 0)) < 1e-6)
  }

  @Test func tokenizeAnswersEachLine() throws {
    let result = try Command.run(
      ["tokenize", "--model", Command.tinyModel("llama")],
      input: "{\"text\":\"the inn\"}\n{\"text\":1}\n{}\n{\"text\":\"\"}\n{\"text\":\"h\\u00e9\"}\n")
    #expect(result.status == 0)
    let objects = try result.objects
    try #require(objects.count == 5)
    let ids = try #require(objects[0]["ids"] as? [Int])
    #expect(!ids.isEmpty && ids.count < 7)
    #expect(objects[1]["error"] is String && objects[2]["error"] is String)
    #expect(objects[3]["ids"] as? [Int] == [])
    #expect((objects[4]["ids"] as? [Int])?.count == 3)
  }

  @Test func inspectShowsMetadataTensorsTypesAndMemory() throws {
    let result = try Command.run(["inspect", Command.tinyModel("gemma3")])
    #expect(result.status == 0)
    for part in [
      "general.architecture = string 'gemma3'", "blk.6.ffn_down.weight", "96 x 64", "93 tensors",
      "KV cache",
      "fits this machine",
    ] {
      #expect(result.output.contains(part), "\(part)")
    }
    // 3 layers, keys and values, 2 heads of 16 numbers, 512 positions: 98,304 numbers.
    for (type, size) in [("f16", "0.2 MB"), ("f32", "0.4 MB")] {
      let lines = try Command.run(["inspect", "--kv", type, Command.tinyModel("llama")]).output
        .split(separator: "\n")
      #expect(lines.first { $0.contains("KV cache") }?.hasSuffix(size) == true)
    }
    let brief = try Command.run(["inspect", "--no-tensors", Command.tinyModel("gemma3")])
    #expect(!brief.output.contains("blk.6.ffn_down.weight"))
  }
}
