internal import Inference
internal import LanguageModels
internal import Tokenization

/// A prompt for the engine, and which part of the context window holds what.
struct ComposedPrompt: Sendable {
  var tokens: [TokenID]
  /// The tokens of the prompt by what they are for; the response is not counted yet.
  var usage: LanguageModelSession.ContextUsage
}

/// Turns transcripts into prompts for one model, on a thread of its own.
actor PromptComposer {
  private let executor = InferenceExecutor()
  private let renderer: PromptRenderer
  private let toolCalls: ToolCallFormat
  private let contextSize: Int
  /// Whether instructions open the first prompt, since the template shows no message of their own.
  private let foldsInstructions: Bool
  /// How responses were written, for those that the transcript does not keep as they were.
  private var written = WrittenResponses()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  init(_ renderer: PromptRenderer, _ toolCalls: ToolCallFormat, contextSize: Int) {
    self.renderer = renderer
    self.toolCalls = toolCalls
    self.contextSize = contextSize
    let shown = try? renderer.parts(
      messages: [
        ["role": "system", "content": "probe"], ["role": "user", "content": "question"],
      ], tools: nil, addGenerationPrompt: true)
    foldsInstructions = shown?.contains { $0.text.contains("probe") } != true
  }

  /// The prompt of a request.
  ///
  /// - Throws: `LanguageModelError.contextSizeExceeded` with both numbers where it does not fit;
  ///   `ChatTemplateError` where the template refuses the transcript; `CancellationError`.
  func prompt(for request: LanguageModelExecutorGenerationRequest) throws -> ComposedPrompt {
    let messages = try self.messages(
      for: Array(request.transcript), tools: request.enabledToolDefinitions)
    let prompt = try prompt(messages, isOpen: true)
    guard prompt.tokens.count <= contextSize else {
      throw LanguageModelError.contextSizeExceeded(
        .init(
          contextSize: contextSize, tokenCount: prompt.tokens.count,
          debugDescription: "The prompt alone does not fit; nothing was computed."))
    }
    return prompt
  }

  /// The tokens with which any prompt begins that continues a transcript.
  ///
  /// A prompt at its end may go on, so only what it does not change by that counts.
  func beginning(of transcript: Transcript) throws -> [TokenID] {
    let variants = try ["x", "1"].map { ending in
      let entries = Array(transcript.continued(by: ending))
      return try prompt(messages(for: entries, tools: transcript.tools), isOpen: false).tokens
    }
    return zip(variants[0], variants[1]).prefix { $0 == $1 }.map(\.0)
  }

  /// Remembers how a response was written, so that the next prompt begins with the same tokens.
  func remember(_ response: WrittenResponse) { written.remember(response) }

  private func messages(
    for entries: [Transcript.Entry], tools: [Transcript.ToolDefinition]
  ) throws -> PromptMessages {
    PromptMessages(
      entries, tools: tools, format: toolCalls, foldsInstructions: foldsInstructions,
      written: written)
  }

  private func prompt(_ messages: PromptMessages, isOpen: Bool) throws -> ComposedPrompt {
    var messages = messages
    let parts: [PromptPart]
    do throws(ChatTemplateError) {
      parts = try renderer.parts(
        messages: messages.json, tools: messages.tools, addGenerationPrompt: isOpen)
    } catch .refused {
      // Many templates want the user and the model to take turns.
      messages.joinNeighbours()
      parts = try renderer.parts(
        messages: messages.json, tools: messages.tools, addGenerationPrompt: isOpen)
    }
    let (tokens, places) = renderer.encode(parts, messages.messages)
    let shares = PromptShares(parts, messages.messages)
    return ComposedPrompt(
      tokens: tokens, usage: shares.usage(places: places, contextSize: contextSize))
  }
}

extension Transcript {
  /// The tools that the instructions list.
  var tools: [ToolDefinition] {
    flatMap { entry -> [ToolDefinition] in
      if case .instructions(let instructions) = entry { instructions.toolDefinitions } else { [] }
    }
  }

  /// The transcript with more text at the end of its last prompt, or as a prompt of its own.
  fileprivate func continued(by text: String) -> Transcript {
    var result = self
    guard case .prompt(var prompt)? = last else {
      result.append(.prompt(.init(segments: [.text(.init(content: text))])))
      return result
    }
    if case .text(var segment)? = prompt.segments.last {
      segment.content += text
      prompt.segments[prompt.segments.count - 1] = .text(segment)
    } else {
      prompt.segments.append(.text(.init(content: text)))
    }
    result[result.count - 1] = .prompt(prompt)
    return result
  }
}

// MARK: Counting

extension PromptComposer {
  /// The tokens that entries add to a prompt, with what the template puts around them.
  ///
  /// - Throws: `ChatTemplateError` where the template refuses them.
  func tokenCount(of entries: [Transcript.Entry]) throws -> Int {
    var tools: [Transcript.ToolDefinition] = []
    var hasInstructions = false
    for case .instructions(let instructions) in entries {
      tools += instructions.toolDefinitions
      if !instructions.segments.isEmpty { hasInstructions = true }
    }
    // Without instructions a template may add some of its own, which are no part of the entries.
    let lead = Transcript.Entry.instructions(
      .init(segments: [.text(.init(content: "x"))], toolDefinitions: tools))
    let bare = Transcript.Entry.instructions(
      .init(segments: [.text(.init(content: "x"))], toolDefinitions: []))
    if hasInstructions { return try count(entries, tools) }
    let others = entries.filter { if case .instructions = $0 { false } else { true } }
    return try count([lead] + others, tools) - count([bare], [])
  }

  private func count(
    _ entries: [Transcript.Entry], _ tools: [Transcript.ToolDefinition]
  ) throws -> Int {
    try prompt(messages(for: entries, tools: tools), isOpen: false).tokens.count
  }

  /// The tokens that a schema adds to a prompt.
  func tokenCount(of schema: GenerationSchema) -> Int {
    renderer.tokenizer.encode(continuation: Array(PromptMessages.text(of: schema).utf8)).count
  }
}

extension PromptRenderer {
  /// Renders a conversation into parts that tell where they came from.
  ///
  /// - Throws: `ChatTemplateError` where the template refuses the messages.
  func parts(
    messages: [OrderedJSON], tools: [OrderedJSON]?, addGenerationPrompt: Bool
  ) throws(ChatTemplateError) -> [PromptPart] {
    // Models that can think aloud before they answer are asked not to.
    let input = ChatTemplateInput(
      messages: messages, tools: tools, addGenerationPrompt: addGenerationPrompt,
      beginningOfSequence: controls.bos, endOfSequence: controls.eos,
      variables: [.init("enable_thinking", false)])
    return try template.renderParts(input)
  }

  /// The tokens of parts, and the byte of their joined text at which each begins.
  ///
  /// What the model wrote itself keeps the tokens that it was written with.
  func encode(
    _ parts: [PromptPart], _ messages: [PromptMessages.Message]
  ) -> (tokens: [TokenID], places: [Int]) {
    var result: (tokens: [TokenID], places: [Int]) = ([], [])
    var fragments: [PromptFragment] = []
    var (start, end) = (0, 0)
    func encodeFragments() {
      // A beginning-of-sequence token is added where the model wants one and the template has none.
      let (tokens, places) = tokenizer.encodeWithPlaces(
        fragments: fragments, startsPrompt: result.tokens.isEmpty)
      result.tokens += tokens
      result.places += places.map { start + $0 }
      fragments = []
    }
    for part in parts {
      if case .message(let index) = part.origin, messages.indices.contains(index),
        let written = messages[index].written, written.text == part.text
      {
        encodeFragments()
        result.tokens += written.tokens
        result.places += repeatElement(end, count: written.tokens.count)
        start = end + part.text.utf8.count
      } else {
        fragments.append(part.origin.isContent ? .content(part.text) : .template(part.text))
      }
      end += part.text.utf8.count
    }
    encodeFragments()
    return result
  }
}
