/// A set of tokens, one bit each: the tokens that may come next.
public struct TokenMask: Sendable, Equatable {
  /// Bits of tokens 64 × i to 64 × i + 63 in word i.
  package var words: ContiguousArray<UInt64>
  /// Number of tokens the mask speaks about.
  public let tokenCount: Int

  /// An empty mask.
  public init(tokenCount: Int) {
    self.tokenCount = tokenCount
    words = ContiguousArray(repeating: 0, count: (tokenCount + 63) / 64)
  }

  /// Whether token `id` may come next; ids outside the vocabulary may not.
  public func contains(_ id: Int) -> Bool {
    guard id >= 0 && id < tokenCount else { return false }
    return words[id >> 6] & (1 << UInt64(id & 63)) != 0
  }

  package mutating func insert(_ id: Int) {
    words[id >> 6] |= 1 << UInt64(id & 63)
  }

  package mutating func formUnion(_ other: TokenMask) {
    for i in words.indices { words[i] |= other.words[i] }
  }

  /// How many tokens may come next.
  /// - Complexity: O(tokens / 64)
  public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// Whether no token may come next.
  public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// Whether a token other than these may come next.
  func hasTokens(besides ids: [Int]) -> Bool {
    for (index, word) in words.enumerated() where word != 0 {
      var rest = word
      for id in ids where id >> 6 == index { rest &= ~(1 << UInt64(id & 63)) }
      if rest != 0 { return true }
    }
    return false
  }

  /// The tokens that may come next, ascending.
  public var tokens: [Int] {
    var result: [Int] = []
    for (index, word) in words.enumerated() where word != 0 {
      var rest = word
      while rest != 0 {
        result.append(index * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    return result
  }
}
