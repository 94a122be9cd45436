public import ConstrainedDecoding
public import Foundation
public import GGUF
public import Inference
public import Tokenization

// What sessions and models throw says the same by `localizedDescription` as by itself; without this
// Foundation would make it a name and a number.

extension GGUFError: LocalizedError {
  /// What is wrong, where, and what to do next.
  public var errorDescription: String? { description }
}

extension InferenceError: LocalizedError {
  /// What went wrong and what to do about it.
  public var errorDescription: String? { description }
}

extension TokenizerError: LocalizedError {
  /// What is wrong with the vocabulary.
  public var errorDescription: String? { description }
}

extension ChatTemplateError: LocalizedError {
  /// What is wrong with the template, and where.
  package var errorDescription: String? { description }
}

extension GrammarError: LocalizedError {
  /// The cause, where it lies, and what to do about it.
  public var errorDescription: String? { description }
}

extension PromptError: LocalizedError {
  /// What to do about it.
  public var errorDescription: String? { description }
}

extension ModelStoreError: LocalizedError {
  /// What happened, and what to do next.
  package var errorDescription: String? { description }
}
