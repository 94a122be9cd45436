public import ConstrainedDecoding

/// What a response must look like, token by token.
///
/// A model compiles it for its vocabulary the first time and keeps the result.
public enum ResponseGrammar: Sendable, Hashable {
  /// JSON that satisfies a JSON Schema, properties in its order.
  ///
  /// - Parameters:
  ///   - schema: draft 2020-12, or the spellings of draft 7.
  ///   - source: the text that strings marked `"x-verbatim": true` are copied from.
  ///   - sources: further such texts by name; `"x-verbatim": "NAME"` copies from one of them.
  ///   - verbatim: further strings to copy from `source`, by path: `name`, `sender.name`,
  ///     `items.code` for a field of the elements of an array.
  ///   - options: open choices.
  case jsonSchema(
    String, source: String? = nil, sources: [String: String] = [:], verbatim: [String] = [],
    options: JSONSchemaOptions = JSONSchemaOptions())
  /// Text that matches a rule of a GBNF grammar; `@verbatim` in it is a span of `source`.
  case gbnf(String, root: String = "root", source: String? = nil)
  /// Text that a regular expression matches as a whole.
  case regex(String)
  /// One of these texts.
  case choices([String])
  /// Text put together from parts, some of which may be named rules.
  case parts(GrammarPart, rules: [String: GrammarPart] = [:])

  /// The grammar, without any vocabulary yet.
  ///
  /// - Throws: What is wrong with it, and where.
  public func grammar() throws(GrammarError) -> Grammar {
    switch self {
    case .jsonSchema(let schema, let source, let sources, let verbatim, let options):
      try Grammar(
        jsonSchema: schema, source: source, sources: sources, verbatim: verbatim,
        options: options)
    case .gbnf(let text, let root, let source):
      try Grammar(gbnf: text, root: root, source: source)
    case .regex(let pattern): try Grammar(regex: pattern)
    case .choices(let texts): try Grammar(choices: texts)
    case .parts(let root, let rules): try Grammar(root, rules: rules)
    }
  }

  /// Whether it holds for one text only, so that nobody will ask for it again.
  var isForOneText: Bool {
    switch self {
    case .jsonSchema(_, let source, let sources, _, _): source != nil || !sources.isEmpty
    case .gbnf(_, _, let source): source != nil
    case .regex, .choices: false
    case .parts(let root, let rules):
      root.copiesText || rules.values.contains(where: \.copiesText)
    }
  }
}

extension GrammarPart {
  /// Whether it holds spans of a source text.
  fileprivate var copiesText: Bool {
    switch self {
    case .text, .character, .regex, .rule, .token: false
    case .sequence(let parts), .choice(let parts): parts.contains(where: \.copiesText)
    case .repeated(let part, _, _): part.copiesText
    case .verbatim: true
    case .schema(let part): part.source != nil || !part.sources.isEmpty
    }
  }
}
