import Synchronization

/// A grammar made ready for one vocabulary: its automaton, and every mask computed so far.
///
/// Share one between requests: later ones find the masks of earlier ones. Safe to use from several
/// threads; they take turns for the microseconds a step needs.
public final class CompiledGrammar: Sendable {
  package let table: TokenTable
  let start: Expression
  private let engine: Mutex<MaskEngine>

  /// Compiles `grammar` for the vocabulary of `table`.
  /// - Throws: What makes the grammar impossible: unknown tokens, contradictions, passed limits.
  package init(_ grammar: Grammar, _ table: TokenTable) throws(GrammarError) {
    let (pool, root) = try GrammarCompiler.compile(grammar.pool, root: grammar.root)
    func resolve(_ member: TokenSet.Member) -> Int? {
      switch member {
      case .id(let id): id
      case .text(let text): table.id(ofText: text)
      }
    }
    var named: [Int] = []
    for set in pool.tokenSets {
      guard let id = resolve(set.member) else {
        if case .text(let text) = set.member { throw .unknownToken(text: text) }
        continue
      }
      named.append(id)
    }
    var automaton = try Automaton(pool: pool, root: root, namedTokens: named, resolve: resolve)
    let isLive = automaton.isLive(root)
    try automaton.pool.checkLimits()
    guard isLive else {
      throw .unsatisfiable(pointer: "", reason: "its conditions contradict each other")
    }
    self.table = table
    start = root
    engine = Mutex(MaskEngine(automaton: automaton, table: table))
  }

  /// A matcher at the start of the grammar, for one sequence.
  public func makeMatcher() -> GrammarMatcher { GrammarMatcher(self) }

  /// How many states have been built so far.
  package var stateCount: Int { engine.withLock { $0.automaton.pool.nodes.count } }

  /// Bytes held by cached masks and transition tables.
  package var cachedBytes: Int {
    engine.withLock { $0.storedBytes + $0.automaton.rows.count * 4 }
  }

  /// Runs `body` with the shared automaton and throws if it passed a limit.
  func withEngine<R: Sendable>(
    _ body: (inout MaskEngine) throws(GrammarError) -> R
  ) throws(GrammarError) -> R {
    let result: Result<R, GrammarError> = engine.withLock { engine in
      do throws(GrammarError) {
        let value = try body(&engine)
        try engine.automaton.pool.checkLimits()
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
