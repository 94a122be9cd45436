import Foundation
import GGUF
import Testing

/// `hearth quantize` and `hearth random-model`.
@Suite(.timeLimit(.minutes(4))) struct QuantizeVerbTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  private let tiny =
    ["--layers", "1", "--embedding", "64", "--heads", "4", "--kv-heads", "2"]
    + ["--ffn", "96", "--vocabulary", "300"]

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String {
    folder.appending(path: name).path(percentEncoded: false)
  }

  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        .sorted()
    }
  }

  @Test func aQuantisedModelAnswers() throws {
    let output = path("m.gguf")
    let result = try Command.run(["quantize", Command.tinyModel("llama"), output, "q8_0"])
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(result.errors.contains("blk.0.attn_q.weight Q8_0"))
    #expect(result.errors.hasSuffix("\(output) is complete\n"))
    let run = try Command.run(
      ["run", "--raw", "--prompt", "hi", "--max-tokens", "3", "--temperature", "0"]
        + ["--model", output])
    #expect(run.status == 0)
    #expect(try files == ["m.gguf"])
  }

  @Test func aRandomModelAnswers() throws {
    let output = path("m.gguf")
    let result = try Command.run(["random-model", "1.1b", output, "Q4_0"] + tiny)
    #expect(result.status == 0 && result.output.isEmpty)
    let logits = try Command.run(["logits", "--model", output], input: "{\"tokens\":[1,2]}\n")
    #expect(try logits.objects.first?["logits"].map { ($0 as? [Any])?.count == 300 } == true)
    // The seed changes the weights; everything else stays.
    let other = path("n.gguf")
    _ = try Command.run(["random-model", "1.1b", other, "Q4_0", "--seed", "5"] + tiny)
    #expect(try GGUFFile(path: other).fileByteCount == GGUFFile(path: output).fileByteCount)
  }

  @Test func pureIsTheSameTypeEverywhere() throws {
    let output = path("m.gguf")
    for (words, types) in [([], [TensorType.q4_0, .q8_0]), (["--pure"], [.q4_0])] {
      let result = try Command.run(
        ["quantize", Command.tinyModel("llama"), output, "Q4_0", "--force"] + words)
      #expect(result.status == 0)
      let weights = try GGUFFile(path: output).tensors.filter { $0.dimensions.count > 1 }
      #expect(Set(weights.map(\.type)) == Set(types))
    }
  }

  @Test func wrongCallsAreSaid() throws {
    let model = Command.tinyModel("llama")
    let output = path("m.gguf")
    let calls: [([String], String)] = [
      (["quantize"], "IN, OUT and TYPE"), (["quantize", model, output], "IN, OUT and TYPE"),
      (["quantize", model, output, "Q4_0", "more"], "unexpected argument"),
      (["quantize", model, output, "Q4_X"], "there are F32, F16"),
      (["quantize", model, output, "Q4_0", "--threads", "0"], "--threads"),
      (["random-model", "1.1b", output], "SHAPE, OUT and TYPE"),
      (["random-model", "9b", output, "Q4_0"], "1.1b"),
      (["random-model", "1.1b", output, "Q4_0", "--seed", "x"], "--seed"),
    ]
    for (words, text) in calls {
      let result = try Command.run(words)
      #expect(result.status == 2 && result.errors.contains(text), "\(words)")
    }
    #expect(try files.isEmpty)
  }

  @Test func failuresAreSaidAndLeaveNothing() throws {
    let model = Command.tinyModel("llama")
    try Data("precious".utf8).write(to: folder.appending(path: "there"))
    let calls: [([String], String)] = [
      (["quantize", model, path("there"), "Q4_0"], "--force"),
      (["quantize", model, model, "Q4_0", "--force"], "input itself"),
      (["quantize", path("absent.gguf"), path("m"), "Q4_0"], "absent.gguf"),
      (["quantize", path("there"), path("m"), "Q4_0"], "GGUF"),
      (["quantize", model, path("no/m"), "Q4_0"], "No such file"),
      (["random-model", "1.1b", path("there"), "Q4_0"] + tiny, "--force"),
      (["random-model", "1.1b", path("m"), "Q4_0", "--heads", "7"], "7 heads"),
    ]
    for (words, text) in calls {
      let result = try Command.run(words)
      #expect(result.status == 1 && result.errors.contains(text), "\(words) \(result.errors)")
    }
    #expect(try files == ["there"])
    #expect(try Data(contentsOf: folder.appending(path: "there")) == Data("precious".utf8))
  }

  @Test func controlCLeavesNothing() throws {
    let process = Process()
    process.executableURL = try Command.found()
    process.arguments = ["random-model", "3b", path("m.gguf"), "Q6_K"]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    // The first line of progress comes when the work has begun.
    #expect(!errors.fileHandleForReading.availableData.isEmpty)
    #expect(try files == ["m.gguf.partial"])
    process.interrupt()
    let rest = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 130)
    #expect(rest.contains("cancelled"))
    #expect(try files.isEmpty)
  }

  @Test func memoryDoesNotGrowWithTheModel() throws {
    // Models of about 3 and 100 MB.
    func peaks(_ vocabulary: String) throws -> (make: Int, quantize: Int) {
      let plain = path("plain\(vocabulary)")
      let shape = ["--layers", "1", "--embedding", "512", "--heads", "8", "--kv-heads", "8"]
      let make = try Command.peakMemory(
        ["random-model", "1.1b", plain, "F32", "--ffn", "256", "--vocabulary", vocabulary] + shape,
        input: "")
      let quantize = try Command.peakMemory(
        ["quantize", plain, path("half\(vocabulary)"), "F16"], input: "")
      return (make, quantize)
    }
    let (small, large) = (try peaks("300"), try peaks("24000"))
    #expect(large.make - small.make < 24 << 20, "\(small) \(large)")
    #expect(large.quantize - small.quantize < 24 << 20, "\(small) \(large)")
  }
}
