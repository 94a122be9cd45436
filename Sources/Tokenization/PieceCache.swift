/// Remembers where the tokens of recent pieces stand in the output, since words repeat.
///
/// Direct-mapped, for pieces of up to 16 bytes; lives as long as the text being encoded.
struct PieceCache {
  /// A piece packed into two words, shorter ones padded with zeros and told apart by `length`.
  struct Key: Equatable {
    fileprivate var low: UInt64 = 0
    fileprivate var high: UInt64 = 0
    fileprivate var length: UInt32

    /// Nil for pieces that are too long.
    init?(_ bytes: [UInt8], _ range: Range<Int>) {
      guard range.count <= 16 else { return nil }
      length = UInt32(range.count)
      for offset in 0..<min(8, range.count) {
        low = low << 8 | UInt64(bytes[range.lowerBound + offset])
      }
      if range.count > 8 {
        for position in range.lowerBound + 8..<range.upperBound {
          high = high << 8 | UInt64(bytes[position])
        }
      }
    }
  }

  private struct Entry {
    var key: Key
    var count: UInt32
    var start: Int
  }

  private static let bits: UInt64 = 11
  private var entries: [Entry?] = []

  /// - Parameter byteCount: length of the text; short ones are not worth a cache.
  init(byteCount: Int) {
    if byteCount >= 1024 { entries = [Entry?](repeating: nil, count: 1 << Self.bits) }
  }

  /// Where in the output the tokens of the piece stand already.
  func find(_ key: Key?) -> Range<Int>? {
    guard let key, !entries.isEmpty, let entry = entries[slot(key)], entry.key == key else {
      return nil
    }
    return entry.start..<entry.start + Int(entry.count)
  }

  mutating func store(_ key: Key?, _ tokens: Range<Int>) {
    guard let key, !entries.isEmpty else { return }
    entries[slot(key)] = Entry(key: key, count: UInt32(tokens.count), start: tokens.lowerBound)
  }

  private func slot(_ key: Key) -> Int {
    let mixed = (key.low ^ (key.high &* 0x9E37_79B9_7F4A_7C15)) &* 0xBF58_476D_1CE4_E5B9
    return Int(mixed >> (64 - Self.bits))
  }
}
