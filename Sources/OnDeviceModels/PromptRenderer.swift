package import GGUF
package import Tokenization

/// Which chat template turns messages into a prompt.
public enum ChatTemplateChoice: Sendable, Hashable {
  /// `<|im_start|>role … <|im_end|>`, as SmolLM2, Qwen and many others.
  case chatML
  /// `<start_of_turn>role … <end_of_turn>`, as Gemma.
  case gemma
  /// A Jinja template.
  case source(String)

  /// Names that `init(named:)` knows.
  public static let names = ["chatml", "gemma"]

  /// A template of this library by its name; nil for another name.
  public init?(named name: String) {
    switch name {
    case "chatml": self = .chatML
    case "gemma": self = .gemma
    default: return nil
    }
  }

  var source: String {
    switch self {
    case .source(let text): text
    case .chatML:
      """
      {% for message in messages %}{{ '<|im_start|>' ~ message.role ~ '\\n' ~ message.content \
      ~ '<|im_end|>\\n' }}{% endfor %}\
      {% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
      """
    case .gemma:
      // This family has no system role: instructions open the first user turn.
      """
      {{ bos_token }}{% set ns = namespace(lead='') %}{% for message in messages %}\
      {% if message.role == 'system' %}{% set ns.lead = message.content ~ '\\n\\n' %}{% else %}\
      {{ '<start_of_turn>' ~ ('model' if message.role == 'assistant' else message.role) ~ '\\n' \
      ~ ns.lead ~ (message.content | trim) ~ '<end_of_turn>\\n' }}{% set ns.lead = '' %}\
      {% endif %}{% endfor %}\
      {% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}
      """
    }
  }
}

/// Why no prompt can be made of a conversation.
public enum PromptError: Error, Equatable, CustomStringConvertible {
  /// The model file has no chat template and none was chosen.
  case noTemplate

  /// What to do about it.
  public var description: String {
    switch self {
    case .noTemplate:
      "the model file has no chat template: choose one where the model is loaded (chatML, gemma or "
        + "the source of one), or let the model continue the text as it is"
    }
  }
}

/// Renders conversations with a model's chat template and tokenizes them.
package struct PromptRenderer: Sendable {
  let template: ChatTemplate
  let tokenizer: Tokenizer
  let controls: (bos: String?, eos: String?)

  /// The renderer of a model: the template chosen, else the file's, else the catalog's choice for
  /// a model of its own; nil when there is none of these.
  ///
  /// - Throws: `ChatTemplateError` with line and column when the template does not compile.
  package init?(
    file: GGUFFile, tokenizer: Tokenizer, path: String, _ choice: ChatTemplateChoice?
  ) throws {
    let inFile = try file.metadata.string("tokenizer.chat_template")
    let catalogs = path.split(separator: "/").last
      .flatMap { ModelCatalog.builtIn.entry(named: String($0))?.template }
      .flatMap(ChatTemplateChoice.init(named:))?.source
    guard let source = choice?.source ?? inFile ?? catalogs else { return nil }
    template = try ChatTemplate(source: source)
    self.tokenizer = tokenizer
    let vocabulary = tokenizer.vocabulary
    controls = (vocabulary.bos.map(vocabulary.text), vocabulary.eos.map(vocabulary.text))
  }

  /// The tokens of a prompt, and how many of them at its beginning are instructions: those given, with
  /// all that comes before the first user's text, else those that the template has of its own.
  ///
  /// - Throws: `ChatTemplateError` when the template refuses the messages, `CancellationError`.
  func prompt(
    instructions: String?, messages: [ChatMessage]
  ) throws -> (tokens: [TokenID], lead: Int) {
    let lead = instructions.map { [ChatMessage(role: .system, content: $0)] } ?? []
    let tokens = try render(lead + messages)
    // The same talk with another question differs from where the question begins. A template that
    // refuses it leaves all tokens to the prompt.
    let other = messages.first?.content.hasPrefix("x") == true ? "y" : "x"
    guard let changed = try? render(lead + [ChatMessage(role: .user, content: other)]) else {
      return (tokens, 0)
    }
    let beginning = zip(tokens, changed).prefix { $0 == $1 }.map(\.0)
    return (tokens, lead.isEmpty ? ownInstructions(in: beginning) : beginning.count)
  }

  /// How many tokens before the first question are no marks.
  ///
  /// Marks are those that stand before a later question too. Control tokens alone, as the one that
  /// begins a sequence, are no instructions.
  private func ownInstructions(in beginning: [TokenID]) -> Int {
    let turns = [
      ChatMessage(role: .user, content: "x"), ChatMessage(role: .assistant, content: "x"),
    ]
    guard let first = try? render(turns + [ChatMessage(role: .user, content: "x")]),
      let second = try? render(turns + [ChatMessage(role: .user, content: "y")])
    else { return 0 }
    let later = zip(first, second).prefix { $0 == $1 }.map(\.0)
    let marks = zip(beginning.reversed(), later.reversed()).prefix { $0 == $1 }.count
    let own = beginning.dropLast(marks)
    return own.contains(where: tokenizer.vocabulary.isText) ? own.count : 0
  }

  private func render(_ messages: [ChatMessage]) throws -> [TokenID] {
    let input = ChatTemplateInput(
      messages: messages.map { message in
        ["role": .string(message.role.rawValue), "content": .string(message.content)]
      }, beginningOfSequence: controls.bos, endOfSequence: controls.eos)
    let fragments: [PromptFragment]
    do throws(ChatTemplateError) {
      fragments = try template.renderFragments(input)
    } catch {
      if case .cancelled = error { throw CancellationError() }
      throw error
    }
    // A beginning-of-sequence token is added where the model wants one and the template has none.
    return tokenizer.encode(fragments: fragments, addSpecial: true)
  }
}
