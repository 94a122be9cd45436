internal import GGUF

/// Byte-level BPE: bytes are symbols, and the pair with the best rank is joined as long as one has.
///
/// (Sennrich et al. 2016; bytes instead of characters as in GPT-2).
struct BytePairEncoder: Sendable {
  private let pretokenizer: Pretokenizer
  /// Tokens that merges can lead to, by their bytes.
  private let pieces: ByteTable
  private let merges: PairTable
  /// The symbol of each byte: a token where there is one, else `firstByteSymbol` plus the byte.
  private let byteSymbols: [UInt32]
  private let fallback: TokenID?
  /// Symbols below are tokens; from here on 256 for bytes without a token, then `spellings`.
  private let firstByteSymbol: UInt32
  /// Bytes of the symbols that merges mention although they are no tokens.
  private let spellings: ByteStrings

  /// Pieces up to this length are merged by looking through all pairs, longer ones with a heap.
  private static let shortPiece = 48

  /// - Throws: `malformedMerge`.
  init(
    _ vocabulary: Vocabulary, texts: GGUFStrings, merges rules: GGUFStrings,
    pretokenizer: Pretokenizer
  ) throws(TokenizerError) {
    self.pretokenizer = pretokenizer
    fallback = vocabulary.fallback
    let isPiece = Self.isPiece(vocabulary, texts)
    pieces = ByteTable(indexing: vocabulary.tokens) { isPiece[$0] }
    firstByteSymbol = UInt32(vocabulary.count)
    byteSymbols = Self.byteSymbols(pieces, vocabulary.count)
    guard rules.count < 1 << 28 else { throw .tooLarge(tokens: rules.count) }
    var symbols = MergeSymbols(pieces, byteSymbols, isPiece)
    merges = PairTable(try symbols.read(rules))
    spellings = symbols.spellings
  }

  /// By token, whether merges can lead to it: it has to be spelt entirely in the byte alphabet.
  ///
  /// Added tokens are plain text, which means the same bytes only where it is ASCII.
  private static func isPiece(_ vocabulary: Vocabulary, _ texts: GGUFStrings) -> [Bool] {
    (0..<vocabulary.count).map { id in
      guard !vocabulary.tokens.range(id).isEmpty else { return false }
      return switch vocabulary.kinds[id] {
      case .normal, .byte: ByteLevelAlphabet.spells(texts.bytes, texts.range(of: id))
      case .userDefined: vocabulary.tokens[id].allSatisfy { (0x21...0x7E).contains($0) }
      case .unknown, .control, .unused: false
      }
    }
  }

  private static func byteSymbols(_ pieces: ByteTable, _ count: Int) -> [UInt32] {
    (0..<256).map { byte in UInt32(pieces.find([UInt8(byte)]) ?? count + byte) }
  }

  /// Appends the tokens of `bytes[range]`.
  ///
  /// Bytes without a token become the unknown token, or vanish where that has another role.
  ///
  /// - Complexity: O(*n* log *n*) in the number of bytes.
  func encode(_ bytes: [UInt8], _ range: Range<Int>, into output: inout [TokenID]) {
    var work = Work()
    var cache = PieceCache(byteCount: range.count)
    for piece in pretokenizer.pieces(of: bytes, range) {
      let key = PieceCache.Key(bytes, piece)
      if let known = cache.find(key) {
        for position in known { output.append(output[position]) }
        continue
      }
      let start = output.count
      encode(bytes, piece, &work, into: &output)
      cache.store(key, start..<output.count)
    }
  }

  /// Memory that the pieces of one text share.
  private struct Work {
    /// Symbol at each position; in the heap variant only where a symbol starts.
    var symbols: [UInt32] = []
    /// Rank of merging a symbol with its right neighbour.
    var ranks: [UInt32] = []
    /// The symbol that merge makes.
    var merged: [UInt32] = []
    var next: [Int32] = []
    var previous: [Int32] = []
    var queue = MergeQueue()
  }

  private static let noRank = UInt32.max

  private func encode(
    _ bytes: [UInt8], _ piece: Range<Int>, _ work: inout Work, into output: inout [TokenID]
  ) {
    if pretokenizer.ignoresMerges, let id = pieces.find(bytes, piece) {
      output.append(TokenID(id))
      return
    }
    work.symbols.removeAll(keepingCapacity: true)
    for position in piece { work.symbols.append(byteSymbols[Int(bytes[position])]) }
    work.ranks.removeAll(keepingCapacity: true)
    work.merged.removeAll(keepingCapacity: true)
    for index in work.symbols.indices {
      let next = index + 1 < work.symbols.count ? work.symbols[index + 1] : nil
      let merge = next.flatMap { merges.find(work.symbols[index], $0) }
      work.ranks.append(merge?.rank ?? Self.noRank)
      work.merged.append(merge?.symbol ?? 0)
    }
    if piece.count <= Self.shortPiece {
      mergeShort(&work)
      for symbol in work.symbols { append(symbol, to: &output) }
    } else {
      mergeLong(&work)
      var position = 0
      while position >= 0 {
        append(work.symbols[position], to: &output)
        position = Int(work.next[position])
      }
    }
  }

  private func mergeShort(_ work: inout Work) {
    while true {
      var best = 0
      for index in work.ranks.indices where work.ranks[index] < work.ranks[best] { best = index }
      guard best < work.ranks.count, work.ranks[best] != Self.noRank else { return }
      work.symbols[best] = work.merged[best]
      work.symbols.remove(at: best + 1)
      work.ranks.remove(at: best + 1)
      work.merged.remove(at: best + 1)
      let next = best + 1 < work.symbols.count ? best + 1 : -1
      update(&work, best, next)
      if best > 0 { update(&work, best - 1, best) }
    }
  }

  private func mergeLong(_ work: inout Work) {
    let count = work.symbols.count
    work.next = (0..<Int32(count)).map { $0 + 1 < count ? $0 + 1 : -1 }
    work.previous = (0..<Int32(count)).map { $0 - 1 }
    work.queue.removeAll()
    for index in 0..<count { push(&work, index) }
    while let candidate = work.queue.pop() {
      let left = Int(candidate.key & 0xFFFF_FFFF)
      // Outdated: the symbol was swallowed, or has another neighbour by now.
      guard UInt64(work.ranks[left]) == candidate.key >> 32 else { continue }
      let right = Int(work.next[left])
      work.symbols[left] = work.merged[left]
      work.ranks[right] = Self.noRank
      let next = work.next[right]
      work.next[left] = next
      if next >= 0 { work.previous[Int(next)] = Int32(left) }
      update(&work, left, Int(next))
      push(&work, left)
      let previous = Int(work.previous[left])
      if previous >= 0 {
        update(&work, previous, left)
        push(&work, previous)
      }
    }
  }

  /// Looks up the merge of a symbol with its present right neighbour; -1 if it has none.
  private func update(_ work: inout Work, _ index: Int, _ next: Int) {
    let merge = next < 0 ? nil : merges.find(work.symbols[index], work.symbols[next])
    work.ranks[index] = merge?.rank ?? Self.noRank
    work.merged[index] = merge?.symbol ?? 0
  }

  private func push(_ work: inout Work, _ index: Int) {
    let rank = work.ranks[index]
    guard rank != Self.noRank else { return }
    work.queue.push(.init(key: UInt64(rank) << 32 | UInt64(index), check: 0))
  }

  /// Whether text with this byte loses it: it has no token, and there is none for the unknown.
  func loses(_ byte: UInt8) -> Bool {
    byteSymbols[Int(byte)] >= firstByteSymbol && fallback == nil
  }

  private func append(_ symbol: UInt32, to output: inout [TokenID]) {
    if symbol < firstByteSymbol {
      output.append(TokenID(symbol))
    } else if symbol < firstByteSymbol + 256 {
      if let fallback { output.append(fallback) }
    } else {
      for byte in spellings[Int(symbol - firstByteSymbol) - 256] {
        let symbol = byteSymbols[Int(byte)]
        if symbol < firstByteSymbol {
          output.append(TokenID(symbol))
        } else if let fallback {
          output.append(fallback)
        }
      }
    }
  }
}

/// Gives numbers to everything the merge rules mention, while they are read.
private struct MergeSymbols {
  private let pieces: ByteTable
  private let byteSymbols: [UInt32]
  private let isPiece: [Bool]
  private var others = ByteTable()
  /// What the last rule made; rules often come in the order of the tokens they make.
  private var last = 0

  /// The bytes of what is mentioned without being a token.
  var spellings: ByteStrings { others.keys }

  init(_ pieces: ByteTable, _ byteSymbols: [UInt32], _ isPiece: [Bool]) {
    self.pieces = pieces
    self.byteSymbols = byteSymbols
    self.isPiece = isPiece
  }

  /// Reads rules of the form "left right", in order of rank.
  mutating func read(_ rules: GGUFStrings) throws(TokenizerError) -> [PairTable.Rule] {
    var read: [PairTable.Rule] = []
    read.reserveCapacity(rules.count)
    let text = rules.bytes
    var pair: [UInt8] = []
    for rank in 0..<rules.count {
      let range = rules.range(of: rank)
      guard let space = Self.separator(text, range) else {
        throw .malformedMerge(index: rank, text: rules.text(at: rank))
      }
      pair.removeAll(keepingCapacity: true)
      ByteLevelAlphabet.decode(text, range.lowerBound..<space, into: &pair)
      let middle = pair.count
      ByteLevelAlphabet.decode(text, space + 1..<range.upperBound, into: &pair)
      let left = symbol(pair, 0..<middle)
      let right = symbol(pair, middle..<pair.count)
      read.append(.init(left: left, right: right, symbol: madeSymbol(pair)))
    }
    return read
  }

  /// The place of the only space between two non-empty parts.
  ///
  /// A space in first place would be
  /// the left part itself.
  private static func separator(_ text: [UInt8], _ range: Range<Int>) -> Int? {
    var found: Int?
    for position in range.dropFirst() where text[position] == 0x20 {
      guard found == nil, position + 1 < range.upperBound else { return nil }
      found = position
    }
    return found
  }

  private mutating func symbol(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    if range.count == 1 { return byteSymbols[Int(bytes[range.lowerBound])] }
    if let id = pieces.find(bytes, range) { return UInt32(id) }
    return UInt32(isPiece.count + 256 + others.insert(bytes, range))
  }

  /// The symbol of the whole of `bytes`; tries the previous rule's and the one after it first.
  private mutating func madeSymbol(_ bytes: [UInt8]) -> UInt32 {
    let range = 0..<bytes.count
    for guess in last...last + 1 where guess < isPiece.count && isPiece[guess] {
      if pieces.keys.equals(guess, bytes, range) {
        last = guess
        return UInt32(guess)
      }
    }
    let symbol = symbol(bytes, range)
    last = Int(symbol)
    return symbol
  }
}
