/// The merge rules of a BPE vocabulary: a hash table from two symbols to rank and merged symbol.
struct PairTable: Sendable {
  /// Two neighbouring symbols and the one they become.
  struct Rule {
    var left: UInt32
    var right: UInt32
    var symbol: UInt32
  }

  /// What a rule does: the lower its rank, the earlier it applies.
  struct Merge {
    var rank: UInt32
    var symbol: UInt32
  }

  /// In the order of their ranks, from 0 on.
  private let rules: [Rule]
  /// A rank plus one, zero where empty.
  ///
  /// A power of two, at least twice the rules.
  private var slots: [UInt32]
  private let multiplier: UInt64
  private let shift: UInt64

  /// Of rules for the same pair the first one applies: it has the better rank.
  init(_ rules: [Rule]) {
    self.rules = rules
    var bits: UInt64 = 5
    while 1 << bits < rules.count * 2 { bits += 1 }
    slots = [UInt32](repeating: 0, count: 1 << bits)
    multiplier = UInt64.random(in: 0 ... .max) | 1
    shift = 64 - bits
    // A loop of nothing else: the processor waits for several slots at a time.
    for (rank, rule) in rules.enumerated() {
      let slot = slot(of: rule.left, rule.right)
      if slots[slot] == 0 { slots[slot] = UInt32(rank) + 1 }
    }
  }

  /// The rule for two neighbouring symbols, or nil.
  @inline(__always)
  func find(_ left: UInt32, _ right: UInt32) -> Merge? {
    let found = slots[slot(of: left, right)]
    guard found != 0 else { return nil }
    return Merge(rank: found - 1, symbol: rules[Int(found) - 1].symbol)
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
