internal import ConstrainedDecoding
internal import Inference
internal import LanguageModels
internal import Tokenization

/// How a model writes calls of tools.
///
/// A response with calls is `opening NAME between ARGUMENTS`, then `joint NAME between ARGUMENTS`
/// for each further call, then `closing`. The texts may spell control tokens.
package struct ToolCallFormat: Sendable, Equatable {
  package var opening: String
  package var between: String
  /// What leads from the arguments of one call to the name of the next; nil where a response has
  /// one call at most.
  package var joint: String?
  package var closing: String
  /// Whether the chat template knows tools: it is given definitions, calls and outputs then.
  package var isOfTemplate: Bool

  /// The format for models whose template knows no tools, which are told of it.
  package static let standard = ToolCallFormat(
    opening: "<tool_call>\n{\"name\": \"", between: "\", \"arguments\": ",
    joint: "}\n</tool_call>\n<tool_call>\n{\"name\": \"", closing: "}\n</tool_call>",
    isOfTemplate: false)

  /// The most calls of one response: a model must not go on calling for ever.
  static let mostCalls = 16

  /// The format of a model: the one that its template writes, else the standard one.
  package init(of renderer: PromptRenderer) {
    self = ToolCallProbe(renderer).format ?? .standard
  }

  package init(
    opening: String, between: String, joint: String?, closing: String, isOfTemplate: Bool
  ) {
    self.opening = opening
    self.between = between
    self.joint = joint
    self.closing = closing
    self.isOfTemplate = isOfTemplate
  }
}

// MARK: The standard format

extension ToolCallFormat {
  /// What a model is told of its tools, at the end of its instructions.
  static func explanation(of definitions: [Transcript.ToolDefinition]) -> String {
    let lines = definitions.map { $0.json["function"]?.serialized(.spaced) ?? "" }
    return """
      You can use these tools, each described by one line of JSON:
      <tools>
      \(lines.joined(separator: "\n"))
      </tools>
      To use a tool, answer with nothing but a call, or with several calls one after another:
      <tool_call>
      {"name": "the name of the tool", "arguments": {its arguments}}
      </tool_call>
      """
  }

  /// Calls as the model writes them.
  func text(of calls: Transcript.ToolCalls) -> String {
    var text = ""
    for (index, call) in calls.enumerated() {
      text += index == 0 ? opening : joint ?? closing + "\n" + opening
      text += name(call.toolName) + between + call.argumentsJSON.serialized(.spaced)
    }
    return calls.isEmpty ? "" : text + closing
  }

  /// What the user's side says when a tool has answered.
  static func text(ofOutput output: String) -> String {
    "<tool_response>\n\(output)\n</tool_response>"
  }

  /// A name as it stands in a call: inside quotes it is a JSON string.
  func name(_ name: String) -> String {
    guard opening.hasSuffix("\"") else { return name }
    return String(OrderedJSON.string(name).serialized().dropFirst().dropLast())
  }
}

// MARK: Grammar

extension ToolCallFormat {
  /// A tool as the grammar needs it.
  struct Signature: Sendable {
    var name: String
    var arguments: SchemaPart
  }

  /// The grammar of calls.
  ///
  /// - Parameters:
  ///   - tools: the tools that may be called.
  ///   - lead: what of the opening is there already, when the grammar begins to hold.
  ///   - tokenizer: knows which of the format's marks are control tokens.
  /// - Returns: the part, which uses the rule `call`, and that rule.
  func grammar(
    of tools: [Signature], behind lead: String = "", _ tokenizer: Tokenizer
  ) -> (part: GrammarPart, rules: [String: GrammarPart]) {
    let between = Self.part(between, tokenizer)
    let call = GrammarPart.choice(
      tools.map { tool in
        .sequence([.text(name(tool.name)), between, .schema(tool.arguments)])
      })
    var parts = [Self.part(String(opening.dropFirst(lead.count)), tokenizer), .rule("call")]
    if let joint {
      parts.append(
        .repeated(
          .sequence([Self.part(joint, tokenizer), .rule("call")]), minimum: 0,
          maximum: Self.mostCalls - 1))
    }
    parts.append(Self.part(closing, tokenizer))
    return (.sequence(parts), ["call": call])
  }

  /// A text in which marks are control tokens where the vocabulary has them.
  private static func part(_ text: String, _ tokenizer: Tokenizer) -> GrammarPart {
    let vocabulary = tokenizer.vocabulary
    var parts: [GrammarPart] = []
    var bytes: [UInt8] = []
    for piece in ControlTokens.split(text, tokenizer) {
      switch piece {
      case .text(let text): bytes += text
      case .token(let id):
        if !bytes.isEmpty { parts.append(.text(String(decoding: bytes, as: UTF8.self))) }
        bytes = []
        parts.append(vocabulary.isText(id) ? .text(vocabulary.text(of: id)) : .token(Int(id)))
      }
    }
    if !bytes.isEmpty { parts.append(.text(String(decoding: bytes, as: UTF8.self))) }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  /// What begins a call in a response that may also be text, and how much of the opening that is.
  func trigger(_ tokenizer: Tokenizer) -> (trigger: GuideTrigger, lead: String) {
    if case .token(let id)? = ControlTokens.split(opening, tokenizer).first,
      !tokenizer.vocabulary.isText(id)
    {
      return (.token(id), tokenizer.vocabulary.text(of: id))
    }
    // A tag such as `<tool_call>`, `<function=` or `[CALLS]` is a mark wherever it stands.
    if let mark = opening.prefixMatch(of: /<[^<>\s]+>|<\w+=|\[[A-Z_]{3,}\]/) {
      return (.text(String(mark.output)), String(mark.output))
    }
    return (.beginning(opening), opening)
  }
}

/// Finds control tokens that a text spells.
enum ControlTokens {
  enum Piece {
    case text([UInt8])
    case token(TokenID)
  }

  static func split(_ text: String, _ tokenizer: Tokenizer) -> [Piece] {
    let vocabulary = tokenizer.vocabulary
    let tokens = tokenizer.encode(text, parseSpecial: true)
    guard tokens.contains(where: { !vocabulary.isText($0) }) else {
      return text.isEmpty ? [] : [.text(Array(text.utf8))]
    }
    var pieces: [Piece] = []
    var rest = Array(text.utf8)[...]
    for token in tokens where !vocabulary.isText(token) {
      let spelling = vocabulary.bytes(of: token)
      let ends = rest.count - spelling.count
      guard ends >= 0,
        let start = (rest.startIndex...rest.startIndex + ends).first(where: {
          rest[$0..<$0 + spelling.count].elementsEqual(spelling)
        })
      else { continue }
      if start > rest.startIndex { pieces.append(.text(Array(rest[..<start]))) }
      pieces.append(.token(token))
      rest = rest[(start + spelling.count)...]
    }
    if !rest.isEmpty { pieces.append(.text(Array(rest))) }
    return pieces
  }
}
