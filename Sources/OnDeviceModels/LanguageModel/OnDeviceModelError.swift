public import Foundation

/// Why a model on this device cannot be used.
public enum OnDeviceModelError: LocalizedError, Equatable, Sendable {
  /// The catalog has no model of this name.
  case unknownModel(name: String, known: [String])
  /// The model has not been fetched yet.
  case notFetched(name: String, path: String)
  /// The fetched file has another length than it should have, both in bytes.
  case damaged(name: String, path: String, expected: Int, actual: Int)
  /// The model and its context window take more memory than there is, all in bytes.
  case notEnoughMemory(needed: Int, available: Int, contextSize: Int)
  /// The model file has no chat template and none was chosen.
  case noChatTemplate(path: String)

  /// What happened, and what to do about it.
  public var errorDescription: String? {
    switch self {
    case .unknownModel(let name, let known):
      "No model is called “\(name)”. Known models: \(known.joined(separator: ", "))."
    case .notFetched(let name, let path):
      "\(name) is not at \(path). Fetch it with: hearth models pull \(name)"
    case .damaged(let name, let path, let expected, let actual):
      "\(name) is damaged: \(path) has \(actual) bytes instead of \(expected). "
        + "Fetch it again with: hearth models pull \(name)"
    case .notEnoughMemory(let needed, let available, let contextSize):
      "The model needs \(needed) bytes of memory with a context window of \(contextSize) tokens, "
        + "and \(available) are there. Choose a smaller context window or model, or set "
        + "ignoresMemoryEstimate."
    case .noChatTemplate(let path):
      "\(path) has no chat template. Choose one in the options of the model."
    }
  }
}

extension OnDeviceModelError: CustomStringConvertible {
  /// What happened, and what to do about it.
  public var description: String { errorDescription ?? "" }
}
