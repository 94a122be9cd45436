package import Tokenization

/// The tokens of a vocabulary as bytes, arranged so that a whole mask is one walk.
///
/// Built once per model and shared. Control tokens and tokens without bytes have no text: no
/// grammar reaches them by bytes, only by number.
package final class TokenTable: Sendable {
  /// What the tokens of one trie have in common, which lets a whole trie be allowed at once.
  enum Group: Int, CaseIterable {
    /// Only ASCII letters and digits.
    case alphanumeric
    /// Other whole characters that a JSON string holds as they are.
    case plain
    /// Quotes, backslashes, control characters, parts of characters.
    case other
  }

  package let tokenCount: Int
  /// Ends of generation, legal exactly when the grammar is complete.
  package let endTokens: [Int]
  package let isControl: [Bool]
  /// Length in bytes of the longest token that has text.
  package let longestToken: Int
  private let texts: ByteStrings
  let tries: [TokenTrie]
  /// By group, then by length in characters n: all tokens of at most n characters.
  let maskByLength: [[TokenMask]]

  /// - Parameters:
  ///   - texts: By id, the bytes a token decodes to; of control tokens their spelling.
  ///   - control: By id, whether it is a control token.
  ///   - endTokens: Ids that end a generation; ids outside the vocabulary are ignored.
  package init(_ texts: ByteStrings, control: [Bool], endTokens: some Sequence<Int>) {
    let count = texts.count
    tokenCount = count
    self.endTokens = Set(endTokens).filter { $0 >= 0 && $0 < count }.sorted()
    var isControl = control
    while isControl.count < count { isControl.append(false) }
    for id in self.endTokens { isControl[id] = true }
    var ids = Group.allCases.map { _ in [Int32]() }
    var lengths = [Int32](repeating: 0, count: count)
    var longest = 0
    for id in 0..<count {
      let text = texts[id]
      if isControl[id] || text.isEmpty || text.count > TokenTrie.longestText { continue }
      let (group, length) = Self.classify(text)
      ids[group.rawValue].append(Int32(id))
      lengths[id] = Int32(length)
      longest = max(longest, text.count)
    }
    self.texts = texts
    self.isControl = isControl
    longestToken = longest
    tries = ids.map { TokenTrie($0, texts, lengths: lengths) }
    maskByLength = ids.map { members in
      Self.masksByLength(members, lengths, tokenCount: count)
    }
  }

  /// The tokens of a model; those that add nothing to the text are reached by number alone.
  package convenience init(_ vocabulary: Vocabulary) {
    self.init(
      vocabulary.tokens, control: (0..<TokenID(vocabulary.count)).map { !vocabulary.isText($0) },
      endTokens: vocabulary.endOfGeneration.map { Int($0) })
  }

  /// The bytes of token `id`; none for ids outside the vocabulary.
  package func bytes(of id: Int) -> ArraySlice<UInt8> {
    guard id >= 0 && id < tokenCount else { return [] }
    return texts[id]
  }

  /// The token that is exactly `text`, control tokens included.
  package func id(ofText text: String) -> Int? {
    let wanted = Array(text.utf8)
    return (0..<tokenCount).first { texts[$0].elementsEqual(wanted) }
  }

  /// Whether some token goes on after `text`, so that `text` may not be how it is tokenised.
  package func hasTokenBeyond(_ text: some Collection<UInt8>) -> Bool {
    tries.contains { $0.hasTextBeyond(text) }
  }

  /// The tokens that are a prefix of `text`, shortest first.
  package func prefixes(of text: ArraySlice<UInt8>) -> [(id: Int, length: Int)] {
    tries.flatMap { $0.prefixes(of: text) }.sorted { $0.length < $1.length }
  }

  /// The group of a token and its length in characters.
  static func classify(_ text: ArraySlice<UInt8>) -> (Group, Int) {
    var isAlphanumeric = true
    var index = text.startIndex
    var characters = 0
    while index < text.endIndex {
      let byte = text[index]
      if byte < 0x80 {
        if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F { return (.other, 0) }
        let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A
        if !isLetter && !(byte >= 0x30 && byte <= 0x39) { isAlphanumeric = false }
        index += 1
      } else {
        isAlphanumeric = false
        guard let width = UTF8Check.width(text[index...]) else { return (.other, 0) }
        index += width
      }
      characters += 1
    }
    return (isAlphanumeric ? .alphanumeric : .plain, characters)
  }

  private static func masksByLength(
    _ members: [Int32], _ lengths: [Int32], tokenCount: Int
  ) -> [TokenMask] {
    let longest = Int(members.map { lengths[Int($0)] }.max() ?? 0)
    // Beyond this many characters lengths are not told apart: only "all" is kept.
    let kept = min(longest, 40)
    var byLength = [[Int32]](repeating: [], count: kept + 1)
    for id in members where lengths[Int(id)] <= kept { byLength[Int(lengths[Int(id)])].append(id) }
    var masks: [TokenMask] = []
    var mask = TokenMask(tokenCount: tokenCount)
    for ids in byLength {
      for id in ids { mask.insert(Int(id)) }
      masks.append(mask)
    }
    if longest > kept {
      for id in members { mask.insert(Int(id)) }
      masks.append(mask)
    }
    return masks
  }
}

/// Well-formedness of one UTF-8 sequence (Unicode 16, table 3-7).
package enum UTF8Check {
  /// Bytes of the whole character that `text` begins with, nil if it begins with none.
  package static func width(_ text: ArraySlice<UInt8>) -> Int? {
    guard let first = text.first else { return nil }
    let width: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0...0x7F: return 1
    case 0xC2...0xDF: width = 2
    case 0xE0: (width, second) = (3, 0xA0...0xBF)
    case 0xED: (width, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: width = 3
    case 0xF0: (width, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: width = 4
    case 0xF4: (width, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard text.count >= width, second.contains(text[text.startIndex + 1]) else { return nil }
    for byte in text.dropFirst(2).prefix(width - 2) where byte & 0xC0 != 0x80 { return nil }
    return width
  }
}
