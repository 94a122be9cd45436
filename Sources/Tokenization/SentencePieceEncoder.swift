/// SentencePiece in its BPE form: characters are symbols, and of all neighbouring pairs whose
/// joined text is a token, the one with the best score is joined first (Kudo and Richardson 2018).
///
/// Text and tokens are handled with plain spaces. SentencePiece itself writes a space as U+2581
/// and cannot tell the two apart in its input; neither does this.
struct SentencePieceEncoder: Sendable {
  /// Tokens that joining can lead to, by their bytes.
  private let pieces: ByteTable
  /// By token: the better its score, the earlier it is joined.
  private let scores: [Float]
  /// The token of each byte, -1 where the vocabulary has none.
  private let byteTokens: [TokenID]
  private let fallback: TokenID?
  private let longestPiece: Int
  /// Whether two bytes are neighbours in some piece: `first << 8 | second`. [65536]
  ///
  /// Nothing can be joined across a place where they are not, so the text may be cut there; in
  /// practice that is before the spaces between words.
  private let isInsidePiece: [Bool]

  /// - Throws: `countMismatch`, `malformedScore`.
  init(_ vocabulary: Vocabulary, scores: [Float]) throws(TokenizerError) {
    guard scores.count == vocabulary.count else {
      throw .countMismatch(
        key: "tokenizer.ggml.scores", expected: vocabulary.count, found: scores.count)
    }
    if let id = scores.firstIndex(where: \.isNaN) { throw .malformedScore(id: id) }
    self.scores = scores
    fallback = vocabulary.fallback
    byteTokens = Self.byteTokens(vocabulary)
    let tokens = vocabulary.tokens
    func isPiece(_ id: Int) -> Bool {
      switch vocabulary.kinds[id] {
      case .normal: !tokens.range(id).isEmpty
      // Added tokens are found before; one with spaces is no product of joining.
      case .userDefined: !tokens.range(id).isEmpty && !tokens[id].contains(0x20)
      case .byte, .control, .unknown, .unused: false
      }
    }
    pieces = ByteTable(indexing: tokens, where: isPiece)
    var longest = 0
    var isInsidePiece = [Bool](repeating: false, count: 1 << 16)
    for id in 0..<vocabulary.count where isPiece(id) {
      let range = tokens.range(id)
      longest = max(longest, range.count)
      for position in range.dropFirst() {
        isInsidePiece[Int(tokens.bytes[position - 1]) << 8 | Int(tokens.bytes[position])] = true
      }
    }
    longestPiece = longest
    self.isInsidePiece = isInsidePiece
  }

  private static func byteTokens(_ vocabulary: Vocabulary) -> [TokenID] {
    var byteTokens = [TokenID](repeating: -1, count: 256)
    for id in (0..<vocabulary.count).reversed() where vocabulary.kinds[id] == .byte {
      if let byte = vocabulary.tokens[id].first { byteTokens[Int(byte)] = TokenID(id) }
    }
    return byteTokens
  }

  /// A score as an integer that is smaller the better the score is; the two zeros are equal.
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
  }

  /// Appends the tokens of `text`, in which spaces are plain.
  ///
  /// A character without a token becomes its bytes; a byte without a token becomes the unknown
  /// token, or vanishes where that has another role.
  ///
  /// - Complexity: O(*n* log *n*) in the number of characters.
  func encode(_ text: [UInt8], into output: inout [TokenID]) {
    var cache = PieceCache(byteCount: text.count)
    var work = Work()
    var start = 0
    while start < text.count {
      var end = start + 1
      while end < text.count,
        isInsidePiece[Int(text[end - 1]) << 8 | Int(text[end])]
          || text[end] & 0xC0 == 0x80
      {
        end += 1
      }
      let key = PieceCache.Key(text, start..<end)
      if let known = cache.find(key) {
        for position in known { output.append(output[position]) }
      } else {
        let first = output.count
        encode(text, start..<end, &work, into: &output)
        cache.store(key, first..<output.count)
      }
      start = end
    }
  }

  /// Memory that the stretches of one text share.
  private struct Work {
    var symbols: [Symbol] = []
    var queue = MergeQueue()
  }

  /// Encodes a stretch that nothing is joined to from outside.
  private func encode(
    _ text: [UInt8], _ range: Range<Int>, _ work: inout Work, into output: inout [TokenID]
  ) {
    fillSymbols(&work.symbols, text, range)
    work.queue.removeAll()
    for index in work.symbols.indices.dropLast() { push(index, &work, text) }
    while let candidate = work.queue.pop() {
      let left = Int(candidate.key & 0xFFFF_FFFF)
      let right = work.symbols[left].next
      let length = Int(candidate.check)
      // Outdated: a part was joined with something else in the meantime.
      guard work.symbols[left].length > 0, right >= 0,
        work.symbols[left].length + work.symbols[right].length == length
      else { continue }
      work.symbols[left].length = length
      work.symbols[right].length = 0
      let next = work.symbols[right].next
      work.symbols[left].next = next
      if next >= 0 { work.symbols[next].previous = left }
      push(left, &work, text)
      let previous = work.symbols[left].previous
      if previous >= 0 { push(previous, &work, text) }
    }
    append(work.symbols, text, to: &output)
  }

  private func fillSymbols(_ symbols: inout [Symbol], _ text: [UInt8], _ range: Range<Int>) {
    symbols.removeAll(keepingCapacity: true)
    var position = range.lowerBound
    while position < range.upperBound {
      let (_, length) = ScalarText.decode(text, position, range.upperBound)
      let index = symbols.count
      symbols.append(Symbol(start: position, length: length, previous: index - 1, next: index + 1))
      position += length
    }
    if let last = symbols.indices.last { symbols[last].next = -1 }
  }

  private func push(_ left: Int, _ work: inout Work, _ text: [UInt8]) {
    let symbol = work.symbols[left]
    guard symbol.next >= 0 else { return }
    let length = symbol.length + work.symbols[symbol.next].length
    guard length <= longestPiece,
      let token = pieces.find(text, symbol.start..<symbol.start + length)
    else { return }
    let key = UInt64(Self.order(scores[token])) << 32 | UInt64(left)
    work.queue.push(.init(key: key, check: UInt32(length)))
  }

  /// Whether a character of this byte alone is lost where no piece spells it.
  func loses(_ byte: UInt8) -> Bool { byteTokens[Int(byte)] < 0 && fallback == nil }

  private func append(_ symbols: [Symbol], _ text: [UInt8], to output: inout [TokenID]) {
    var index = symbols.isEmpty ? -1 : 0
    while index >= 0 {
      let range = symbols[index].start..<symbols[index].start + symbols[index].length
      if let token = pieces.find(text, range) {
        output.append(TokenID(token))
      } else {
        for byte in text[range] {
          let token = byteTokens[Int(byte)]
          if token >= 0 { output.append(token) } else if let fallback { output.append(fallback) }
        }
      }
      index = symbols[index].next
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
