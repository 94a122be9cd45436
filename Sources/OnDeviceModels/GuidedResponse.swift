public import ConstrainedDecoding

/// A response that was held to a grammar, as it came out.
public struct GuidedResponse: Sendable, Equatable {
  /// What was written, whole or not.
  public var text: String
  /// Whether `text` is a whole text of the grammar.
  public var outcome: GrammarOutcome

  /// The text if it is whole.
  public var value: String? { outcome == .complete ? text : nil }

  /// A response.
  public init(text: String, outcome: GrammarOutcome) {
    self.text = text
    self.outcome = outcome
  }
}
