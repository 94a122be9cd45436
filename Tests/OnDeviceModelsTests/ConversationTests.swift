import Foundation
import GGUF
import Inference
import OnDeviceModels
import TestSupport
import Testing
import Tokenization

/// Texts, turns and the accounting of the context, on a tiny model with random weights.
@Suite struct ConversationTests {
  private func model(
    contextSize: Int? = nil, template: ChatTemplateChoice? = .chatML
  ) async throws -> OnDeviceModel {
    let path = TestData.fixtures.appending(path: "arch/llama.gguf").path(percentEncoded: false)
    return try await OnDeviceModel.load(
      file: path, options: EngineOptions(contextSize: contextSize, threads: 1), template: template)
  }

  private func greedy(_ maximum: Int, stops: [String] = []) -> GenerationOptions {
    GenerationOptions(sampling: .greedy, maximumResponseTokens: maximum, stopStrings: stops)
  }

  @Test func usageIsWhatTheEngineUsed() async throws {
    let model = try await model()
    let talk = Conversation(model, instructions: "Be brief.")
    let first = try await talk.send("hello", options: greedy(6))
    try await first.collect()
    #expect(first.usage.instructions > 0)
    #expect(first.usage.instructions + first.usage.prompt == first.metrics.promptTokens)
    #expect(first.usage.response == first.metrics.responseTokens)
    #expect(first.usage.free == 512 - first.metrics.promptTokens - first.metrics.responseTokens)
    // By hand: what stands before the question is the instructions' share.
    let lead = model.tokenizer.encode(
      "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n", parseSpecial: true)
    #expect(first.usage.instructions == lead.count)

    let second = try await talk.send("again", options: greedy(6))
    try await second.collect()
    #expect(second.usage.instructions == first.usage.instructions)
    #expect(second.usage.prompt > first.usage.prompt)
    #expect(second.metrics.cachedTokens ?? 0 >= first.metrics.promptTokens)
  }

  @Test func withoutInstructionsAllIsPrompt() async throws {
    let stream = try await model().respond(to: "hello", options: greedy(2))
    try await stream.collect()
    #expect(stream.usage.instructions == 0 && stream.usage.templateInstructions == 0)
    #expect(stream.usage.prompt == stream.metrics.promptTokens)
  }

  @Test func instructionsThatTheTemplateHasOfItsOwnAreCountedApart() async throws {
    let own =
      "{% if messages[0].role != 'system' %}<|im_start|>system\nBe kind.<|im_end|>\n{% endif %}"
      + "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
      + "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    let model = try await model(template: .source(own))
    let talk = Conversation(model)
    let stream = try await talk.send("hello", options: greedy(2))
    try await stream.collect()
    // By hand: the marks of a turn are those of any question, what stands before them is not.
    let lead = model.tokenizer.encode("<|im_start|>system\nBe kind.", parseSpecial: true)
    #expect(stream.usage.templateInstructions == lead.count)
    #expect(stream.usage.instructions == 0)
    let given = stream.usage.templateInstructions + stream.usage.prompt
    #expect(given == stream.metrics.promptTokens)
    #expect(stream.usage.free == 512 - given - stream.usage.response)
    let second = try await talk.send("again", options: greedy(2))
    try await second.collect()
    #expect(second.usage.templateInstructions == lead.count)
    // Given ones take their place.
    let told = try await model.respond(to: "hello", instructions: "Be brief.", options: greedy(2))
    try await told.collect()
    #expect(told.usage.templateInstructions == 0 && told.usage.instructions > 0)
  }

  @Test func controlTokensInAMessageStayText() async throws {
    let model = try await model()
    let plain = try await model.respond(to: "a", options: greedy(0))
    try await plain.collect()
    let spelled = try await model.respond(to: "a<|im_end|>", options: greedy(0))
    try await spelled.collect()
    // As a control token it would be one token more; as text it is several.
    #expect(spelled.metrics.promptTokens > plain.metrics.promptTokens + 1)
  }

  @Test func stopStringsEndTheTextAndAreNotPartOfIt() async throws {
    let model = try await model()
    let whole = try await model.complete("the", options: greedy(12)).collect()
    let stop = String(whole.dropFirst(2).prefix(2))
    let stream = try await model.complete("the", options: greedy(12, stops: ["", stop]))
    let text = try await stream.collect()
    #expect(stream.finishReason == .stopString(stop))
    #expect(whole.hasPrefix(text + stop) && !text.contains(stop))
    // The engine is free again.
    #expect(try await model.complete("the", options: greedy(12)).collect() == whole)
  }

  @Test func piecesAreTheTextAndNeverEmpty() async throws {
    let stream = try await model().complete("the inn", options: greedy(20))
    var pieces: [String] = []
    for try await piece in stream { pieces.append(piece) }
    #expect(pieces.allSatisfy { !$0.isEmpty })
    #expect(pieces.joined() == stream.text)
  }

  @Test func aCancelledTurnLeavesNoTrace() async throws {
    let talk = Conversation(try await model())
    let stream = try await talk.send("hello", options: greedy(50))
    let task = Task {
      for try await _ in stream { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(talk.messages.isEmpty)
    #expect(stream.finishReason == .cancelled)
    // 2 + 2 after it is answered as if the first question had never been.
    let after = try await talk.send("2+2", options: greedy(8)).collect()
    let fresh = try await Conversation(model()).send("2+2", options: greedy(8)).collect()
    #expect(after == fresh)
    #expect(talk.messages.map(\.role) == [.user, .assistant])
  }

  @Test func aDroppedTurnLeavesNoTraceEither() async throws {
    let talk = Conversation(try await model())
    do { _ = try await talk.send("hello", options: greedy(50)) }
    #expect(talk.messages.isEmpty)
    try await talk.send("hello", options: greedy(3)).collect()
    #expect(talk.messages.count == 2)
    talk.reset()
    #expect(talk.messages.isEmpty)
  }

  @Test func aPromptThatDoesNotFitIsRefusedWithBothNumbersAndNotKept() async throws {
    let talk = Conversation(try await model(contextSize: 32))
    await #expect {
      _ = try await talk.send(String(repeating: "long ", count: 40), options: greedy(4))
    } throws: { error in
      guard case InferenceError.contextSizeExceeded(let size, let count) = error else {
        return false
      }
      return size == 32 && count > 32
    }
    #expect(talk.messages.isEmpty)
  }

  @Test func twoRequestsAtOnceAreRefused() async throws {
    let model = try await model()
    let first = try await model.complete("a", options: greedy(4))
    await #expect(throws: InferenceError.busy) {
      _ = try await model.complete("b", options: greedy(4))
    }
    try await first.collect()
    try await model.complete("b", options: greedy(4)).collect()
  }

  @Test func aModelWithoutTemplateSaysSo() async throws {
    let model = try await model(template: nil)
    #expect(try !model.hasChatTemplate)
    await #expect(throws: PromptError.noTemplate) { _ = try await model.respond(to: "hello") }
    #expect(try await !model.complete("hello", options: greedy(3)).collect().isEmpty)
  }

  @Test func theFamilyTemplatesAreTheFamiliesFormats() throws {
    // Gemma has no system role: instructions open the first turn of the user.
    #expect(ChatTemplateChoice(named: "gemma") == .gemma)
    #expect(ChatTemplateChoice(named: "chatml") == .chatML)
    #expect(ChatTemplateChoice(named: "llama2") == nil)
  }

  @Test func theEstimateCountsWhatTheHeaderSays() async throws {
    let file = try await model().file
    let estimate = try MemoryEstimate(file: file, contextSize: 100)
    // 3 layers, keys and values, 2 heads of 16 float16 numbers, 100 positions.
    #expect(estimate.keyValueCache == 3 * 2 * 2 * 16 * 2 * 100)
    #expect(estimate.mapped + estimate.copied == file.tensors.reduce(0) { $0 + $1.byteCount })
    #expect(estimate.copied == 0)  // float weights stay where they are
    let wide = try MemoryEstimate(file: file, contextSize: 100, keyValueType: .float32)
    #expect(wide.keyValueCache == 2 * estimate.keyValueCache)
    #expect(wide.total - estimate.total == estimate.keyValueCache)
    #expect(throws: InferenceError.contextTooLarge(requested: 513, limit: 512)) {
      try MemoryEstimate(file: file, contextSize: 513)
    }
  }
}
