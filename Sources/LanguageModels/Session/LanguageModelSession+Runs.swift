internal import Observation
internal import Synchronization

// How a session and the request that has it work together.

extension LanguageModelSession {
  /// Gives the session to a request, unless another one has it.
  ///
  /// A response that nobody reads any more makes way; the request waits for its end.
  ///
  /// - Throws: ``Error/concurrentRequests``.
  func claim(_ request: SessionRequest, isStreamed: Bool) throws -> ResponseRun {
    let claim = changing(\.isResponding) { state -> (run: ResponseRun, before: ResponseRun?)? in
      if let run = state.run, !run.isDetached { return nil }
      let before = state.run
      let run = ResponseRun(self, request, turn: state.end, isStreamed: isStreamed)
      state.run = run
      state.end = run.end
      state.isResponding = true
      return (run, before)
    }
    guard let claim else { throw errorFamily.translate(Error.concurrentRequests) }
    claim.before?.abandon()
    return claim.run
  }

  /// Puts the prompt of a request into the transcript.
  func begin(_ run: ResponseRun) {
    changing(\.transcript) { state in
      state.begun = (run, state.transcript.endIndex, state.contextUsage)
      state.transcript.append(run.entry)
    }
  }

  /// Puts what there is of a response into the transcript, in the place of what there was.
  func publish(_ entries: [Transcript.Entry], of run: ResponseRun) {
    changing(\.transcript) { state in
      guard let begun = state.begun, begun.run === run else { return }
      state.transcript.replaceSubrange((begun.at + 1)..., with: entries)
    }
  }

  func setContextUsage(_ usage: ContextUsage, of run: ResponseRun) {
    changing(\.contextUsage) { state in
      if state.begun?.run === run { state.contextUsage = usage }
    }
  }

  /// Takes the session from a request that has ended.
  ///
  /// - Returns: the result with the error that the caller is to see.
  func end(
    _ run: ResponseRun, _ result: Result<ResponseState, any Swift.Error>,
    _ entries: [Transcript.Entry], _ usage: Usage, isPartlyRead: Bool
  ) -> Result<ResponseState, any Swift.Error> {
    let isWhole = if case .success = result { true } else { false }
    let policy = state.withLock { $0.transcriptErrorHandlingPolicy ?? $0.profilePolicy }
    if isWhole || isPartlyRead || policy == .preserveTranscript {
      publish(entries, of: run)
    } else {
      revert(run)
    }
    changing(\.usage) { $0.usage = $0.usage + usage }
    changing(\.isResponding) { state in
      if state.begun?.run === run { state.begun = nil }
      guard state.run === run else { return }
      state.run = nil
      state.isResponding = false
    }
    let errorFamily = errorFamily
    return result.mapError { errorFamily.translate($0) }
  }

  private func revert(_ run: ResponseRun) {
    let before = changing(\.transcript) { state -> ContextUsage?? in
      guard let begun = state.begun, begun.run === run else { return nil }
      state.transcript.removeSubrange(begun.at...)
      return .some(begun.contextUsage)
    }
    if let before { changing(\.contextUsage) { $0.contextUsage = before } }
  }

  /// A response is being read again.
  func runDidAttach(_ run: ResponseRun) {
    changing(\.isResponding) { state in
      if state.run === run { state.isResponding = true }
    }
  }

  /// Nobody reads a response, though somebody may again.
  func runDidDetach(_ run: ResponseRun) {
    changing(\.isResponding) { state in
      if state.run === run { state.isResponding = false }
    }
  }
}
