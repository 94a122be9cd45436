package import GGUF

/// What a model file says about its tokenizer, before anything is made of it.
package struct TokenizerDescription: Sendable {
  /// The special ids that matter here; the raw values are the file's words for them.
  package enum Role: String, CaseIterable, Sendable {
    case bos, eos, unknown, padding, eot, eom

    package var key: String { "tokenizer.ggml.\(rawValue)_token_id" }
  }

  /// `tokenizer.ggml.model`.
  package var model: String
  /// `tokenizer.ggml.pre`.
  package var pretokenizer: String?
  /// `general.name`; some models need rules that no other key carries.
  package var name: String?
  /// Token texts as spelt in the file.
  package var tokens: GGUFStrings
  /// Kinds as numbers, one per token.
  package var types: [Int]?
  package var scores: [Float]?
  package var merges: GGUFStrings?
  /// Ids with a role, as the file gives them: they may lie outside the vocabulary.
  package var ids: [Role: Int] = [:]
  package var addsBOS: Bool?
  package var addsEOS: Bool?
  package var addsSpacePrefix: Bool?

  package init(model: String, tokens: GGUFStrings) {
    self.model = model
    self.tokens = tokens
  }

  /// Reads the tokenizer keys of a model file.
  ///
  /// - Throws: `missing` without a model name or tokens, `unsupportedModel` for another kind of
  ///   tokenizer, `metadata` for a value of an unexpected type.
  package init(_ metadata: GGUFMetadata) throws(TokenizerError) {
    let model: String?
    let tokens: GGUFStrings?
    do throws(GGUFError) {
      model = try metadata.string(Self.prefix + "model")
      tokens = try metadata.strings(Self.prefix + "tokens")
    } catch { throw .metadata(error) }
    guard let model else { throw .missing(key: Self.prefix + "model") }
    guard Tokenizer.supportedModels.contains(model) else { throw .unsupportedModel(model) }
    guard let tokens else { throw .missing(key: Self.prefix + "tokens") }
    self.init(model: model, tokens: tokens)
    do throws(GGUFError) { try readOptionalKeys(metadata) } catch { throw .metadata(error) }
  }

  private static let prefix = "tokenizer.ggml."

  private mutating func readOptionalKeys(_ metadata: GGUFMetadata) throws(GGUFError) {
    let prefix = Self.prefix
    pretokenizer = try metadata.string(prefix + "pre")
    name = try metadata.string("general.name")
    types = try metadata.integers(prefix + "token_type")
    scores = try metadata.floats(prefix + "scores")
    merges = try metadata.strings(prefix + "merges")
    addsBOS = try metadata.bool(prefix + "add_bos_token")
    addsEOS = try metadata.bool(prefix + "add_eos_token")
    addsSpacePrefix = try metadata.bool(prefix + "add_space_prefix")
    for role in Role.allCases { ids[role] = try metadata.integer(role.key) }
  }
}
