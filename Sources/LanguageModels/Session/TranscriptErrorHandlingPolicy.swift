/// What becomes of the transcript when a request fails or is cancelled.
public struct TranscriptErrorHandlingPolicy: Sendable, Equatable {
  private let preserves: Bool

  /// The transcript is as it was before the request.
  public static let revertTranscript = TranscriptErrorHandlingPolicy(preserves: false)
  /// The transcript keeps the prompt and what came of a response, which may be incomplete.
  public static let preserveTranscript = TranscriptErrorHandlingPolicy(preserves: true)
}
