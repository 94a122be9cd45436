import Foundation
import TestSupport
import Testing

@Suite struct UsageTests {
  static let wrongCalls: [[String]] = [
    [], ["fly"], ["run", "--colour"], ["run", "--top-k"], ["run", "--top-k", "many"],
    ["run", "--temperature", "-1", "--prompt", "x"],
    ["run", "--max-tokens", "-3", "--prompt", "x"],
    ["run", "--backend", "gpu", "--prompt", "x"], ["run", "--kv", "f8", "--prompt", "x"],
    ["chat", "--kv"], ["grammar", "--kv", "f32"], ["run", "--quiet=yes"], ["inspect"],
    ["inspect", "a", "b"], ["models"], ["models", "burn"], ["models", "pull", "a", "b"],
    ["tokenize", "extra"], ["logits", "extra"], ["perplexity", "extra"], ["chat", "extra"],
    ["run", "--logit-bias", "x", "--prompt", "x"], ["run", "--raw", "--template", "chatml", "x"],
    ["run", "--top-p", "0", "x"], ["run", "--seed", "-1", "x"], ["help", "fly"],
    ["models", "list", "x"], ["models", "pull", "--force"], ["models", "verify", "a", "b"],
    ["models", "path", "a", "b"], ["extract", "extra"], ["grammar", "extra"], ["extract"],
    ["quantize"], ["quantize", "a", "b"], ["random-model", "3b", "b"],
    ["template", "extra"], ["template", "--model", "x"], ["run", "--raw", "--system", "y", "x"],
    ["run", "--threads", "100000", "x", "--raw", "--model", Command.tinyModel("llama")],
    ["run", "--ctx", "100000", "x", "--raw", "--model", Command.tinyModel("llama")],
    ["logits", "--ctx", "100000", "--model", Command.tinyModel("llama")],
    ["inspect", "--ctx", "100000", Command.tinyModel("llama")],
  ]

  /// Names of models and files, with the words before them.
  static let unknownNames: [[String]] = [
    ["run", "x", "--model"], ["inspect"], ["models", "pull"], ["models", "verify"],
    ["models", "path"], ["bench"], ["tokenize", "--model"], ["logits", "--model"],
    ["perplexity", "--model"], ["grammar", "--model"], ["chat", "--model"],
    ["extract", "--regex", "a", "--model"], ["extract", "--schema"], ["extract", "--gbnf"],
    ["run", "x", "--template"],
  ]

  @Test(arguments: unknownNames)
  func anUnknownNameExitsWithOneAndIsSaid(_ words: [String]) throws {
    let result = try Command.run(words + ["no-such-thing"])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.errors.contains("no-such-thing") && result.output.isEmpty)
  }

  @Test(arguments: unknownNames)
  func aFolderInPlaceOfAFileIsSaidInPlainWords(_ words: [String]) throws {
    guard !["pull", "verify", "path"].contains(words.last) else { return }
    let result = try Command.run(words + ["/tmp"])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.errors.contains("/tmp: it is a folder, not a file"), "\(result.errors)")
  }

  @Test func aFolderInPlaceOfAFileToWriteIsSaidInPlainWords() throws {
    let model = ["--model", Command.tinyModel("llama")]
    let result = try Command.run(["grammar", "--bench", "--dump", "/tmp"] + model)
    #expect(result.status == 1)
    #expect(result.errors.contains("cannot write /tmp: it is a folder"), "\(result.errors)")
  }

  @Test func theOverviewTellsTheExitStatuses() throws {
    let text = try Command.run(["--help"]).output
    for status in ["0 done", "1 failed", "2 a call", "130"] { #expect(text.contains(status)) }
  }

  @Test(arguments: ["tokenize", "logits", "perplexity", "template", "grammar", "extract", "bench"])
  func theHelpTellsThatBlankLinesArePassedOver(_ verb: String) throws {
    let words = try Command.run([verb, "--help"]).output.split { " \n".contains($0) }
    #expect(words.joined(separator: " ").lowercased().contains("blank"))
  }

  @Test(arguments: wrongCalls)
  func aWrongCallExitsWithTwoAndSaysWhatIsWrong(_ words: [String]) throws {
    let result = try Command.run(words)
    #expect(result.status == 2)
    #expect(!result.errors.isEmpty && result.output.isEmpty)
  }

  static let verbs = [
    "run", "chat", "extract", "inspect", "models", "bench", "grammar", "template", "tokenize",
    "logits", "perplexity", "quantize", "random-model",
  ]

  @Test(arguments: verbs + ["models list", "models pull", "models verify", "models path"])
  func everyVerbAndActionExplainsItself(_ verb: String) throws {
    let words = verb.split(separator: " ").map(String.init)
    let result = try Command.run(words + ["--help"])
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(result.output.hasPrefix("usage: hearth \(verb)"))
    #expect(result.output.split(separator: "\n").count >= 2)
    #expect(try Command.run(["help"] + words).output == result.output)
    #expect(try Command.run(words + ["-h"]).output == result.output)
  }

  @Test func helpMayStandBehindOtherWords() throws {
    let page = try Command.run(["run", "--help"]).output
    #expect(try Command.run(["run", "hello", "--top-k", "3", "--help"]).output == page)
    let pull = try Command.run(["models", "pull", "--help"]).output
    #expect(try Command.run(["models", "help", "pull"]).output == pull)
    #expect(try Command.run(["models", "--help", "pull"]).output == pull)
    // An action that there is not has no page of its own.
    #expect(try Command.run(["models", "burn", "--help"]).output.contains("pull"))
  }

  @Test func theOverviewNamesEveryVerb() throws {
    let result = try Command.run(["--help"])
    #expect(result.status == 0)
    for verb in Self.verbs { #expect(result.output.contains("\n  \(verb) ")) }
  }

  @Test func aFailureExitsWithOne() throws {
    let missing = try Command.run(["run", "--model", "/no/such/file.gguf", "--prompt", "x"])
    #expect(missing.status == 1)
    #expect(missing.errors.contains("/no/such/file.gguf"))
    let script = TestData.root.appending(path: "Package.swift").path(percentEncoded: false)
    let other = try Command.run(["inspect", script])
    #expect(other.status == 1)
    #expect(other.errors.contains("GGUF"))
  }

  @Test func aModelThatIsNotDownloadedIsAnErrorThatSaysHowToGetIt() throws {
    let empty = ["HEARTH_MODELS": "/no/such/folder"]
    for words in [["run", "--prompt", "x"], ["models", "path"], ["tokenize"]] {
      let result = try Command.run(words, environment: empty)
      #expect(result.status == 1)
      #expect(result.errors.contains("hearth models pull"))
    }
  }

  @Test func aDamagedModelIsSaidToBeDamaged() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "SmolLM2-135M-Instruct.Q4_1.gguf")
    try Data("GGUF".utf8).write(to: file)
    let store = ["HEARTH_MODELS": folder.path(percentEncoded: false)]
    for words in [["run", "--prompt", "x"], ["models", "path"], ["tokenize"]] {
      let result = try Command.run(words, environment: store)
      #expect(result.status == 1)
      #expect(result.errors.contains("damaged") && result.errors.contains("4 bytes"))
      #expect(result.errors.contains(file.path(percentEncoded: false)))
      #expect(result.errors.contains("hearth models pull"))
    }
    #expect(try Command.run(["models", "list"], environment: store).output.contains("damaged"))
  }

  @Test func errorsOfTheLibraryNameTheOptionsOfTheCommand() throws {
    let schema = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(#"{"format":"nope"}"#.utf8).write(to: schema)
    defer { try? FileManager.default.removeItem(at: schema) }
    let model = ["--model", Command.tinyModel("llama")]
    let path = schema.path(percentEncoded: false)
    let extract = try Command.run(["extract", "--schema", path] + model, input: "x")
    #expect(extract.errors.contains("--lenient") && !extract.errors.contains("isLenient"))
    let run = try Command.run(["run", "x"] + model)
    #expect(run.errors.contains("--template") && run.errors.contains("--raw"))
    let long = String(repeating: "word ", count: 600)
    let tooLong = try Command.run(["run", "--raw", "--ctx", "16", long] + model)
    #expect(tooLong.status == 1 && tooLong.errors.contains("--ctx"))
    let chat = try Command.run(["chat"] + model)
    #expect(chat.errors.contains("--template") && !chat.errors.contains("--raw"))
  }

  @Test func modelsListNamesTheCatalog() throws {
    let result = try Command.run(["models", "list"], environment: ["HEARTH_MODELS": "/none"])
    #expect(result.status == 0)
    #expect(result.output.contains("Apache-2.0"))
    #expect(result.output.contains("not downloaded"))
    #expect(result.output.contains("smollm2-135m-instruct (or smollm2, smollm2-135m)"))
  }
}
