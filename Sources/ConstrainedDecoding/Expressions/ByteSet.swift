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

  /// The members in ascending order.
  package var bytes: [UInt8] { (0...255).lazy.map { UInt8($0) }.filter(contains) }

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
