public import GGUF

/// Turns text into the token ids of one model, and back.
///
/// A tokenizer never changes after it is made and may be used from any number of tasks at once.
public final class Tokenizer: Sendable {
  /// The values of `tokenizer.ggml.model` that can be used.
  static let supportedModels = ["gpt2", "llama"]

  /// The tokens.
  public let vocabulary: Vocabulary
  /// Whether text starts with a space that was not in it, as SentencePiece models expect.
  package let addsSpacePrefix: Bool
  private let encoder: Encoder
  private let specials: SpecialTokenMatcher

  private enum Encoder: Sendable {
    case bytePair(BytePairEncoder)
    case sentencePiece(SentencePieceEncoder)
  }

  /// Makes the tokenizer a model file describes.
  ///
  /// - Throws: `TokenizerError` if the file's tokenizer is unknown, incomplete or damaged.
  /// - Complexity: O(*n*) in the size of the vocabulary; about 0.1 s for 262,144 tokens.
  public convenience init(file: GGUFFile) throws(TokenizerError) {
    try self.init(TokenizerDescription(file.metadata))
  }

  package init(_ description: TokenizerDescription) throws(TokenizerError) {
    switch description.model {
    case "gpt2":
      let name = description.pretokenizer ?? Pretokenizer.assumedName
      guard let pretokenizer = Pretokenizer.named(name) else {
        throw .unsupportedPretokenizer(name)
      }
      guard let merges = description.merges else { throw .missing(key: "tokenizer.ggml.merges") }
      vocabulary = try Vocabulary(
        description, addsBOS: pretokenizer.addsBOS,
        warnings: description.pretokenizer == nil ? [.pretokenizerAssumed(name)] : [])
      encoder = .bytePair(
        try BytePairEncoder(
          vocabulary, texts: description.tokens, merges: merges, pretokenizer: pretokenizer))
      addsSpacePrefix = false
    case "llama":
      guard let scores = description.scores else { throw .missing(key: "tokenizer.ggml.scores") }
      vocabulary = try Vocabulary(description, addsBOS: true, warnings: [])
      encoder = .sentencePiece(try SentencePieceEncoder(vocabulary, scores: scores))
      addsSpacePrefix = description.addsSpacePrefix ?? true
    default: throw .unsupportedModel(description.model)
    }
    specials = SpecialTokenMatcher(vocabulary, modelName: description.name)
  }

  /// Oddities of the vocabulary that do not prevent its use; worth showing to a person.
  public var warnings: [VocabularyWarning] {
    let lost = Self.commonBytes.filter { byte in
      switch encoder {
      case .bytePair(let encoder): encoder.loses(byte)
      case .sentencePiece(let encoder): encoder.loses(byte)
      }
    }
    return vocabulary.warnings + (lost.isEmpty ? [] : [.lostBytes(lost)])
  }

  /// Bytes of ordinary UTF-8 text; vocabularies rightly leave out some control characters.
  private static let commonBytes: [UInt8] =
    [0x09, 0x0A] + Array(0x20...0x7E) + Array(0x80...0xBF) + Array(0xC2...0xF0)

  /// The tokens of a text.
  ///
  /// - Parameters:
  ///   - text: any text; the empty one has no tokens.
  ///   - parseSpecial: whether spellings of control tokens in `text` become these tokens. Leave it
  ///     out for text that somebody else wrote.
  ///   - addSpecial: whether to add the tokens with which the model starts and ends a prompt.
  /// - Returns: ids of `vocabulary`.
  /// - Complexity: O(*n* log *n*).
  public func encode(
    _ text: String, parseSpecial: Bool = false, addSpecial: Bool = false
  ) -> [TokenID] {
    encode(bytes: Array(text.utf8), parseSpecial: parseSpecial, addSpecial: addSpecial)
  }

  /// The tokens of text given as bytes, which need not be valid UTF-8.
  public func encode(
    bytes: [UInt8], parseSpecial: Bool = false, addSpecial: Bool = false
  ) -> [TokenID] {
    encode(bytes, controls: parseSpecial ? [0..<bytes.count] : [], addSpecial: addSpecial)
  }

  /// The tokens of bytes that continue a text: no space is put in front of them.
  package func encode(continuation bytes: [UInt8]) -> [TokenID] {
    encode(bytes, controls: [], addSpecial: false, followsToken: false)
  }

  /// The tokens of a chat prompt made of parts, as if it were one text, except that control tokens
  /// are found only in what the template wrote.
  package func encode(fragments: [PromptFragment], addSpecial: Bool = false) -> [TokenID] {
    let (bytes, controls) = Self.joined(fragments)
    return encode(bytes, controls: controls, addSpecial: addSpecial)
  }

  /// The same tokens, and for each of them the byte of the joined text at which it begins.
  ///
  /// Inside a text with characters that have no token the places are near the right ones.
  ///
  /// - Parameters:
  ///   - fragments: the parts.
  ///   - startsPrompt: whether nothing stands before them; else they continue other tokens.
  /// - Returns: the tokens, begun as a prompt has to begin, and their places, ascending.
  package func encodeWithPlaces(
    fragments: [PromptFragment], startsPrompt: Bool
  ) -> (tokens: [TokenID], places: [Int]) {
    let (bytes, controls) = Self.joined(fragments)
    var places: [Int] = []
    let tokens = encode(
      bytes, controls: controls, addSpecial: startsPrompt, followsToken: startsPrompt
    ) { tokens, range in
      let lengths = tokens.map { self.vocabulary.tokens[Int($0)].count }
      // The space that was put in front is no part of the text.
      let added = max(0, lengths.reduce(0, +) - range.count)
      var end = range.lowerBound
      for (index, length) in lengths.enumerated() {
        places.append(min(end, range.upperBound))
        end += index == 0 ? max(0, length - added) : length
      }
    }
    return (tokens, places)
  }

  private static func joined(
    _ fragments: [PromptFragment]
  ) -> (bytes: [UInt8], controls: [Range<Int>]) {
    var bytes: [UInt8] = []
    var controls: [Range<Int>] = []
    for fragment in fragments where !fragment.text.isEmpty {
      let start = bytes.count
      bytes.append(contentsOf: fragment.text.utf8)
      guard case .template = fragment else { continue }
      if let last = controls.last, last.upperBound == start {
        controls[controls.count - 1] = last.lowerBound..<bytes.count
      } else {
        controls.append(start..<bytes.count)
      }
    }
    return (bytes, controls)
  }

  /// Tells `note` of every stretch of the text and the tokens that it became.
  private func encode(
    _ bytes: [UInt8], controls: [Range<Int>], addSpecial: Bool, followsToken: Bool = true,
    note: ((_ tokens: ArraySlice<TokenID>, _ range: Range<Int>) -> Void)? = nil
  ) -> [TokenID] {
    let parts = specials.partition(bytes, controls: controls)
    var output: [TokenID] = []
    var position = 0
    // A template may have written the token already: one is enough.
    if addSpecial, vocabulary.addsBOS, let bos = vocabulary.bos, parts.first != .token(bos) {
      output.append(bos)
      note?(output[...], 0..<0)
    }
    var followsToken = followsToken
    for part in parts {
      let start = output.count
      let range: Range<Int>
      switch part {
      case .token(let id):
        output.append(id)
        followsToken = true
        range = position..<min(position + vocabulary.tokens[Int(id)].count, bytes.count)
      case .text(let text):
        encode(bytes, text, followsToken: followsToken, into: &output)
        followsToken = false
        range = text
      }
      note?(output[start...], range)
      position = range.upperBound
    }
    if addSpecial, vocabulary.addsEOS, let eos = vocabulary.eos, parts.last != .token(eos) {
      output.append(eos)
      note?(output.suffix(1), position..<position)
    }
    return output
  }

  private func encode(
    _ bytes: [UInt8], _ range: Range<Int>, followsToken: Bool, into output: inout [TokenID]
  ) {
    switch encoder {
    case .bytePair(let encoder): encoder.encode(bytes, range, into: &output)
    case .sentencePiece(let encoder):
      var text: [UInt8] = []
      text.reserveCapacity(range.count + 1)
      if addsSpacePrefix, followsToken { text.append(0x20) }
      SentencePiece.appendUnescaped(bytes, range, to: &text)
      encoder.encode(text, into: &output)
    }
  }

  /// The text of tokens, as bytes: a sequence may end inside a character.
  ///
  /// Control tokens and ids outside the vocabulary add nothing. The space that `encode` puts in
  /// front of a text is taken away again.
  public func decode(_ ids: [TokenID]) -> [UInt8] {
    var bytes: [UInt8] = []
    for id in ids where vocabulary.isText(id) {
      bytes.append(contentsOf: vocabulary.tokens[Int(id)])
    }
    if addsSpacePrefix, bytes.first == 0x20 { bytes.removeFirst() }
    return bytes
  }
}
