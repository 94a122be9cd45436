import Synchronization

/// A grammar made ready for one vocabulary: its automaton, and every mask computed so far.
///
/// Share one between requests: later ones find the masks of earlier ones. Safe to use from several
/// threads; they take turns for the microseconds a step needs.
public final class CompiledGrammar: Sendable {
  package let table: TokenTable
  let start: Expression
  private let current: Mutex<SharedEngine>
  /// What a new automaton starts from.
  private let pristine: MaskEngine

  /// Compiles `grammar` for the vocabulary of `table`.
  /// - Throws: What makes the grammar impossible: unknown tokens, contradictions, passed limits.
  package init(_ grammar: Grammar, _ table: TokenTable) throws(GrammarError) {
    let (pool, root): (ExpressionPool, Expression)
    do throws(GrammarError) {
      (pool, root) = try GrammarCompiler.compile(grammar.pool, root: grammar.root)
    } catch {
      throw grammar.withPlace(error)
    }
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
      throw grammar.withPlace(
        .unsatisfiable(pointer: "", reason: "its conditions contradict each other"))
    }
    self.table = table
    start = root
    pristine = MaskEngine(automaton: automaton, table: table)
    current = Mutex(SharedEngine(pristine))
  }

  /// A matcher at the start of the grammar, for one sequence.
  public func makeMatcher() -> GrammarMatcher {
    let engine = current.withLock { engine in
      // Sequences that run keep the old automaton; new ones get room of their own.
      if engine.isHalfFull { engine = SharedEngine(pristine) }
      return engine
    }
    return GrammarMatcher(self, engine, start: start)
  }

  /// How many states have been built so far.
  package var stateCount: Int { current.withLock { $0 }.stateCount }

  /// Bytes held by cached masks and transition tables.
  package var cachedBytes: Int { current.withLock { $0 }.cachedBytes }

  /// What masks have cost so far, in steps: the same on every machine, however busy it is.
  package var stepsTaken: Int { current.withLock { $0 }.stepsTaken }
}

/// An automaton with its masks, shared by matchers of one grammar.
final class SharedEngine: Sendable {
  private let engine: Mutex<MaskEngine>

  init(_ engine: MaskEngine) { self.engine = Mutex(engine) }

  var stateCount: Int { engine.withLock { $0.automaton.pool.nodes.count } }

  var cachedBytes: Int { engine.withLock { $0.storedBytes + $0.automaton.rows.count * 4 } }

  /// Entries of transition tables count as well: they are computed once each.
  var stepsTaken: Int { engine.withLock { $0.stepsTaken + $0.automaton.rows.count } }

  var isHalfFull: Bool {
    engine.withLock { engine in
      let limits = engine.automaton.pool.limits
      return engine.automaton.pool.exceeded != nil
        || engine.automaton.pool.nodes.count > limits.maximumStates / 2
        || engine.automaton.rows.count * 4 > limits.maximumTableBytes / 2
    }
  }

  /// Runs `body` with the automaton to itself and throws if it passed a limit.
  func run<R: Sendable>(
    _ body: (inout MaskEngine) throws(GrammarError) -> R
  ) throws(GrammarError) -> R {
    let result: Result<R, GrammarError> = engine.withLock { engine in
      engine.automaton.beginStep()
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
