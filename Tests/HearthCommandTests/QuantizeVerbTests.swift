import Foundation
import GGUF
import Testing

@Suite("quantize, random-model") struct QuantizeVerbTests {
  @Test("A model is written again, and the command runs it") func quantize() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "out.gguf").path(percentEncoded: false)
    let model = Command.tinyModel("llama")
    let first = try Command.run(["quantize", "--threads", "2", model, output, "q8_0"])
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.isEmpty)
    #expect(first.errors.contains("[30/30]"))
    #expect(first.errors.hasSuffix("\(output) is complete\n"))
    #expect(try GGUFFile(path: output).tensor(named: "blk.0.ffn_down.weight")?.type == .q8_0)

    let line = #"{"tokens":[3,1,4,1,5]}"#
    let logits = try Command.run(["logits", "--model", output], input: line).objects
    let expected = try Command.run(["logits", "--model", model], input: line).objects
    let ours = try #require(logits.first?["logits"] as? [Double])
    let theirs = try #require(expected.first?["logits"] as? [Double])
    #expect(ours.count == theirs.count)
    // Eight bits keep logits within a hundredth of their spread.
    let spread = (theirs.max() ?? 0) - (theirs.min() ?? 0)
    #expect(zip(ours, theirs).allSatisfy { abs($0 - $1) < spread / 50 })

    let again = try Command.run(["quantize", model, output, "Q4_0"])
    #expect(again.status == 1)
    #expect(again.errors.contains("--force"))
    #expect(try GGUFFile(path: output).tensor(named: "blk.0.ffn_down.weight")?.type == .q8_0)
    let forced = try Command.run(["quantize", "--force", "--pure", model, output, "Q4_0"])
    #expect(forced.status == 0, "\(forced.errors)")
    #expect(try GGUFFile(path: output).tensor(named: "output.weight")?.type == .q4_0)
  }

  @Test("A random model of any size is written, and the command runs it") func random() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "out.gguf").path(percentEncoded: false)
    let sizes = [
      "--layers", "1", "--embedding", "256", "--heads", "4", "--kv-heads", "2", "--ffn", "512",
      "--vocabulary", "300",
    ]
    let made = try Command.run(["random-model"] + sizes + ["1.1b", output, "Q4_K_M"])
    #expect(made.status == 0, "\(made.errors)")
    let logits = try Command.run(["logits", "--model", output], input: #"{"tokens":[7,8,9]}"#)
    let numbers = try #require(logits.objects.first?["logits"] as? [Double])
    #expect(numbers.count == 300)
    #expect(numbers.allSatisfy { $0.isFinite })
  }

  @Test(
    "What cannot be is refused, and nothing is written",
    arguments: [
      (["quantize", "IN", "OUT", "Q9_9"], 2), (["quantize", "IN", "OUT"], 2),
      (["quantize", "nowhere.gguf", "OUT", "Q4_0"], 1), (["quantize", "IN", "IN", "Q4_0"], 1),
      (["quantize", "IN", "/nowhere/at/all.gguf", "Q4_0"], 1),
      (["random-model", "9b", "OUT", "Q4_0"], 2),
      (["random-model", "--heads", "3", "1.1b", "OUT", "Q4_0"], 2),
      (["quantize", "/tmp", "OUT", "Q4_0"], 1), (["quantize", "--force", "IN", "/tmp", "Q4_0"], 1),
    ] as [([String], Int32)])
  func refusals(words: [String], status: Int32) throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "out.gguf").path(percentEncoded: false)
    let named = words.map { ["IN": Command.tinyModel("llama"), "OUT": output][$0] ?? $0 }
    let result = try Command.run(named)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.errors.hasPrefix("hearth \(words[0]): "), "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).isEmpty)
  }

  private func scratch() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
