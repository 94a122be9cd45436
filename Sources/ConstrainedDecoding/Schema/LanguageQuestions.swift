/// Answers about languages while a schema is being compiled, from automata that are kept.
///
/// Each works on a copy of the pool that it grows by itself: a copy a question would make schemas
/// with many alternatives take seconds. For the same reason an automaton is out of its place while it grows:
/// a second reference to it would copy it.
final class LanguageQuestions {
  /// By language: the automaton that has followed the texts so far.
  private var automata: [Expression: Automaton] = [:]
  /// For searches, and how many expressions the pool had when it was made.
  private var search: (automaton: Automaton, nodes: Int)?
  /// States that all searches have built.
  private var work = 0

  /// Whether a text is in a language.
  func matches(_ language: Expression, _ text: [UInt8], _ pool: ExpressionPool) -> Bool {
    guard
      var automaton = automata.removeValue(forKey: language) ?? Self.automaton(language, pool)
    else { return false }
    let end = automaton.next(language, text)
    let isMember = automaton.pool.isNullable(end)
    if automaton.pool.exceeded == nil { automata[language] = automaton }
    return isMember
  }

  /// Whether no text is in all of these languages; nil where a search is given up, or all together
  /// have taken too long.
  func isEmpty(_ languages: [Expression], _ pool: ExpressionPool) -> Bool? {
    if languages.isEmpty { return false }
    if languages.contains(.never) { return true }
    // Only Boolean operators can leave nothing without it being seen.
    if languages.count == 1, !pool.nodes[Int(languages[0])].flags.contains(.uncertain) {
      return false
    }
    guard work <= pool.limits.maximumWork else { return nil }
    guard var automaton = takeSearch(pool) ?? Self.automaton(.empty, pool) else { return nil }
    let before = automaton.pool.nodes.count
    let all = automaton.pool.intersection(languages)
    let isEmpty = !automaton.isLive(all)
    work += automaton.pool.nodes.count - before
    guard automaton.pool.exceeded == nil else { return nil }
    search = (automaton, pool.nodes.count)
    return isEmpty
  }

  /// The automaton for searches, if it knows all of the pool; it leaves its place.
  private func takeSearch(_ pool: ExpressionPool) -> Automaton? {
    defer { search = nil }
    return search?.nodes == pool.nodes.count ? search?.automaton : nil
  }

  private static func automaton(_ root: Expression, _ pool: ExpressionPool) -> Automaton? {
    try? Automaton(pool: pool, root: root, namedTokens: [], resolve: { _ in nil })
  }
}
