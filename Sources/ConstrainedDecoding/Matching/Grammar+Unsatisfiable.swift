extension Grammar {
  /// Places that are looked at for the one to blame, at most.
  private static let placesLookedAt = 1000

  /// The error with the place that nothing can satisfy: the innermost one, where there are several.
  func withPlace(_ error: GrammarError) -> GrammarError {
    guard case .unsatisfiable(_, let reason) = error else { return error }
    var blamed: Place?
    for place in places.prefix(Self.placesLookedAt)
    where place.pointer.hasPrefix("/") && place.pointer.utf8.count > blamed?.pointer.utf8.count ?? 0
      && isDead(place)
    {
      blamed = place
    }
    guard let blamed else { return error }
    return .unsatisfiable(
      pointer: blamed.pointer,
      reason: blamed.contradiction
        ?? (blamed.isVerbatim ? "no span of the source text is such a string" : reason))
  }

  /// Whether there is no text for a place by itself.
  private func isDead(_ place: Place) -> Bool {
    var pool = pool
    let root = pool.call(place.rule)
    do throws(GrammarError) {
      let (rewritten, root) = try GrammarCompiler.compile(pool, root: root)
      var automaton = try Automaton(pool: rewritten, root: root, namedTokens: []) { _ in nil }
      return !automaton.isLive(root)
    } catch {
      if case .unsatisfiable = error { return true }
      return false
    }
  }
}
