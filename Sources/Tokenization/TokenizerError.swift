public import GGUF

/// Why a tokenizer could not be built from a model file.
public enum TokenizerError: Error, Equatable, Sendable {
  /// The file names a tokenizer kind this library does not implement.
  case unsupportedModel(String)
  /// The file names a pre-tokenizer whose rule is not known here.
  case unsupportedPretokenizer(String)
  /// A metadata key the tokenizer cannot work without is absent.
  case missing(key: String)
  /// A metadata key holds a value of an unexpected type.
  case metadata(GGUFError)
  /// Two arrays that describe the same tokens have different lengths.
  case countMismatch(key: String, expected: Int, found: Int)
  /// The vocabulary has more tokens or bytes than ids and offsets can address.
  case tooLarge(tokens: Int)
  /// A token of the byte kind is not spelt `<0xNN>` with two hexadecimal digits.
  case malformedByteToken(id: Int, text: String)
  /// A merge rule is not two non-empty parts with one space between them.
  case malformedMerge(index: Int, text: String)
  /// The score of a token is not a number.
  case malformedScore(id: Int)
}

extension TokenizerError: CustomStringConvertible {
  /// What is wrong, where, and what to do about it.
  public var description: String {
    switch self {
    case .unsupportedModel(let name):
      "tokenizer model \"\(name)\" is not supported; supported are \"gpt2\" (byte-level BPE) and "
        + "\"llama\" (SentencePiece); use a model converted with one of these"
    case .unsupportedPretokenizer(let name):
      "pre-tokenizer \"\(name)\" is not supported; supported are "
        + Pretokenizer.names.joined(separator: ", ")
    case .missing(let key):
      "metadata key \(key) is missing; convert the model again with its tokenizer"
    case .metadata(let error): "\(error)"
    case .countMismatch(let key, let expected, let found):
      "metadata key \(key) has \(found) entries for \(expected) tokens; convert the model again"
    case .tooLarge(let tokens):
      "a vocabulary of \(tokens) tokens is too large"
    case .malformedByteToken(let id, let text):
      "byte token \(id) is spelt \"\(text)\" instead of <0xNN> with two hexadecimal digits"
    case .malformedMerge(let index, let text):
      "tokenizer.ggml.merges is malformed at entry \(index): \"\(text)\" is not two parts "
        + "separated by one space"
    case .malformedScore(let id):
      "tokenizer.ggml.scores holds no number for token \(id)"
    }
  }
}
