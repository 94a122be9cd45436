/// A hash table from byte strings to small integers.
///
/// Open addressing over flat storage: a slot holds the upper half of the hash and the number of
/// the entry, so that most failing look-ups compare no bytes. Keys are bytes, never `String`:
/// strings that are canonically equivalent are different entries of a vocabulary.
struct ByteTable: Sendable {
  private var keys: ByteStrings
  private var values: [Int32] = []
  /// Zero for an empty slot, otherwise `tag << 32 | entry + 1`.
  private var slots: [UInt64]
  private let seed: UInt64

  /// - Parameter capacity: the expected number of entries; the table grows beyond it if needed.
  init(capacity: Int = 16, bytes: Int = 0) {
    keys = ByteStrings()
    keys.reserve(entries: capacity, bytes: bytes)
    values.reserveCapacity(capacity)
    slots = [UInt64](repeating: 0, count: Self.slotCount(for: capacity))
    // A seed of its own per table: a file cannot be made to collide on purpose.
    seed = UInt64.random(in: 0 ... .max)
  }

  var count: Int { values.count }

  /// The value stored for `source[range]`, or nil.
  func find(_ source: [UInt8], _ range: Range<Int>) -> Int32? {
    let hash = hash(source, range)
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      if slots[slot] >> 32 == hash >> 32 {
        let entry = Int(slots[slot] & 0xFFFF_FFFF) - 1
        if equals(entry, source, range) { return values[entry] }
      }
      slot = (slot + 1) & mask
    }
    return nil
  }

  func find(_ key: [UInt8]) -> Int32? { find(key, 0..<key.count) }

  /// Stores `value` for `source[range]` unless that key is present already.
  ///
  /// - Returns: the value the table holds for the key afterwards.
  @discardableResult
  mutating func insert(_ source: [UInt8], _ range: Range<Int>, value: Int32) -> Int32 {
    if let present = find(source, range) { return present }
    if (count + 1) * 2 > slots.count { grow() }
    keys.append(source[range])
    values.append(value)
    place(entry: count - 1, hash: hash(source, range))
    return value
  }

  private static func slotCount(for entries: Int) -> Int {
    var slots = 32
    while slots < entries * 2 + 2 { slots *= 2 }
    return slots
  }

  private mutating func grow() {
    slots = [UInt64](repeating: 0, count: slots.count * 2)
    for entry in 0..<count { place(entry: entry, hash: hash(keys.bytes, keys.range(entry))) }
  }

  private mutating func place(entry: Int, hash: UInt64) {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = (hash & ~0xFFFF_FFFF) | UInt64(entry + 1)
  }

  private func equals(_ entry: Int, _ source: [UInt8], _ range: Range<Int>) -> Bool {
    let key = keys.range(entry)
    guard key.count == range.count else { return false }
    for offset in 0..<key.count
    where keys.bytes[key.lowerBound + offset] != source[range.lowerBound + offset] {
      return false
    }
    return true
  }

  private func hash(_ source: [UInt8], _ range: Range<Int>) -> UInt64 {
    var hash = seed
    for index in range { hash = (hash ^ UInt64(source[index])) &* 0x9E37_79B9_7F4A_7C15 }
    hash ^= hash >> 29
    return hash &* 0xBF58_476D_1CE4_E5B9
  }
}
