extension LanguageModelSession {
  /// What of a long history a model is still shown.
  ///
  /// The transcript stays whole; ``omittedEntries`` tells what the last request left out.
  /// Instructions and the request itself are never left out. Without a policy a history that does
  /// not fit is an error.
  public struct HistoryPolicy: Sendable {
    enum Kind {
      case dropOldestTurns(atATime: Int)
      case transform(@Sendable ([Transcript.Entry]) throws -> [Transcript.Entry])
    }

    let kind: Kind

    /// Leaves out the oldest turns, only when the context window is too small, and for good.
    ///
    /// It is too small where the prompt does not fit; for models on this device also where the
    /// prompt leaves less room for the response than its limit, or than a quarter of the window
    /// where there is no limit; half of the window is always enough. A response that fills the
    /// window nevertheless is an error.
    ///
    /// What is left out changes the beginning of the history, so the model has to read all of the
    /// rest again: leaving out several turns at a time makes that rarer.
    ///
    /// - Parameter turns: how many turns are left out at a time, at least one.
    /// - Returns: the policy.
    public static func dropOldestTurns(atATime turns: Int = 1) -> HistoryPolicy {
      HistoryPolicy(kind: .dropOldestTurns(atATime: max(1, turns)))
    }

    /// Shows the model what a closure makes of the history, at each request.
    ///
    /// - Parameter transform: gets the entries between the instructions and the request; what it
    ///   throws ends the request.
    /// - Returns: the policy.
    public static func transform(
      _ transform: @escaping @Sendable ([Transcript.Entry]) throws -> [Transcript.Entry]
    ) -> HistoryPolicy {
      HistoryPolicy(kind: .transform(transform))
    }
  }
}
