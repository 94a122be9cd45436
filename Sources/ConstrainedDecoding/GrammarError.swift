/// Why a grammar could not be read or compiled, or why matching had to stop.
public enum GrammarError: Error, Equatable, Sendable {
  /// The text of a grammar or pattern is not well formed.
  case syntax(line: Int, column: Int, reason: String)
  /// A JSON Schema keyword cannot be enforced, so the schema is refused rather than weakened.
  case unsupported(pointer: String, keyword: String, reason: String)
  /// A JSON Schema is not a schema: a keyword has a value of the wrong kind, a reference leads nowhere.
  case invalidSchema(pointer: String, keyword: String, reason: String)
  /// A field that a caller names is not in the schema, or no string.
  case field(path: String, reason: String)
  /// No text at all can satisfy the grammar.
  case unsatisfiable(pointer: String, reason: String)
  /// A rule is used and never defined.
  case undefinedRule(name: String, line: Int, column: Int)
  /// A token named in a grammar is not one token of the vocabulary.
  case unknownToken(text: String)
  /// The grammar needs more states, items or work than the limits allow.
  case limit(GrammarLimits.Kind, maximum: Int)
  /// The token cannot come next.
  case illegalToken(id: Int, position: Int)
  /// The grammar is not finished and the vocabulary has no token that can come next.
  case noLegalToken(position: Int)
}

extension GrammarError: CustomStringConvertible {
  /// The cause, where it lies, and what to do about it.
  public var description: String {
    guard case .unsupported = self else { return problem }
    return problem + "; remove the keyword, or set isLenient in JSONSchemaOptions, which leaves it "
      + "out and lists it"
  }

  /// The cause and where it lies.
  package var problem: String {
    switch self {
    case .syntax(let line, let column, let reason): "\(line):\(column): \(reason)"
    case .unsupported(let pointer, let keyword, let reason):
      "schema at \"\(pointer)\": \"\(keyword)\" cannot be enforced: \(reason)"
    case .invalidSchema(let pointer, let keyword, let reason):
      "schema at \"\(pointer)\": \"\(keyword)\": \(reason)"
    case .field(let path, let reason):
      "field \"\(path)\" \(reason)"
    case .unsatisfiable(let pointer, let reason):
      (pointer.isEmpty ? "schema or grammar" : "schema at \"\(pointer)\"")
        + " can never be satisfied: \(reason)"
    case .undefinedRule(let name, let line, let column):
      "\(line):\(column): rule \"\(name)\" is used but not defined"
    case .unknownToken(let text):
      "\(text) is not exactly one token of this vocabulary"
    case .limit(let kind, let maximum):
      "the grammar needs more than \(maximum) \(kind.rawValue); simplify it: "
        + "smaller counts, fewer alternatives or less nesting"
    case .illegalToken(let id, let position):
      "token \(id) is not legal at position \(position)"
    case .noLegalToken(let position):
      "no token of the vocabulary can continue the text at position \(position)"
    }
  }
}

extension GrammarError {
  /// What is said where a lenient reading goes on without what the error is about.
  var droppedDescription: String {
    guard case .unsupported(let pointer, let keyword, let reason) = self else { return description }
    return "schema at \"\(pointer)\": \"\(keyword)\" is not enforced: \(reason)"
  }
}

/// Bounds on what a grammar may cost; passing one is a typed error, never a hang.
public struct GrammarLimits: Sendable, Hashable {
  /// What a limit counts.
  public enum Kind: String, Sendable {
    /// Expression nodes, which are also the states of the automata.
    case states
    /// Bytes of transition tables.
    case tableBytes = "bytes of transition tables"
    /// Groups, schemas or patterns inside one another.
    case nesting = "levels of nesting"
    /// Alternatives of one state or schema.
    case items
    /// Steps of one search.
    case work = "steps of work"
  }

  /// Most expression nodes of one compiled grammar.
  public var maximumStates = 1_000_000
  /// Most bytes of transition tables of one compiled grammar.
  public var maximumTableBytes = 96 << 20
  /// Deepest nesting of groups in a grammar, of arrays and objects in a schema.
  public var maximumNesting = 500
  /// Most alternatives held at once by one state.
  public var maximumItems = 50_000
  /// Most steps of one emptiness or shortest-path search; of one mask or token about as much work.
  public var maximumWork = 400_000
  /// Bytes of cached masks kept by one compiled grammar.
  public var maskCacheBytes = 32 << 20

  /// The defaults, which bound one grammar well under 256 MB.
  public init() {}
}
