/// Open choices of how JSON Schema becomes text.
public struct JSONSchemaOptions: Sendable, Equatable {
  /// Blanks between the parts of arrays and objects.
  public enum Whitespace: Sendable {
    /// None at all.
    case compact
    /// One space, or one line end and up to 20 blanks; small models cannot loop in it.
    case bounded
    /// Any number of blanks, as JSON allows.
    case free
  }

  /// What an object may hold besides its declared properties when the schema does not say.
  public enum UndeclaredProperties: Sendable {
    /// Nothing, where properties are declared: what extraction wants.
    case closed
    /// Anything, as the specification says.
    case open
  }

  /// Blanks between parts; bounded by default.
  public var whitespace: Whitespace = .bounded
  /// What a missing `additionalProperties` means; closed by default.
  public var undeclaredProperties: UndeclaredProperties = .closed
  /// Leaves out what cannot be enforced instead of refusing it; ``Grammar/dropped`` lists it.
  public var isLenient = false
  /// Where a verbatim string has no span to hold: nothing fits by default.
  public var verbatim = VerbatimOptions()
  /// Bounds on what the grammar may cost.
  public var limits = GrammarLimits()

  /// The defaults.
  public init() {}
}

/// How strings held to a source text may be cut from it.
public struct VerbatimOptions: Sendable, Equatable {
  /// What may stand where no span of the source fits, or where nothing is to be copied.
  public enum Fallback: Sendable {
    /// Nothing: a span must be copied.
    case none
    /// The empty string.
    case emptyString
    /// `null`.
    case null
  }

  /// Spans neither begin nor end inside a word, nor with white space.
  public var wholeWords = false
  /// More texts to copy from, by the names that `"x-verbatim": "name"` uses.
  public var sources: [String: String] = [:]
  /// What else is allowed.
  public var fallback = Fallback.none

  /// Any span that is not empty.
  public init() {}
}
