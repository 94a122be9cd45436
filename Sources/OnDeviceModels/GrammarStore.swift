internal import ConstrainedDecoding
internal import Inference
internal import Tokenization

/// The grammars of one model, compiled for its vocabulary; those used last are kept.
///
/// Works on a thread of its own: a large vocabulary takes a tenth of a second to arrange, a large
/// schema some milliseconds.
actor GrammarStore {
  private let executor = InferenceExecutor()
  private let vocabulary: Vocabulary
  private lazy var table = TokenTable(vocabulary)
  /// The one used last comes last.
  private var kept: [(source: ResponseGrammar, grammar: CompiledGrammar)] = []

  /// Most grammars kept, and most bytes of their masks and tables.
  private static let mostKept = 32
  private static let mostBytes = 128 << 20

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  init(_ vocabulary: Vocabulary) { self.vocabulary = vocabulary }

  /// The compiled grammar, with the masks that earlier responses have found.
  func compiled(_ source: ResponseGrammar) throws(GrammarError) -> CompiledGrammar {
    if let index = kept.firstIndex(where: { $0.source == source }) {
      let found = kept.remove(at: index)
      kept.append(found)
      return found.grammar
    }
    let grammar = try CompiledGrammar(try source.grammar(), table)
    if !source.isForOneText {
      kept.append((source, grammar))
      makeRoom()
    }
    return grammar
  }

  /// How many are kept.
  var count: Int { kept.count }

  /// Lets go of those used longest ago; responses that use them keep them.
  private func makeRoom() {
    var bytes = 0
    let fitting = kept.reversed().prefix { entry in
      bytes += entry.grammar.cachedBytes
      return bytes <= Self.mostBytes
    }
    kept.removeFirst(kept.count - max(1, min(fitting.count, Self.mostKept)))
  }
}
