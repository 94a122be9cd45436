import ConstrainedDecoding
import Inference

/// Texts drawn at random from a grammar.
enum RandomText {
  /// A walk of legal tokens, closed near the budget; nil where that does not end.
  static func tokens(of grammar: CompiledGrammar, seed: Int, budget: Int) throws -> [Int]? {
    var random = RandomSource(seed: UInt64(seed))
    var session = GrammarSession(grammar, budget: budget)
    var tokens: [Int] = []
    while true {
      switch try session.step() {
      case .finished(let outcome): return outcome == .complete ? tokens : nil
      case .feed(let closing): tokens += closing
      case .choose(let mask):
        guard let token = mask.tokens.randomElement(using: &random) else { return nil }
        if try session.accept(token), !session.matcher.hasEnded { tokens.append(token) }
      }
    }
  }
}
