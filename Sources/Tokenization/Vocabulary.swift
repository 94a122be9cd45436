/// The number of a token in a vocabulary.
public typealias TokenID = Int32

/// The tokens of a model: the bytes each stands for, its kind, and the ids with a special role.
///
/// Tokens are byte strings, not characters: one may hold half a character.
public final class Vocabulary: Sendable {
  /// What a token is for; the raw values are those of `tokenizer.ggml.token_type`.
  public enum Kind: UInt8, Sendable {
    /// A piece of ordinary text.
    case normal = 1
    /// What stands for text the vocabulary cannot express.
    case unknown = 2
    /// Structure, such as the end of a turn; never part of the text.
    case control = 3
    /// Added text, taken whole wherever it occurs.
    case userDefined = 4
    /// A number without a meaning.
    case unused = 5
    /// A single byte, for text no other token covers.
    case byte = 6
  }

  /// Byte strings of all tokens: decoded text, or the spelling of tokens without text.
  package let tokens: ByteStrings
  package let kinds: [Kind]
  package let roles: SpecialTokens
  /// Oddities of the file that were repaired or ignored.
  public let warnings: [VocabularyWarning]

  package init(
    tokens: ByteStrings, kinds: [Kind], roles: SpecialTokens, warnings: [VocabularyWarning]
  ) {
    self.tokens = tokens
    self.kinds = kinds
    self.roles = roles
    self.warnings = warnings
  }

  /// The number of tokens; valid ids are `0 ..< count`.
  public var count: Int { kinds.count }

  /// The beginning-of-sequence token, if the model has one.
  public var bos: TokenID? { roles.bos }
  /// The end-of-sequence token, if the model has one.
  public var eos: TokenID? { roles.eos }
  /// The token for text without a better one.
  public var unknown: TokenID? { roles.unknown }
  /// The token that fills up shorter sequences of a batch.
  public var padding: TokenID? { roles.padding }
  /// Every token after which a model has nothing more to say.
  public var endOfGeneration: Set<TokenID> { roles.endOfGeneration }
  /// Whether a prompt starts with `bos`.
  public var addsBOS: Bool { roles.addsBOS }
  /// Whether a prompt ends with `eos`.
  public var addsEOS: Bool { roles.addsEOS }

  /// Whether `id` is a token of this vocabulary.
  public func contains(_ id: TokenID) -> Bool { id >= 0 && Int(id) < count }

  /// The kind of a token, or nil for an id outside the vocabulary.
  public func kind(of id: TokenID) -> Kind? { contains(id) ? kinds[Int(id)] : nil }

  /// The bytes of a token: what it adds to the text, or how it is spelt if it adds none.
  ///
  /// - Returns: nothing for an id outside the vocabulary.
  public func bytes(of id: TokenID) -> [UInt8] {
    contains(id) ? Array(tokens[Int(id)]) : []
  }

  /// A token for display; invalid UTF-8 shows as U+FFFD.
  public func text(of id: TokenID) -> String { String(decoding: bytes(of: id), as: UTF8.self) }

  /// What stands for text that no token can express; nil if only a token with another role would,
  /// since that could end a turn in the middle of somebody's text.
  package var fallback: TokenID? {
    guard let unknown, unknown != bos, unknown != eos, !endOfGeneration.contains(unknown) else {
      return nil
    }
    return unknown
  }

  /// Whether a token adds its bytes to the text; control tokens and the like do not.
  public func isText(_ id: TokenID) -> Bool {
    switch kind(of: id) {
    case .normal, .userDefined, .byte: true
    case .unknown, .control, .unused, nil: false
    }
  }
}

/// Ids with a role, and what is added around a prompt.
package struct SpecialTokens: Equatable, Sendable {
  package var bos: TokenID?
  package var eos: TokenID?
  package var unknown: TokenID?
  package var padding: TokenID?
  package var endOfTurn: TokenID?
  package var endOfMessage: TokenID?
  package var endOfGeneration: Set<TokenID> = []
  package var addsBOS = false
  package var addsEOS = false

  package init() {}
}

/// An oddity of a vocabulary that does not prevent its use.
public enum VocabularyWarning: Equatable, Sendable, CustomStringConvertible {
  /// A special id lies outside the vocabulary and was ignored.
  case idOutsideVocabulary(key: String, count: Int)
  /// A token that ends turns in all known models was not marked as control, and now counts as one.
  case unmarkedTurnEnd(TokenID, String)
  /// The file names no pre-tokenizer, so one was assumed; the text may be cut in wrong places.
  case pretokenizerAssumed(String)
  /// Text loses these bytes: they have no token, and the vocabulary has none for the unknown.
  case lostBytes([UInt8])

  /// What is odd and what was done about it.
  public var description: String {
    switch self {
    case .idOutsideVocabulary(let key, let count):
      "\(key) is not among the \(count) tokens and was ignored"
    case .unmarkedTurnEnd(let id, let text):
      "token \(id) \"\(text)\" is not marked as control but is treated so"
    case .pretokenizerAssumed(let name):
      "tokenizer.ggml.pre is missing; \"\(name)\" is assumed, which may tokenize differently from "
        + "the model's training; convert the model again"
    case .lostBytes(let bytes):
      "\(bytes.count) bytes of ordinary text have no token and are left out of prompts, 0x"
        + String(bytes[0], radix: 16, uppercase: true)
        + " among them; this vocabulary is incomplete"
    }
  }
}
