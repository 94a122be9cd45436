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
    ["template", "extra"], ["template", "--model", "x"],
  ]

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

  @Test func modelsListNamesTheCatalog() throws {
    let result = try Command.run(["models", "list"], environment: ["HEARTH_MODELS": "/none"])
    #expect(result.status == 0)
    #expect(result.output.contains("Apache-2.0"))
    #expect(result.output.contains("not downloaded"))
  }
}
