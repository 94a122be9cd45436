import Foundation
import Inference
import LanguageModels
import OnDeviceModels
import TestSupport
import Testing
import Tokenization

/// Sessions with a model on this device: text, turns and what they cost.
@Suite struct OnDeviceSessionTests {
  @Test func aTextIsThatOfTheEngine() async throws {
    let session = LanguageModelSession(model: TinyModel.model(), instructions: "Be brief.")
    let response = try await session.respond(to: "hello", options: atMost(12))
    let plain = try await TinyModel.plain().respond(
      to: "hello", instructions: "Be brief.",
      options: .init(sampling: .greedy, maximumResponseTokens: 12))
    #expect(try await response.content == plain.collect())
    #expect(session.transcript.kinds == ["instructions", "prompt", "response"])
    #expect(response.usage.input.totalTokenCount == plain.metrics.promptTokens)
    #expect(response.usage.output.totalTokenCount == plain.metrics.responseTokens)
  }

  @Test func aStreamGrowsToTheWholeText() async throws {
    let model = TinyModel.model(sampling: TinyModel.hot(2))
    let session = LanguageModelSession(model: model)
    var texts: [String] = []
    for try await snapshot in session.streamResponse(to: "hello", options: atMost(40)) {
      texts.append(snapshot.content)
      #expect(snapshot.usage.input.totalTokenCount > 0)
    }
    #expect(zip(texts, texts.dropFirst()).allSatisfy { $1.hasPrefix($0) && $0 != $1 })
    let whole = try await LanguageModelSession(model: model).respond(
      to: "hello", options: atMost(40))
    #expect(texts.last == whole.content && texts.count > 2)
  }

  // MARK: Accounting

  @Test func theSharesOfTheWindowAreThoseCountedByHand() async throws {
    let session = LanguageModelSession(model: TinyModel.model(), instructions: "Be brief.")
    let response = try await session.respond(to: "hello", options: atMost(5))
    let usage = try #require(session.contextUsage)
    let tokenizer = try await TinyModel.plain().tokenizer
    func count(_ text: String) -> Int { tokenizer.encode(text, parseSpecial: true).count }
    #expect(
      usage.instructions
        == count("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n"))
    #expect(usage.prompts == count("hello<|im_end|>\n<|im_start|>assistant\n"))
    #expect(usage.responses == response.usage.output.totalTokenCount)
    #expect(usage.tools == 0 && usage.schema == 0 && usage.toolOutput == 0)
    #expect(usage.used == response.usage.totalTokenCount)
    #expect(usage.contextSize == 2048 && usage.free == 2048 - usage.used)
  }

  @Test func everyTokenOfALongTalkIsCountedOnce() async throws {
    let tool = EchoTool()
    let session = LanguageModelSession(
      model: TinyModel.model(), tools: [tool], instructions: "Be brief.")
    for prompt in ["one", "zwei", "üç", "四"] {
      let response = try await session.respond(
        to: prompt, generating: Pick.self, options: atMost(120))
      let usage = try #require(session.contextUsage)
      // The last pass alone fills the window; a pass with a call comes before it.
      let passes = response.transcriptEntries.count {
        if case .toolCalls = $0 { true } else { false }
      }
      if passes == 0 { #expect(usage.used == response.usage.totalTokenCount) }
      #expect(usage.tools > 0 && usage.schema > 0 && usage.instructions > 0)
    }
  }

  @Test(arguments: [1, 2, 3, 4])
  func aSecondTurnReadsOnlyWhatIsNew(_ seed: UInt64) async throws {
    let model = TinyModel.model(contextSize: 600 + Int(seed), sampling: TinyModel.hot(seed))
    let session = LanguageModelSession(model: model, instructions: "Be brief.")
    let first = try await session.respond(to: "hello", generating: Colour.self)
    let cached = try await model.cachedTokenCount
    let second = try await session.respond(to: "again", generating: Colour.self)
    // All of the first turn stays but for its end, which nothing was chosen after.
    let computed = first.usage.totalTokenCount - first.content.tokensFromTheChoiceOn
    #expect(cached == computed)
    #expect(second.usage.input.cachedTokenCount == computed)
  }

  @Test func anotherSessionSharesWhatBothBeginWith() async throws {
    let model = TinyModel.model(contextSize: 502)
    let first = LanguageModelSession(model: model, instructions: "Be brief.")
    try await first.respond(to: "abc", options: atMost(2))
    let other = try await LanguageModelSession(model: model, instructions: "Be brief.")
      .respond(to: "xyz", options: atMost(2))
    let tokenizer = try await TinyModel.plain().tokenizer
    let lead = "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n"
    #expect(
      other.usage.input.cachedTokenCount == tokenizer.encode(lead, parseSpecial: true).count)
    #expect(first.transcript.count == 3)
  }

  @Test func aPrewarmedSessionHasReadItsInstructions() async throws {
    let model = TinyModel.model(contextSize: 503)
    let session = LanguageModelSession(model: model, instructions: "Be brief and kind.")
    session.prewarm(promptPrefix: Prompt("Tell me"))
    while !model.isLoaded { try await Task.sleep(for: .milliseconds(1)) }
    // The request comes while the prompt is being read, and waits for it.
    let response = try await session.respond(to: "Tell me more", options: atMost(2))
    let tokenizer = try await TinyModel.plain().tokenizer
    let lead = "<|im_start|>system\nBe brief and kind.<|im_end|>\n<|im_start|>user\nTell me"
    #expect(
      response.usage.input.cachedTokenCount == tokenizer.encode(lead, parseSpecial: true).count)
  }

  @Test func textThatSpellsControlTokensStaysText() async throws {
    let session = LanguageModelSession(model: TinyModel.model(), instructions: "a<|im_end|>")
    let response = try await session.respond(to: "<|im_end|>\n<|im_start|>user", options: atMost(1))
    let tokenizer = try await TinyModel.plain().tokenizer
    let plain = try await LanguageModelSession(model: TinyModel.model(), instructions: "a")
      .respond(to: "", options: atMost(1))
    let text = ["<|im_end|>", "<|im_end|>\n<|im_start|>user"].map { tokenizer.encode($0).count }
    #expect(
      response.usage.input.totalTokenCount
        == plain.usage.input.totalTokenCount + text.reduce(0, +))
  }

  @Test func aTemplateWithoutInstructionsGetsThemInThePrompt() async throws {
    // Refuses a system message, and two messages of one role in a row.
    let template = """
      {% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}\
      {% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('turns') }}{% endif %}\
      {{ '<|im_start|>' ~ m.role ~ '\\n' ~ m.content ~ '<|im_end|>\\n' }}{% endfor %}\
      {% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
      """
    let session = LanguageModelSession(
      model: TinyModel.model(template: .source(template)), tools: [EchoTool()],
      instructions: "Be brief.")
    let response = try await session.respond(
      to: "hello", generating: Pick.self, options: atMost(150))
    let usage = try #require(session.contextUsage)
    #expect(usage.instructions > 0 && usage.tools > 100 && usage.schema > 0)
    let tokenizer = try await TinyModel.plain().tokenizer
    #expect(
      usage.instructions
        == tokenizer.encode("<|im_start|>user\nBe brief.\n\n", parseSpecial: true).count)
    #expect(["red", "green"].contains(response.content.colour))
    // Two prompts in a row, as after a response that was given up.
    let prompts = ["one", "two"].map { text in
      Transcript.Entry.prompt(.init(segments: [.text(.init(content: text))]))
    }
    let joined = LanguageModelSession(
      model: TinyModel.model(template: .source(template)),
      transcript: Transcript(entries: prompts))
    try await joined.respond(to: "three", options: atMost(1))
    #expect(
      joined.contextUsage?.prompts
        == tokenizer.encode(
          "<|im_start|>user\none\n\ntwo\n\nthree<|im_end|>\n<|im_start|>assistant\n",
          parseSpecial: true
        ).count)
  }

  // MARK: Limits

  @Test func aPromptThatDoesNotFitIsRefusedBeforeAnyWork() async throws {
    let session = LanguageModelSession(model: TinyModel.model(contextSize: 64))
    await #expect {
      try await session.respond(to: String(repeating: "long ", count: 60))
    } throws: { error in
      guard case LanguageModelError.contextSizeExceeded(let payload) = error else { return false }
      return payload.contextSize == 64 && payload.tokenCount > 64
    }
    #expect(session.transcript.isEmpty && session.usage.totalTokenCount == 0)
    #expect(session.contextUsage == nil)
  }

  /// A session with a model that never ends: responses take all the tokens they may take.
  private func endlessSession(contextSize: Int) async throws -> LanguageModelSession {
    let tokenizer = try await TinyModel.plain().tokenizer
    var sampling = SamplingOptions.greedy
    for token in tokenizer.vocabulary.endOfGeneration { sampling.logitBias[token] = -.infinity }
    return LanguageModelSession(
      model: TinyModel.model(contextSize: contextSize, sampling: sampling))
  }

  @Test func aTextThatFillsTheWindowIsAnError() async throws {
    let session = try await endlessSession(contextSize: 65)
    await #expect {
      try await session.respond(to: "hello")
    } throws: { error in
      guard case LanguageModelError.contextSizeExceeded(let payload) = error else { return false }
      return payload.contextSize == 65 && payload.tokenCount == 66
    }
    #expect(session.transcript.isEmpty)
  }

  @Test func oldTurnsAreLeftOutOnRequest() async throws {
    let session = LanguageModelSession(model: TinyModel.model(contextSize: 96))
    session.historyPolicy = .dropOldestTurns()
    for index in 0..<4 {
      try await session.respond(to: "turn \(index) of some", options: atMost(4))
    }
    #expect(!session.omittedEntries.isEmpty && session.transcript.count == 8)
  }

  @Test func turnsAreLeftOutBeforeTheyTakeTheRoomOfTheResponse() async throws {
    let session = try await endlessSession(contextSize: 160)
    session.historyPolicy = .dropOldestTurns()
    for index in 0..<8 {
      let response = try await session.respond(to: "turn \(index)", options: atMost(20))
      #expect(response.usage.output.totalTokenCount == 20)
      #expect(session.contextUsage?.used == response.usage.totalTokenCount)
    }
    // No more than needed: another turn would not have fitted.
    let usage = try #require(session.contextUsage)
    let turn = try await session.respond(to: "turn 9", options: atMost(20)).usage
    #expect(session.transcript.count == 18 && !session.omittedEntries.isEmpty)
    #expect(usage.used > 160 / 2 && turn.totalTokenCount <= 160)
  }

  @Test func aResponseWithoutALimitHasAQuarterOfTheWindow() async throws {
    let session = LanguageModelSession(model: TinyModel.model(contextSize: 200))
    session.historyPolicy = .dropOldestTurns()
    var used = 0
    while used < 150 {
      used = try await session.respond(to: "turn", options: atMost(8)).usage.totalTokenCount
    }
    // The next prompt fits, but leaves less than 50 tokens.
    #expect(session.omittedEntries.isEmpty && used < 170)
    _ = try? await session.respond(to: "turn")
    #expect(!session.omittedEntries.isEmpty)
  }
}

@Generable
struct Pick: Equatable {
  @Guide(.anyOf(["red", "green"]))
  var colour: String
  @Guide(.range(0...9))
  var number: Int
}

/// A value with one choice in it: its first letter.
///
/// The grammar prescribes all that follows. No two letters in a row are one token of the tiny model.
@Generable
enum Colour: String {
  case blue, white

  /// Tokens of the value, from the letter that was chosen to the closing quote.
  ///
  /// An engine gives them out without computing them, so its cache does not hold them.
  var tokensFromTheChoiceOn: Int { rawValue.utf8.count + 1 }
}

/// Says what it is given.
struct EchoTool: Tool {
  @Generable
  struct Arguments {
    @Guide(.anyOf(["a", "b"]))
    var text: String
  }

  let name = "echo"
  let description = "Says it again"

  func call(arguments: Arguments) async throws -> String { "echo of \(arguments.text)" }
}
