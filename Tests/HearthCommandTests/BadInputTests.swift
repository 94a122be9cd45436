import Foundation
import GGUF
import TestSupport
import Testing

/// Input and files that once ended the command, hung it or passed for good.
@Suite struct BadInputTests {
  /// A copy of the tiny llama model with one thing changed.
  private func model(
    _ change: (inout GGUFWriter) -> Void, replacing name: String? = nil, by byte: UInt8 = 0
  ) throws -> URL {
    let file = try GGUFFile(path: Command.tinyModel("llama"))
    var writer = GGUFWriter()
    for entry in file.metadata { writer.set(entry.key, entry.value) }
    change(&writer)
    for tensor in file.tensors {
      let bytes = file.withBytes(of: tensor) { span in
        (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
      }
      writer.add(
        tensor.name, tensor.type, tensor.dimensions,
        bytes: tensor.name == name ? bytes.map { _ in byte } : bytes)
    }
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".gguf")
    try Data(writer.bytes()).write(to: url)
    return url
  }

  private func path(_ url: URL) -> String { url.path(percentEncoded: false) }

  @Test func aFolderAsStandardInputIsAnError() throws {
    for verb in ["run", "tokenize", "logits", "chat"] {
      let words = [verb, "--model", Command.tinyModel("llama")]
      let result = try Command.run(
        words + (verb == "run" ? ["--raw"] : verb == "chat" ? ["--template", "chatml"] : []),
        from: URL(filePath: "/"))
      #expect(result.status == 1, "\(verb)")
      #expect(result.errors.contains("cannot read standard input"), "\(verb)")
    }
  }

  @Test(arguments: ["0", "-1", "513", "100000000000000000", "9223372036854775807"])
  func inspectRefusesASenselessContext(_ size: String) throws {
    let result = try Command.run(["inspect", "--ctx", size, Command.tinyModel("llama")])
    #expect([1, 2].contains(result.status))
    #expect(result.output.isEmpty && !result.errors.isEmpty)
  }

  @Test func inspectShowsAFileThatIsNoModel() throws {
    var writer = GGUFWriter()
    writer.set("general.name", .text("no \u{1B}[31mmodel"))
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".gguf")
    try Data(writer.bytes()).write(to: url)
    let result = try Command.run(["inspect", path(url)])
    #expect(result.status == 0)
    #expect(result.output.contains("no estimate: metadata general.architecture"))
    // Control characters of a file never reach the terminal.
    #expect(!result.output.contains("\u{1B}"))
  }

  @Test func logitsThatAreNoNumbersAreAnError() throws {
    // 0xFF in all bytes is not a number.
    let url = try model({ _ in }, replacing: "output_norm.weight", by: 0xFF)
    for (verb, line) in [("logits", "{\"tokens\":[1]}"), ("perplexity", "{\"tokens\":[1,2]}")] {
      let result = try Command.run([verb, "--model", path(url)], input: line)
      #expect(try result.objects.first?["error"] is String)
    }
    let run = try Command.run(["run", "--raw", "--prompt", "hi", "--model", path(url)])
    #expect(run.status == 1 && run.errors.contains("unusable"))
  }

  @Test func textThatIsNoUTF8IsRefusedWithItsPlace() throws {
    let input = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: input) }
    try Data(Array("ab".utf8) + [0xFF] + Array("cd\n".utf8)).write(to: input)
    let model = ["--model", Command.tinyModel("llama")]
    let whole = try Command.run(["extract", "--raw", "--regex", "a"] + model, from: input)
    #expect(whole.status == 1)
    #expect(whole.output.isEmpty && whole.errors.contains("byte 2"), "\(whole.errors)")
    let lines = try Command.run(
      ["extract", "--raw", "--jsonl", "--regex", "a"] + model, from: input)
    #expect(lines.output.contains("\"error\":") && lines.output.contains("byte 2"))
    let tokens = try Command.run(["tokenize"] + model, from: input)
    #expect(try tokens.objects.count == 1)
    #expect(try (tokens.objects.first?["error"] as? String)?.contains("byte 2") == true)
  }

  @Test func rawNeedsNoTemplateThatCompiles() throws {
    let url = try model { $0.set("tokenizer.chat_template", .text("{% if %}")) }
    let words = ["run", "--prompt", "hi", "--max-tokens", "2", "--model", path(url)]
    #expect(try Command.run(words + ["--raw"]).status == 0)
    let result = try Command.run(words)
    #expect(result.status == 1 && result.errors.contains("1:"))
  }

  @Test func aTemplateThatRefusesATurnDoesNotEndTheTalk() throws {
    let template =
      "{% if messages[-1].content == 'bad' %}{{ raise_exception('no') }}{% endif %}"
      + "{{ messages[-1].content }}"
    let url = try model { $0.set("tokenizer.chat_template", .text(template)) }
    let result = try Command.run(
      ["chat", "--max-tokens", "2", "--model", path(url)], input: "hi\nbad\nhi again\n/stats\n")
    #expect(result.status == 0)
    #expect(result.errors.contains("this turn is not kept") && result.errors.contains("2 turns]"))
  }

  @Test func instructionsWorkWithATemplateThatRefusesOddQuestions() throws {
    let template =
      "{% for m in messages %}{% if m.content | length < 3 %}{{ raise_exception('short') }}"
      + "{% endif %}{{ m.content }}{% endfor %}"
    let url = try model { $0.set("tokenizer.chat_template", .text(template)) }
    let result = try Command.run(
      ["run", "--prompt", "hello", "--system", "nice", "--max-tokens", "2", "--model", path(url)])
    #expect(result.status == 0)
  }

  @Test func anAssumedPretokenizerIsSaid() throws {
    let file = try GGUFFile(path: Command.tinyModel("llama"))
    var writer = GGUFWriter()
    for entry in file.metadata where entry.key != "tokenizer.ggml.pre" {
      writer.set(entry.key, entry.value)
    }
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".gguf")
    try Data(writer.bytes()).write(to: url)
    let result = try Command.run(["tokenize", "--model", path(url)], input: "{\"text\":\"hi\"}\n")
    #expect(result.status == 0)
    #expect(result.errors.contains("warning: ") && result.errors.contains("tokenizer.ggml.pre"))
  }

  @Test func outputThatCannotBeWrittenIsSaid() throws {
    let process = Process()
    process.executableURL = try Command.found()
    process.arguments = ["models", "list"]
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
    #expect(text.contains("cannot write the output"))
  }

  @Test func helpIsOnlyWhatComesFirst() throws {
    let result = try Command.run(
      [
        "run", "--prompt", "-h", "--raw", "--max-tokens", "1", "--model",
        Command.tinyModel("llama"),
      ])
    #expect(result.status == 0)
    #expect(!result.output.contains("usage:"))
  }
}
