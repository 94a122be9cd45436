/// Which spans of a source text may be copied.
public struct VerbatimSpan: Sendable, Hashable {
  /// Spans neither begin nor end inside a word, nor with white space.
  public var wholeWords = false
  /// Fewest characters; a span is never empty.
  public var minimumLength = 1
  /// Most characters; nil is no bound.
  public var maximumLength: Int?
  /// A regular expression that the whole span must match as well.
  public var pattern: String?
  /// Whether the span stands inside a JSON string, spelled with its escapes.
  public var insideJSONString = false

  /// Any span that is not empty.
  public init() {}
}

extension ExpressionPool {
  /// The spans of `source` that `span` allows.
  /// - Throws: `syntax` with the place in the pattern.
  mutating func verbatim(
    _ source: String, _ span: VerbatimSpan
  ) throws(GrammarError) -> Expression {
    let encoding: CharacterEncoding = span.insideJSONString ? .json : .plain
    var conditions = [verbatim(source, wholeWords: span.wholeWords, encoding: encoding)]
    if span.minimumLength > 1 || span.maximumLength != nil {
      conditions.append(
        repetition(character(.any, encoding), max(span.minimumLength, 0), span.maximumLength))
    }
    if let pattern = span.pattern {
      let syntax = try RegexParser.parse(pattern, limits: limits)
      conditions.append(try regex(syntax, encoding, anchored: true))
    }
    return intersection(conditions)
  }
}
