public import Foundation

extension LanguageModelSession {
  /// A session was used in a way that it does not allow.
  public enum Error: LocalizedError, Hashable {
    /// A request was made while another one is being answered; wait, or use another session.
    case concurrentRequests
    /// The transcript was changed while a request is being answered, which ends the request.
    case transcriptMutationWhileResponding

    /// What happened and what to do.
    public var errorDescription: String? { debugDescription }
  }

  /// A tool failed while a model used it.
  public struct ToolCallError: Swift.Error, LocalizedError {
    /// The tool.
    public var tool: any Tool
    /// What it threw.
    public var underlyingError: any Swift.Error

    /// An error of a tool.
    public init(tool: any Tool, underlyingError: any Swift.Error) {
      self.tool = tool
      self.underlyingError = underlyingError
    }

    /// Which tool failed, and why.
    public var errorDescription: String? {
      "The tool “\(tool.name)” failed: \(underlyingError.localizedDescription)"
    }
  }
}

extension LanguageModelSession.Error: CustomDebugStringConvertible {
  /// What happened and what to do.
  public var debugDescription: String {
    switch self {
    case .concurrentRequests:
      "The session is answering another request. Wait until isResponding is false, or use "
        + "another session."
    case .transcriptMutationWhileResponding:
      "The transcript was changed while a request was being answered. Change it between requests."
    }
  }
}
