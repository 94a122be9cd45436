package import ConstrainedDecoding
package import Tokenization

/// What a generation starts from.
package struct GenerationRequest: Sendable {
  /// The whole prompt; what the KV cache already holds of it is not computed again.
  package var prompt: [TokenID]
  package var sampling: SamplingOptions
  /// Response tokens at most; nil leaves only the context window as a limit.
  package var maximumTokens: Int?
  /// Time from the first step on, at most; with a guide the value is closed then.
  package var timeLimit: Duration?
  /// Tokens that end the response; they are not part of it.
  package var endTokens: Set<TokenID>
  /// What the response is held to; nil lets the model write anything.
  package var guide: GrammarGuide?
  /// What the model writes freely until, where it does; the guide holds from behind it on.
  package var trigger: GuideTrigger?
  /// Whether other generations may go on meanwhile, a step of this and a step of that.
  package var mayInterleave = false

  package init(
    prompt: [TokenID], sampling: SamplingOptions = SamplingOptions(), maximumTokens: Int? = nil,
    timeLimit: Duration? = nil, endTokens: Set<TokenID> = [], guide: GrammarGuide? = nil,
    trigger: GuideTrigger? = nil
  ) {
    self.prompt = prompt
    self.sampling = sampling
    self.maximumTokens = maximumTokens
    self.timeLimit = timeLimit
    self.endTokens = endTokens
    self.guide = guide
    self.trigger = trigger
  }
}

/// A grammar for a response, with the tokenizer of its vocabulary.
package struct GrammarGuide: Sendable {
  package var grammar: CompiledGrammar
  package var tokenizer: Tokenizer

  package init(grammar: CompiledGrammar, tokenizer: Tokenizer) {
    self.grammar = grammar
    self.tokenizer = tokenizer
  }

  /// Tokens before a forced text that decide how it splits.
  private static let context = 8

  /// How a text splits into tokens after those of `response`, as the model has learnt it.
  package func tokens(of text: [UInt8], after response: ArraySlice<TokenID>) -> [Int] {
    let last = response.suffix(Self.context)
    let before = last.flatMap { tokenizer.vocabulary.bytes(of: $0) }
    let together = tokenizer.encode(continuation: before + text)
    // The model may have split what comes before in a way of its own; then only the text counts.
    let tokens =
      together.starts(with: last)
      ? together.dropFirst(last.count) : tokenizer.encode(continuation: text)[...]
    return tokens.map(Int.init)
  }
}
