/// How text is cut into pieces before merging: no BPE merge crosses the border of a piece.
///
/// A pre-tokenizer is a list of rules. The first cuts the text, each later one cuts the pieces of
/// those before it; what a rule does not match stays together as a piece of its own.
package struct Pretokenizer: Sendable {
  let rules: [PretokenizerRule]
  /// Whether a piece that is a token itself is taken whole, whatever the merges say.
  let ignoresMerges: Bool
  /// Whether the text gets a beginning-of-sequence token where the file does not say.
  let addsBOS: Bool

  private init(_ rules: PretokenizerRule..., ignoresMerges: Bool = false, addsBOS: Bool = false) {
    self.rules = rules
    self.ignoresMerges = ignoresMerges
    self.addsBOS = addsBOS
  }

  /// The pre-tokenizer that `tokenizer.ggml.pre` calls `name`, or nil if its rule is not known.
  package static func named(_ name: String) -> Pretokenizer? {
    families.first { $0.names.contains(name) }?.pretokenizer
  }

  /// Every name that is understood.
  package static var names: [String] { families.flatMap(\.names) }

  /// What is assumed where a file names no pre-tokenizer; such files get a warning.
  static let assumedName = "default"

  private static let families: [(names: [String], pretokenizer: Pretokenizer)] = [
    (
      [
        "gpt-2", "gpt2", "phi-2", "mpt", "olmo", "jais", "gigachat", "exaone4", "a.x-4.0",
        "mellum", "trillion", "granite-docling",
      ],
      Pretokenizer(.words)
    ),
    (
      ["llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "lfm2"],
      Pretokenizer(.wordsAndLines(digits: 3), ignoresMerges: true, addsBOS: true)
    ),
    (["dbrx", "smaug-bpe", "chatglm-bpe", "glm4"], Pretokenizer(.wordsAndLines(digits: 3))),
    (
      [
        "qwen2", "deepseek-r1-qwen", "stablelm2", "megrez", "kormo", "hunyuan", "solar-open",
        "grok-2",
      ],
      Pretokenizer(.wordsAndLines(digits: 1))
    ),
    (["qwen35"], Pretokenizer(.wordsAndLines(digits: 1, marks: true))),
    (
      ["smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"],
      Pretokenizer(.numbers(atMost: 1), .words)
    ),
    (
      ["default"],
      Pretokenizer(
        .punctuation(graveAccent: false), .words, .numbers(atMost: .max), .digitTriples)
    ),
    (["falcon"], Pretokenizer(.punctuation(graveAccent: true), .words, .digitTriples)),
    (
      ["deepseek-llm"],
      Pretokenizer(
        .lineBreak, .spaced(.casedLetters), .spaced(.asciiAndWidePunctuation), .trailingSpace,
        .eastAsian, .numbers(atMost: .max))
    ),
    (
      ["deepseek-coder"],
      Pretokenizer(
        .lineBreak, .spaced(.letters), .spaced(.punctuation), .eastAsian, .numbers(atMost: 1))
    ),
    (
      ["deepseek-v3", "hunyuan-dense", "joyai-llm"],
      Pretokenizer(.numbers(atMost: 3), .kanaAndHan, .wordsWithMarks)
    ),
    (
      ["gpt-4o", "llama4", "minimax-m2"],
      Pretokenizer(.casedWords(contractions: true, digits: 3))
    ),
    (
      ["tekken"],
      Pretokenizer(
        .casedWords(contractions: false, digits: 1), ignoresMerges: true, addsBOS: true)
    ),
    (["bloom", "poro-chat", "gpt3-finnish"], Pretokenizer(.betweenStops)),
    (["viking"], Pretokenizer(.betweenStops, .numbers(atMost: 1))),
  ]

  /// The pieces of `bytes[range]`, as ranges of bytes without gaps.
  ///
  /// - Complexity: linear in the text, times the number of rules.
  package func pieces(of bytes: [UInt8], _ range: Range<Int>) -> [Range<Int>] {
    guard !range.isEmpty else { return [] }
    let text = ScalarText(bytes, range)
    var ends = [text.count]
    for rule in rules { ends = rule.split(text, pieces: ends) }
    var start = range.lowerBound
    return ends.map { end in
      let piece = start..<text.offsets[end]
      start = piece.upperBound
      return piece
    }
  }
}

extension PretokenizerRule {
  /// Cuts each of the pieces that end at `pieces`.
  fileprivate func split(_ text: ScalarText, pieces: [Int]) -> [Int] {
    var ends: [Int] = []
    ends.reserveCapacity(max(pieces.count, text.count / 4))
    var position = 0
    for end in pieces {
      var pending = position
      while position < end {
        guard let matchEnd = match(text, position, end) else {
          position += 1
          continue
        }
        if pending < position { ends.append(position) }
        ends.append(matchEnd)
        position = matchEnd
        pending = matchEnd
      }
      if pending < end { ends.append(end) }
    }
    return ends
  }
}
