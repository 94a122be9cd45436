import ConstrainedDecoding
import Inference
import OnDeviceModels
import Quantization

/// What errors say here: what the library says, with an option of the command as the remedy where
/// the library names its own.
enum ErrorText {
  static func of(_ error: any Error) -> String {
    switch error {
    case let error as GrammarError: text(error)
    case InferenceError.grammar(let error): text(error)
    case InferenceError.contextSizeExceeded(let contextSize, let tokenCount):
      "\(tokenCount) tokens do not fit the context of \(contextSize); shorten the prompt, or raise "
        + "--ctx as far as the model allows"
    case InferenceError.contextTooLarge(let requested, let limit):
      "--ctx \(requested) is not possible; choose 1 to \(limit) with this model"
    case InferenceError.threads(let requested, let limit),
      QuantizationError.threads(let requested, let limit)
    where !(1...limit).contains(requested):
      "--threads \(requested) is not possible; choose 1 to \(limit)"
    case PromptError.noTemplate:
      "the model file has no chat template: choose one with --template (chatml, gemma or a Jinja "
        + "file), or let the model continue the text as it is with --raw"
    case QuantizationError.exists(let path):
      "\(path) exists; choose another name, or have it replaced with --force"
    default: "\(error)"
    }
  }

  private static func text(_ error: GrammarError) -> String {
    guard case .unsupported = error else { return error.problem }
    return error.problem + "; remove the keyword, or leave it out with --lenient, which reports it"
  }

  /// Whether an error is about the call rather than about what it was to do: an option that cannot
  /// have this value.
  static func isAboutOptions(_ error: any Error) -> Bool {
    switch error {
    case is UsageError, InferenceError.contextTooLarge, InferenceError.invalidOption,
      QuantizationError.invalidShape:
      true
    case InferenceError.threads(let requested, let limit),
      QuantizationError.threads(let requested, let limit):
      !(1...limit).contains(requested)
    default: false
    }
  }
}
