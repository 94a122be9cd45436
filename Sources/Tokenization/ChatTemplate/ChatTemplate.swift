/// The chat template of a model: turns a conversation into the text of a prompt.
///
/// Compiled once, then rendered as often as needed, from any thread. It evaluates the Jinja that
/// model files carry, with the settings of transformers, in a sandbox with limits on work, memory
/// and nesting.
package struct ChatTemplate: Sendable {
  /// The name that was asked for, such as `tool_use`; nil for the default template.
  package let name: String?
  /// The source as it was given.
  package let source: String
  package let limits: ChatTemplateLimits
  private let program: TemplateProgram

  /// Compiles a template.
  ///
  /// - Throws: `notATemplate` for text without any tag, such as the name of a template;
  ///   `sourceTooLarge`; `syntax` with line and column.
  package init(
    source: String, name: String? = nil, limits: ChatTemplateLimits = ChatTemplateLimits()
  ) throws(ChatTemplateError) {
    let count = source.utf8.count
    guard count <= limits.sourceBytes else {
      throw .sourceTooLarge(bytes: count, limit: limits.sourceBytes)
    }
    guard Self.hasTag(source) else { throw .notATemplate(String(source.prefix(80))) }
    self.source = source
    self.name = name
    self.limits = limits
    program = try TemplateParser.parse(source)
  }

  /// Compiles the template of a model file, the default one or one with a name.
  ///
  /// - Parameters:
  ///   - name: The name behind `tokenizer.chat_template.`, nil for the default template.
  ///   - limits: What one rendering may use.
  ///   - metadata: Text of a metadata key, nil where the file has no such key.
  /// - Throws: `missing` where the file has no such template; there is no silent default.
  package init(
    named name: String? = nil, limits: ChatTemplateLimits = ChatTemplateLimits(),
    inMetadata metadata: (_ key: String) -> String?
  ) throws(ChatTemplateError) {
    let key = "tokenizer.chat_template" + (name.map { ".\($0)" } ?? "")
    guard let source = metadata(key) else { throw .missing(name: name) }
    try self.init(source: source, name: name, limits: limits)
  }

  private static func hasTag(_ source: String) -> Bool {
    var isAfterBrace = false
    for byte in source.utf8 {
      if isAfterBrace, [UInt8(ascii: "{"), UInt8(ascii: "%"), UInt8(ascii: "#")].contains(byte) {
        return true
      }
      isAfterBrace = byte == UInt8(ascii: "{")
    }
    return false
  }

  /// The prompt as one text.
  ///
  /// - Throws: `refused` where the template itself objects, `limitExceeded`, and the other errors
  ///   of evaluating, each with line and column; `cancelled` soon after the task is.
  package func render(_ input: ChatTemplateInput) throws(ChatTemplateError) -> String {
    try evaluate(input).text
  }

  /// The prompt in parts that tell template text from what the conversation brought in.
  ///
  /// Their texts in a row are what `render` gives; neighbours are of different kinds. Only control
  /// tokens that lie wholly in `template` parts are control tokens. Cut the prompt there, and
  /// tokenise what is between two of them as one text, whatever parts it comes from.
  package func renderFragments(
    _ input: ChatTemplateInput
  ) throws(ChatTemplateError) -> [PromptFragment] {
    var fragments: [PromptFragment] = []
    for part in try renderParts(input) {
      switch (fragments.last, part.origin.isContent) {
      // Content of one message that follows that of another is content all the same.
      case (.content(let before)?, true):
        fragments[fragments.count - 1] = .content(before + part.text)
      case (_, true): fragments.append(.content(part.text))
      case (_, false): fragments.append(.template(part.text))
      }
    }
    return fragments
  }

  /// The prompt in parts that tell from which message or definition each came.
  ///
  /// Their texts in a row are what `render` gives; neighbours are of different origin.
  package func renderParts(
    _ input: ChatTemplateInput
  ) throws(ChatTemplateError) -> [PromptPart] {
    try evaluate(input).segments.map { segment in
      PromptPart(text: String(decoding: segment.bytes, as: UTF8.self), origin: segment.origin)
    }
  }

  private func evaluate(_ input: ChatTemplateInput) throws(ChatTemplateError) -> TemplateString {
    let variables: [(name: String, value: TemplateValue)]
    do throws(TemplateFailure) {
      variables = try input.templateVariables()
    } catch {
      throw error.located(program.source.location(of: 0))
    }
    let evaluator = TemplateEvaluator(
      program, variables: variables, limits: limits, clock: input.clock)
    return try evaluator.render()
  }
}
