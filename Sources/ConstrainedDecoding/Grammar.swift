/// What a text must look like, independent of any vocabulary.
///
/// Made by one of the front ends: GBNF, JSON Schema, a regular expression, a choice of literals, or
/// parts written in Swift (``GrammarPart``).
public struct Grammar: Sendable {
  let pool: ExpressionPool
  let root: Expression
  /// What a lenient front end left out: one line each, with its place.
  public internal(set) var dropped: [String] = []

  package init(pool: ExpressionPool, root: Expression, dropped: [String] = []) {
    self.pool = pool
    self.root = root
    self.dropped = dropped
  }
}
