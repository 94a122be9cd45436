public import ConstrainedDecoding
public import Foundation
public import GGUF
public import Inference
public import Tokenization

// Programs show `localizedDescription`. Foundation puts a number of the case there unless an error
// says otherwise, and these leave the sessions as they are.

extension GGUFError: LocalizedError {
  /// What happened, and what to do about it.
  public var errorDescription: String? { description }
}

extension TokenizerError: LocalizedError {
  /// What happened, and what to do about it.
  public var errorDescription: String? { description }
}

extension GrammarError: LocalizedError {
  /// What happened, and what to do about it.
  public var errorDescription: String? { description }
}

extension InferenceError: LocalizedError {
  /// What happened, and what to do about it.
  public var errorDescription: String? { description }
}

extension PromptError: LocalizedError {
  /// What happened, and what to do about it.
  public var errorDescription: String? { description }
}

extension ChatTemplateError: LocalizedError {
  /// What happened, and what to do about it.
  package var errorDescription: String? { description }
}

extension ModelStoreError: LocalizedError {
  /// What happened, and what to do about it.
  package var errorDescription: String? { description }
}
