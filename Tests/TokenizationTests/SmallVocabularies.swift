import GGUF
import Tokenization

/// Vocabularies small enough to work out by hand what they must give.
enum SmallVocabulary {
  typealias Entry = (text: String, kind: Vocabulary.Kind, score: Float)

  /// A SentencePiece vocabulary: unknown, BOS and EOS, all byte tokens, then `pieces`.
  static func sentencePiece(
    _ pieces: [(String, Float)], bytes: Range<Int> = 0..<256, others: [Entry] = []
  ) -> TokenizerDescription {
    var entries: [Entry] = [("<unk>", .unknown, 0), ("<s>", .control, 0), ("</s>", .control, 0)]
    for byte in bytes { entries.append((byteText(byte), .byte, 0)) }
    entries += pieces.map { ($0.0, .normal, $0.1) }
    return description("llama", entries + others)
  }

  static func byteText(_ byte: Int) -> String {
    "<0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) + ">"
  }

  /// A byte-level vocabulary: the visible ASCII characters, the byte alphabet's space and line
  /// feed, what `merges` make, then `others`.
  static func bytePair(
    _ merges: [String], others: [Entry] = [], pretokenizer: String? = "gpt-2"
  ) -> TokenizerDescription {
    var texts = (0x21...0x7E).map { String(UnicodeScalar(UInt8($0))) } + ["\u{120}", "\u{10A}"]
    for merge in merges {
      let made = merge.filter { $0 != " " }
      if !texts.contains(made) { texts.append(made) }
    }
    var description = description("gpt2", texts.map { ($0, .normal, 0) } + others)
    description.merges = GGUFStrings(merges)
    description.pretokenizer = pretokenizer
    return description
  }

  static func description(_ model: String, _ entries: [Entry]) -> TokenizerDescription {
    var description = TokenizerDescription(
      model: model, tokens: GGUFStrings(entries.map(\.text)))
    description.types = entries.map { Int($0.kind.rawValue) }
    description.scores = entries.map(\.score)
    return description
  }
}

extension Tokenizer {
  /// Tokens as text, for comparing with what one would write down.
  func texts(_ ids: [TokenID]) -> [String] { ids.map { vocabulary.text(of: $0) } }
}
