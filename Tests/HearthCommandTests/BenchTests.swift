import Foundation
import Testing

/// `hearth bench`: what it measures cannot be known before, what it says about it can.
@Suite struct BenchTests {
  private func bench(_ words: [String], input: String = "") throws -> Command {
    try Command.run(["bench", "--threads", "1"] + words, input: input)
  }

  @Test func everyMeasureGivesARecord() throws {
    let result = try bench([
      "--json", "--rounds", "2", "--measures", "prefill8,decode4,load,ttft8",
      Command.tinyModel("llama"), Command.tinyModel("gemma3"),
    ])
    #expect(result.status == 0, "\(result.errors)")
    let records = try result.objects
    try #require(records.count == 8)
    #expect(
      records.prefix(4).map { $0["measure"] as? String } == [
        "prefill8", "decode4", "load", "ttft8",
      ])
    for record in records {
      let values = try ["low", "median", "high"].map { try #require(record[$0] as? Double) }
      #expect(values[0] > 0 && values == values.sorted())
      #expect(record["rounds"] as? Int == 2 && record["threads"] as? Int == 1)
      #expect(try #require(record["cpu"] as? Double) >= 0)
    }
    #expect(try #require(records[7]["model"] as? String).hasSuffix("gemma3.gguf"))
  }

  @Test func theTableHasALineForEachMeasure() throws {
    let result = try bench([
      "--rounds", "1", "--measures", "prefill8,decode0", Command.tinyModel("llama"),
    ])
    let lines = result.output.split(separator: "\n")
    try #require(lines.count == 3, "\(result.errors)")
    #expect(lines[0] == "llama.gguf, 1 threads, 1 rounds")
    #expect(lines[1].hasPrefix("prefill8 ") && lines[1].hasSuffix("GOP/s"))
    #expect(lines[2].hasPrefix("decode0 ") && lines[2].hasSuffix("GB/s"))
  }

  @Test func aWorkerAnswersEachLineWithTheTokensCost() throws {
    // The tiny model: 3 layers of 30,720 weights, 18,432 of the output and 448 of norms, all of
    // four bytes; 4 heads and 2 of keys and values, of 16. A prompt of 8 sees 4.5 positions on
    // average, 64 tokens after 4 see 36.5.
    let operations = 2 * 3 * 30720 + 2 * 18432 / 8 + 3 * Int(4.5 * 2 * 2 * 4 * 16)
    let bytes = 4 * (3 * 30720 + 18432 + 448) + 3 * Int(36.5 * 2 * 2 * 2 * 16)
    let result = try bench(
      ["--serve", Command.tinyModel("llama")],
      input: """
        {"measure":"prefill8"}
        {"measure":"decode4"}
        {"measure":"decode4"}
        """)
    let answers = try result.objects
    try #require(answers.count == 3, "\(result.output) \(result.errors)")
    for answer in answers { #expect(try #require(answer["value"] as? Double) > 0) }
    #expect(answers[0]["token_operations"] as? Int == operations)
    #expect(answers[0]["token_bytes"] == nil)
    #expect(answers[1]["token_bytes"] as? Int == bytes)
  }

  @Test func keysAndValuesOfFloat32AreTwiceTheBytes() throws {
    let bytes = try ["f16", "f32"].map { type in
      let result = try bench(
        ["--serve", "--kv", type, Command.tinyModel("llama")], input: #"{"measure":"decode4"}"#)
      return try #require(result.objects.first?["token_bytes"] as? Int, "\(result.errors)")
    }
    // 3 layers, 36.5 positions, keys and values, 2 heads of 16, 2 bytes more of each number.
    #expect(bytes[1] - bytes[0] == 3 * Int(36.5 * 2 * 2 * 16 * 2))
  }

  @Test func layersWithAWindowReadNoMoreThanIt() throws {
    // Of seven layers only the sixth sees everything; it has 2 heads of keys and values, of 32.
    let result = try bench(
      ["--serve", Command.tinyModel("gemma3")],
      input: """
        {"measure":"decode100"}
        {"measure":"decode200"}
        """)
    let bytes = try result.objects.map { try #require($0["token_bytes"] as? Int) }
    try #require(bytes.count == 2)
    #expect(bytes[1] - bytes[0] == 100 * 2 * 2 * 2 * 32)
  }

  @Test func whatCannotBeMeasuredIsSaidAndTheRestGoesOn() throws {
    let result = try bench(
      ["--serve", "--ctx", "100", Command.tinyModel("llama")],
      input: """
        {"measure":"warmth"}
        {"measure":"prefill0"}
        {"measure":"prefill99999999999999999999"}
        {"measures":"load"}
        {}
        {"measure":"prefill100"}
        {"measure":"prefill9223372036854775807"}
        {"measure":"load"}
        {"measure":"prefill99"}
        """)
    let answers = try result.objects
    try #require(answers.count == 9)
    for answer in answers.dropLast() { #expect(answer["error"] is String, "\(answer)") }
    #expect(answers[5]["error"] as? String == "100 tokens and 1 more do not fit the context of 100")
    #expect(answers[7]["error"] as? String == "load needs a fresh process")
    #expect(answers[8]["value"] is Double)
  }

  @Test func peakMemoryNeedsRoomForItsTokens() throws {
    // The tiny model's context is 512 tokens, which a prompt of 512 fills.
    let result = try bench(
      ["--serve", Command.tinyModel("llama")], input: #"{"measure":"peak_memory"}"#)
    let error = try #require(result.objects.first?["error"] as? String)
    #expect(error.contains("512 tokens and 16 more"))
  }

  @Test(arguments: [
    ["--measures", "decode-1"], ["--measures", ""], ["--rounds", "0"], ["--serve", "a", "b"],
    ["--threads", "none"], ["--serve", "--rounds", "2"], ["--serve", "--measures", "load"],
    ["--measures", "prefill+5"], ["--measures", "prefill032"], ["--measures", "load,"],
  ])
  func senselessCallsAreRefused(_ words: [String]) throws {
    let result = try Command.run(["bench"] + words + [Command.tinyModel("llama")])
    #expect(result.status == 2 || result.status == 1)
    #expect(result.output.isEmpty && !result.errors.isEmpty)
  }

  @Test func optionsOfModelsHaveNoUseWithTheMachine() throws {
    for words in [["--cached"], ["--measures", "load"], ["--serve"]] {
      let result = try Command.run(["bench", "machine"] + words)
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errors.contains("\(words[0]) has no use with machine"))
    }
  }

  @Test func weightsThatCannotBeKeptAreNotMeasured() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "model.gguf").path(percentEncoded: false)
    try FileManager.default.createDirectory(
      atPath: path + ".interleaved", withIntermediateDirectories: true)
    let made = try Command.run(["quantize", Command.tinyModel("llama"), path, "Q4_0"])
    #expect(made.status == 0, "\(made.errors)")
    let result = try bench(
      ["--serve", "--cached", path], input: #"{"measure":"load"}"#)
    let answer = try #require(try result.objects.first)
    let error = try #require(answer["error"] as? String)
    #expect(error.contains(path + ".interleaved"))
  }

  @Test func aModelThatIsNotThereIsAnError() throws {
    let result = try Command.run(["bench", "no-such-model"])
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains("no-such-model"))
  }

  @Test func theMachineHasLimits() throws {
    let result = try bench(["machine", "--json"])
    let limits = try #require(result.objects.first, "\(result.errors)")
    #expect(limits["threads"] as? Int == 1)
    for name in ["read", "sgemm"] {
      let figure = try #require(limits[name] as? [String: Any])
      #expect(try #require(figure["value"] as? Double) > 0)
    }
  }
}
