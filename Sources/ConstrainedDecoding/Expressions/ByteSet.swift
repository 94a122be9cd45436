/// A set of byte values.
package struct ByteSet: Hashable, Sendable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  package init() {}

  package init(_ range: ClosedRange<UInt8>) {
    for byte in range { insert(byte) }
  }

  package init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { insert(byte) }
  }

  package static let all = ByteSet(0...255)

  package var isEmpty: Bool { words.0 | words.1 | words.2 | words.3 == 0 }

  package var count: Int {
    words.0.nonzeroBitCount + words.1.nonzeroBitCount + words.2.nonzeroBitCount
      + words.3.nonzeroBitCount
  }

  package func contains(_ byte: UInt8) -> Bool {
    let bit = UInt64(1) << UInt64(byte & 63)
    return switch byte >> 6 {
    case 0: words.0 & bit != 0
    case 1: words.1 & bit != 0
    case 2: words.2 & bit != 0
    default: words.3 & bit != 0
    }
  }

  package mutating func insert(_ byte: UInt8) {
    let bit = UInt64(1) << UInt64(byte & 63)
    switch byte >> 6 {
    case 0: words.0 |= bit
    case 1: words.1 |= bit
    case 2: words.2 |= bit
    default: words.3 |= bit
    }
  }

  package func union(_ other: ByteSet) -> ByteSet {
    var result = self
    result.words.0 |= other.words.0
    result.words.1 |= other.words.1
    result.words.2 |= other.words.2
    result.words.3 |= other.words.3
    return result
  }

  package func intersection(_ other: ByteSet) -> ByteSet {
    var result = self
    result.words.0 &= other.words.0
    result.words.1 &= other.words.1
    result.words.2 &= other.words.2
    result.words.3 &= other.words.3
    return result
  }

  package func subtracting(_ other: ByteSet) -> ByteSet {
    var result = self
    result.words.0 &= ~other.words.0
    result.words.1 &= ~other.words.1
    result.words.2 &= ~other.words.2
    result.words.3 &= ~other.words.3
    return result
  }

  /// Removes and returns the smallest member, nil if there is none.
  mutating func popFirst() -> UInt8? {
    func pop(_ word: inout UInt64, _ base: UInt8) -> UInt8? {
      guard word != 0 else { return nil }
      let bit = UInt8(word.trailingZeroBitCount)
      word &= word - 1
      return base + bit
    }
    return pop(&words.0, 0) ?? pop(&words.1, 64) ?? pop(&words.2, 128) ?? pop(&words.3, 192)
  }

  /// The members in ascending order.
  package var bytes: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    var rest = self
    while let byte = rest.popFirst() { result.append(byte) }
    return result
  }

  /// All words in one, for hashing.
  var mixed: Int {
    let first = (words.0 ^ words.1 &* 0x9E37_79B9_7F4A_7C15) &* 0x1_0000_01B3
    let second = (words.2 ^ words.3 &* 0xC2B2_AE3D_27D4_EB4F) &* 0x1_0000_01B5
    return Int(truncatingIfNeeded: first ^ second ^ first >> 29)
  }

  package static func == (a: ByteSet, b: ByteSet) -> Bool {
    a.words.0 == b.words.0 && a.words.1 == b.words.1 && a.words.2 == b.words.2
      && a.words.3 == b.words.3
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}
