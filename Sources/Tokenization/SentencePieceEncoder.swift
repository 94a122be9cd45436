/// SentencePiece in its BPE form: characters are symbols, and of all neighbouring pairs whose
/// joined text is a token, the one with the best score is joined first (Kudo and Richardson 2018).
///
/// Text and tokens are handled with plain spaces. SentencePiece itself writes a space as U+2581
/// and cannot tell the two apart in its input; neither does this.
struct SentencePieceEncoder: Sendable {
  /// Tokens that joining can lead to, by their bytes.
  private let pieces: ByteTable
  /// By token: the score as a number that is smaller the better the score is.
  private let order: [UInt32]
  /// The token of each byte, -1 where the vocabulary has none.
  private let byteTokens: [TokenID]
  private let unknown: TokenID?
  private let longestPiece: Int

  /// - Throws: `countMismatch`, `malformedScore`.
  init(_ vocabulary: Vocabulary, scores: [Float]) throws(TokenizerError) {
    guard scores.count == vocabulary.count else {
      throw .countMismatch(
        key: "tokenizer.ggml.scores", expected: vocabulary.count, found: scores.count)
    }
    if let id = scores.firstIndex(where: \.isNaN) { throw .malformedScore(id: id) }
    order = scores.map(Self.order)
    unknown = vocabulary.unknown
    let tokens = vocabulary.tokens
    var pieces = ByteTable(capacity: vocabulary.count, bytes: tokens.bytes.count)
    var byteTokens = [TokenID](repeating: -1, count: 256)
    var longest = 0
    for id in 0..<vocabulary.count {
      let range = tokens.range(id)
      switch vocabulary.kinds[id] {
      case .normal: break
      // Added tokens are found before; one with spaces is no product of joining.
      case .userDefined where !tokens[id].contains(0x20): break
      case .byte where byteTokens[Int(tokens.bytes[range.lowerBound])] < 0:
        byteTokens[Int(tokens.bytes[range.lowerBound])] = TokenID(id)
        continue
      default: continue
      }
      guard !range.isEmpty else { continue }
      pieces.insert(tokens.bytes, range, value: TokenID(id))
      longest = max(longest, range.count)
    }
    self.pieces = pieces
    self.byteTokens = byteTokens
    longestPiece = longest
  }

  /// Floats as integers of opposite order; the two zeros are equal.
  private static func order(_ score: Float) -> UInt32 {
    let bits = (score + 0).bitPattern
    return bits & 0x8000_0000 == 0 ? ~(bits | 0x8000_0000) : bits
  }

  /// A symbol: a stretch of the text, in a doubly linked list.
  private struct Symbol {
    var start: Int
    /// Zero once the symbol has become part of its left neighbour.
    var length: Int
    var previous: Int
    var next: Int
    var token: TokenID
  }

  /// Appends the tokens of `text`, in which spaces are plain.
  ///
  /// A character without a token becomes its bytes; a byte without a token becomes the unknown
  /// token, or vanishes in a vocabulary without one.
  ///
  /// - Complexity: O(*n* log *n*) in the number of characters.
  func encode(_ text: [UInt8], into output: inout [TokenID]) {
    guard !text.isEmpty else { return }
    var symbols = symbols(of: text)
    var queue = MergeQueue()
    queue.reserve(symbols.count)
    for index in symbols.indices.dropLast() { push(index, symbols, text, &queue) }
    while let candidate = queue.pop() {
      let left = Int(candidate.key & 0xFFFF_FFFF)
      let right = symbols[left].next
      let length = Int(candidate.check)
      // Outdated: a part was joined with something else in the meantime.
      guard symbols[left].length > 0, right >= 0,
        symbols[left].length + symbols[right].length == length,
        let token = pieces.find(text, symbols[left].start..<symbols[left].start + length)
      else { continue }
      symbols[left].length = length
      symbols[left].token = token
      symbols[right].length = 0
      let next = symbols[right].next
      symbols[left].next = next
      if next >= 0 { symbols[next].previous = left }
      push(left, symbols, text, &queue)
      if symbols[left].previous >= 0 { push(symbols[left].previous, symbols, text, &queue) }
    }
    append(symbols, text, to: &output)
  }

  private func symbols(of text: [UInt8]) -> [Symbol] {
    var symbols: [Symbol] = []
    symbols.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      let (_, length) = ScalarText.decode(text, position, text.count)
      let token = pieces.find(text, position..<position + length) ?? -1
      let index = symbols.count
      symbols.append(
        Symbol(
          start: position, length: length, previous: index - 1, next: index + 1, token: token))
      position += length
    }
    symbols[symbols.count - 1].next = -1
    return symbols
  }

  private func push(_ left: Int, _ symbols: [Symbol], _ text: [UInt8], _ queue: inout MergeQueue) {
    let right = symbols[left].next
    guard right >= 0 else { return }
    let length = symbols[left].length + symbols[right].length
    let start = symbols[left].start
    guard length <= longestPiece, let token = pieces.find(text, start..<start + length) else {
      return
    }
    let key = UInt64(order[Int(token)]) << 32 | UInt64(left)
    queue.push(.init(key: key, check: UInt32(length)))
  }

  private func append(_ symbols: [Symbol], _ text: [UInt8], to output: inout [TokenID]) {
    var index = 0
    while index >= 0 {
      let symbol = symbols[index]
      if symbol.token >= 0 {
        output.append(symbol.token)
      } else {
        for byte in text[symbol.start..<symbol.start + symbol.length] {
          let token = byteTokens[Int(byte)]
          if token >= 0 { output.append(token) } else if let unknown { output.append(unknown) }
        }
      }
      index = symbol.next
    }
  }
}

/// How SentencePiece spells spaces.
enum SentencePiece {
  /// Appends `text[range]` with U+2581 turned into spaces.
  static func appendUnescaped(_ text: [UInt8], _ range: Range<Int>, to bytes: inout [UInt8]) {
    var position = range.lowerBound
    while position < range.upperBound {
      if text[position] == 0xE2, position + 2 < range.upperBound, text[position + 1] == 0x96,
        text[position + 2] == 0x81
      {
        bytes.append(0x20)
        position += 3
      } else {
        bytes.append(text[position])
        position += 1
      }
    }
  }
}
