/// The merge rules of a BPE vocabulary: a hash table from two symbols to rank and merged symbol.
struct PairTable: Sendable {
  /// A rule: the lower its rank, the earlier it applies.
  struct Merge {
    var rank: UInt32
    var symbol: UInt32
  }

  private struct Rule {
    var left: UInt32
    var right: UInt32
    var symbol: UInt32
  }

  /// All rules; the rank is the position.
  private var rules: [Rule] = []
  /// Rank plus one, zero for an empty slot.
  private var slots: [UInt32]
  private let multiplier: UInt64
  private let shift: UInt64

  /// - Parameter capacity: the greatest number of rules that will be added.
  init(capacity: Int) {
    var bits: UInt64 = 5
    while 1 << bits < capacity * 2 + 2 { bits += 1 }
    rules.reserveCapacity(capacity)
    slots = [UInt32](repeating: 0, count: 1 << bits)
    multiplier = UInt64.random(in: 0 ... .max) | 1
    shift = 64 - bits
  }

  /// The rule for two neighbouring symbols, or nil.
  @inline(__always)
  func find(_ left: UInt32, _ right: UInt32) -> Merge? {
    let found = slots[slot(of: left, right)]
    guard found != 0 else { return nil }
    return Merge(rank: found - 1, symbol: rules[Int(found) - 1].symbol)
  }

  /// Adds the rule of the next rank. It never applies where the pair has one already, since that has
  /// the better rank.
  mutating func append(_ left: UInt32, _ right: UInt32, makes symbol: UInt32) {
    rules.append(Rule(left: left, right: right, symbol: symbol))
    let slot = slot(of: left, right)
    if slots[slot] == 0 { slots[slot] = UInt32(rules.count) }
  }

  /// The slot of a pair, or the empty one where it would be.
  @inline(__always)
  private func slot(of left: UInt32, _ right: UInt32) -> Int {
    let key = UInt64(left) << 32 | UInt64(right)
    // Folding first lets the upper half, the left symbol, reach every bit of the product.
    var slot = Int(((key ^ (key >> 29)) &* multiplier) >> shift)
    while slots[slot] != 0 {
      let rule = rules[Int(slots[slot]) - 1]
      if rule.left == left && rule.right == right { break }
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }
}
