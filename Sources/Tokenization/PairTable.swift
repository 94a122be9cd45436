/// The merge rules of a BPE vocabulary: a hash table from two symbols to rank and merged symbol.
struct PairTable: Sendable {
  /// A rule: the lower its rank, the earlier it applies.
  struct Merge {
    var rank: UInt32
    var symbol: UInt32
  }

  /// `left << 32 | right`; meaningful only where `merges` has a rule.
  private var keys: [UInt64]
  /// `rank << 32 | symbol`, all ones for an empty slot.
  private var merges: [UInt64]
  private let multiplier: UInt64
  private let shift: UInt64

  /// - Parameter capacity: the greatest number of rules that will be inserted.
  init(capacity: Int) {
    var bits: UInt64 = 5
    while 1 << bits < capacity * 2 + 2 { bits += 1 }
    keys = [UInt64](repeating: 0, count: 1 << bits)
    merges = [UInt64](repeating: .max, count: 1 << bits)
    multiplier = UInt64.random(in: 0 ... .max) | 1
    shift = 64 - bits
  }

  /// The rule for two neighbouring symbols, or nil.
  @inline(__always)
  func find(_ left: UInt32, _ right: UInt32) -> Merge? {
    let key = UInt64(left) << 32 | UInt64(right)
    var slot = slot(of: key)
    while merges[slot] != .max {
      if keys[slot] == key {
        let merge = merges[slot]
        return Merge(rank: UInt32(merge >> 32), symbol: UInt32(merge & 0xFFFF_FFFF))
      }
      slot = (slot + 1) & (keys.count - 1)
    }
    return nil
  }

  /// Adds a rule unless the pair has one already: the first one listed has the better rank.
  mutating func insert(_ left: UInt32, _ right: UInt32, _ merge: Merge) {
    let key = UInt64(left) << 32 | UInt64(right)
    var slot = slot(of: key)
    while merges[slot] != .max {
      if keys[slot] == key { return }
      slot = (slot + 1) & (keys.count - 1)
    }
    keys[slot] = key
    merges[slot] = UInt64(merge.rank) << 32 | UInt64(merge.symbol)
  }

  private func slot(of key: UInt64) -> Int {
    // Folding first lets the upper half, the left symbol, reach every bit of the product.
    Int(((key ^ (key >> 29)) &* multiplier) >> shift)
  }
}
