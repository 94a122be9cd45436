internal import ConstrainedDecoding
internal import Inference
internal import LanguageModels
internal import Tokenization

/// What a response may look like: text, a value, calls of tools.
struct ResponseShape: Sendable {
  /// What is held to a grammar; nil for free text.
  var grammar: ResponseGrammar?
  /// What the grammar begins to hold behind, where free text may come first.
  var trigger: GuideTrigger?
  /// The beginning of a call that the trigger stands for.
  var lead = ""
  /// The tools that may be called.
  var toolNames: [String] = []
  /// Whether what is held to the grammar can only be calls.
  var isForCalls = false

  /// The shape that a request asks for.
  ///
  /// - Throws: `SchemaProblem` for a guide that does not fit its type.
  init(
    of request: LanguageModelExecutorGenerationRequest, _ format: ToolCallFormat,
    _ tokenizer: Tokenizer
  ) throws(SchemaProblem) {
    let source = Self.promptText(of: request.transcript)
    let value = try request.schema.map { schema throws(SchemaProblem) in
      GrammarPart.schema(try Self.part(schema, source))
    }
    let mode = request.generationOptions.toolCallingMode?.kind
    guard !request.enabledToolDefinitions.isEmpty, mode != .disallowed else {
      grammar = value.map { .parts($0) }
      return
    }
    toolNames = request.enabledToolDefinitions.map(\.name)
    var tools: [ToolCallFormat.Signature] = []
    for tool in request.enabledToolDefinitions {
      tools.append(.init(name: tool.name, arguments: try Self.part(tool.parameters, source)))
    }
    let mustCall = mode == .required
    isForCalls = mustCall || value == nil
    if value == nil, !mustCall {
      let (trigger, lead) = format.trigger(tokenizer)
      let (part, rules) = format.grammar(of: tools, behind: lead, tokenizer)
      self.trigger = trigger
      self.lead = lead
      grammar = .parts(part, rules: rules)
      return
    }
    let (calls, rules) = format.grammar(of: tools, tokenizer)
    if let value, !mustCall {
      grammar = .parts(.choice([calls, value]), rules: rules)
    } else {
      grammar = .parts(calls, rules: rules)
    }
  }

  private static func part(
    _ schema: GenerationSchema, _ source: String
  ) throws(SchemaProblem) -> SchemaPart {
    let input = try schema.grammarInput()
    return SchemaPart(
      jsonSchema: input.jsonSchema, source: input.copiesPrompt ? source : nil,
      sources: input.sources)
  }

  /// The text that guides copy from: that of the last prompt.
  private static func promptText(of transcript: Transcript) -> String {
    for entry in transcript.reversed() {
      guard case .prompt(let prompt) = entry else { continue }
      return prompt.segments.compactMap(\.text).joined(separator: "\n")
    }
    return ""
  }
}
