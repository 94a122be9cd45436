import Foundation
import TestSupport
import Testing

/// `run` and `chat` on a tiny model with random weights: the text is noise, the rules are not.
@Suite struct RunTests {
  private let model = ["--model", Command.tinyModel("llama")]

  @Test func runStreamsTextAndSaysWhatItCost() throws {
    let words = ["run", "--raw", "--prompt", "the inn", "--max-tokens", "8", "--seed", "7"]
    let first = try Command.run(words + model)
    #expect(first.status == 0)
    #expect(first.errors.contains("seed 7"))
    #expect(first.errors.contains("response 8 tokens"))
    #expect(first.errors.contains("token limit"))
    #expect(try Command.run(words + model).output == first.output)
    #expect(try Command.run(words + model + ["--quiet"]).errors.isEmpty)
  }

  @Test func theReportedSeedReproducesTheText() throws {
    let words = ["run", "--raw", "--prompt", "the inn", "--max-tokens", "12"] + model
    let first = try Command.run(words)
    let seed = try #require(first.errors.firstMatch(of: /seed (\d+)/)).1
    #expect(try Command.run(words + ["--seed", String(seed)]).output == first.output)
  }

  @Test func thePromptMayComeFromStandardInput() throws {
    let greedy = ["run", "--raw", "--max-tokens", "5", "--temperature", "0"] + model
    let piped = try Command.run(greedy, input: "the inn")
    #expect(piped.status == 0)
    #expect(piped.output == (try Command.run(greedy + ["--prompt", "the inn"]).output))
  }

  @Test func aPromptThatDoesNotFitFailsWithBothNumbers() throws {
    let long = String(repeating: "x ", count: 100)
    let result = try Command.run(["run", "--raw", "--ctx", "16", "--prompt", long] + model)
    #expect(result.status == 1)
    #expect(result.errors.contains("16") && result.errors.contains("200"))
    #expect(result.output.isEmpty)
  }

  @Test func theContextEndsTheResponse() throws {
    let result = try Command.run(["run", "--raw", "--ctx", "12", "--prompt", "abcd"] + model)
    #expect(result.status == 0)
    #expect(result.errors.contains("context full") || result.errors.contains("end of turn"))
  }

  @Test func aModelWithoutATemplateNeedsAChoice() throws {
    let result = try Command.run(["run", "--prompt", "hello"] + model)
    #expect(result.status == 1)
    #expect(result.errors.contains("--template") && result.errors.contains("--raw"))
    let chosen = try Command.run(
      ["run", "--prompt", "hello", "--template", "chatml", "--max-tokens", "3"] + model)
    #expect(chosen.status == 0)
  }

  @Test func chatKeepsTheCacheBetweenTurnsAndKnowsItsCommands() throws {
    let result = try Command.run(
      ["chat", "--template", "chatml", "--max-tokens", "4", "--temperature", "0"] + model,
      input: "hello\n/stats\nagain\n/fly\n/reset\n/stats\nhello\n/exit\nnever\n")
    #expect(result.status == 0)
    let turns = result.errors.split(separator: "\n").filter {
      $0.contains("response") && $0.contains("seed")
    }
    try #require(turns.count == 3)
    #expect(!turns[0].contains("cached") && turns[1].contains("cached"))
    #expect(result.errors.contains("1 turn]") && result.errors.contains("0 turns]"))
    #expect(result.errors.contains("unknown: /fly"))
  }

  @Test func aTurnThatDoesNotFitIsSaidAndTheTalkGoesOn() throws {
    let long = String(repeating: "x ", count: 300)
    let result = try Command.run(
      ["chat", "--template", "chatml", "--max-tokens", "4"] + model,
      input: "hello\n\(long)\nhello\n")
    #expect(result.status == 0)
    #expect(result.errors.contains("do not fit the context of 512"))
    #expect(result.errors.contains("response 4 tokens") || result.errors.contains("end of turn"))
  }
}
