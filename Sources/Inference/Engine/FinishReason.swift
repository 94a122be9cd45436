/// Why a response ended.
public enum FinishReason: Sendable, Equatable {
  /// The model ended its turn, or its grammar allows nothing more.
  case endOfTurn
  /// This stop string was reached; it is not part of the text.
  case stopString(String)
  /// The limit on response tokens was reached.
  case tokenLimit
  /// The limit on time was reached.
  case timeLimit
  /// The context window is full.
  case contextFull
  /// The grammar is not finished and no token of the vocabulary can continue it.
  case noLegalToken
  /// The caller cancelled.
  case cancelled
}
