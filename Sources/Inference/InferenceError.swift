public import ConstrainedDecoding
public import GGUF

/// Why a model cannot be loaded or cannot go on.
public enum InferenceError: Error, Equatable {
  /// The file itself is at fault.
  case file(GGUFError)
  /// The model belongs to a family that this engine does not know.
  case unsupportedArchitecture(name: String, supported: [String])
  /// A hyper-parameter is missing or out of range.
  case invalidHyperparameter(key: String, reason: String)
  /// A tensor that the architecture needs is not in the file.
  case missingTensor(name: String)
  /// A tensor has another shape than the hyper-parameters say.
  case tensorShape(name: String, expected: [Int], found: [Int])
  /// A tensor is stored in a type that has no kernels.
  case unsupportedTensorType(name: String, type: String)
  /// The context size asked for is more than the model or the machine can take.
  case contextTooLarge(requested: Int, limit: Int)
  /// The prompt, or prompt and response, do not fit the context window.
  case contextSizeExceeded(contextSize: Int, tokenCount: Int)
  /// The system refused memory.
  case outOfMemory(bytes: Int, purpose: String)
  /// The system refused a thread, or the thread count is out of range.
  case threads(requested: Int, limit: Int)
  /// A token id is outside the vocabulary.
  case invalidToken(id: Int, vocabularySize: Int)
  /// An option has a value that means nothing.
  case invalidOption(name: String, reason: String)
  /// Logits hold no usable number at this position.
  case unusableLogits(position: Int, reason: String)
  /// A grammar passed a limit while the response was held to it.
  case grammar(GrammarError)
  /// Another generation is using this engine's KV cache.
  case busy
}

extension InferenceError: CustomStringConvertible {
  /// What went wrong and what to do about it.
  public var description: String {
    switch self {
    case .file(let error):
      "\(error)"
    case .unsupportedArchitecture(let name, let supported):
      "the model's architecture \"\(name)\" is not supported; supported are "
        + supported.joined(separator: ", ")
    case .invalidHyperparameter(let key, let reason):
      "metadata \(key): \(reason)"
    case .missingTensor(let name):
      "tensor \(name) is missing; the file is incomplete or of another architecture"
    case .tensorShape(let name, let expected, let found):
      "tensor \(name) has shape \(found), expected \(expected)"
    case .unsupportedTensorType(let name, let type):
      "tensor \(name) is stored as \(type), which has no kernels here; "
        + "use a file in another quantisation"
    case .contextTooLarge(let requested, let limit):
      "a context of \(requested) tokens is not possible; choose 1 to \(limit) with this model"
    case .contextSizeExceeded(let contextSize, let tokenCount):
      "\(tokenCount) tokens do not fit the context of \(contextSize); "
        + "shorten the prompt or load the model with a larger contextSize"
    case .outOfMemory(let bytes, let purpose):
      "no memory for \(purpose) (\(bytes) bytes); use a smaller context or model"
    case .threads(let requested, let limit):
      (1...limit).contains(requested)
        ? "the system refuses \(requested) threads, or memory for them; use fewer"
        : "cannot run with \(requested) threads; use 1 to \(limit)"
    case .invalidToken(let id, let vocabularySize):
      "token \(id) is outside the vocabulary of \(vocabularySize)"
    case .invalidOption(let name, let reason):
      "option \(name): \(reason)"
    case .unusableLogits(let position, let reason):
      "the model's logits at position \(position) are unusable: \(reason)"
    case .grammar(let error):
      "\(error)"
    case .busy:
      "this engine is already generating; wait, cancel it, or use a second engine"
    }
  }
}
