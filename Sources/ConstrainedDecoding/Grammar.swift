/// What a text must look like, independent of any vocabulary.
///
/// Made by one of the front ends: GBNF, JSON Schema, a regular expression, a choice of literals, or
/// parts written in Swift (``GrammarPart``).
public struct Grammar: Sendable {
  let pool: ExpressionPool
  let root: Expression
  /// What a lenient front end left out: one line each, with its place.
  public internal(set) var dropped: [String] = []

  /// Where its rules come from, to tell which one of them nothing can satisfy.
  let places: [Place]

  package init(
    pool: ExpressionPool, root: Expression, dropped: [String] = [], places: [Place] = []
  ) {
    self.pool = pool
    self.root = root
    self.dropped = dropped
    self.places = places
  }

  /// The place in a schema that a rule stands for.
  package struct Place: Sendable {
    let rule: Int
    let pointer: String
    /// Whether it holds strings to a source text.
    let isVerbatim: Bool
    /// Why nothing can stand there, where that was seen while the schema was read.
    var contradiction: String?
  }
}
