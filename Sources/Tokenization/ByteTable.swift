/// A hash table that finds the position of a byte string in a list of them.
///
/// Open addressing over flat storage: a slot holds the position of the entry and, in the bits that
/// positions leave, a part of the hash, so that most failing look-ups compare no bytes. Keys are
/// bytes, never `String`: strings that are canonically equivalent are different entries of a
/// vocabulary.
struct ByteTable: Sendable {
  private(set) var keys: ByteStrings
  /// Zero where empty; otherwise the position plus one in the bits that an index into `slots` has,
  /// and bits of the hash above them.
  ///
  /// A power of two, at least twice the entries.
  private var slots: [UInt32]
  private var used = 0
  /// A seed of its own per table: a file cannot be made to collide on purpose.
  private let seed = UInt64.random(in: 0 ... .max)

  init(_ keys: [String] = []) {
    self.keys = ByteStrings()
    slots = [UInt32](repeating: 0, count: 32)
    for key in keys {
      let bytes = Array(key.utf8)
      insert(bytes, 0..<bytes.count)
    }
  }

  /// Makes entries of a list findable, without copying them.
  ///
  /// - Parameters:
  ///   - keys: the list.
  ///   - isKey: which entries; of equal ones the first is found.
  init(indexing keys: ByteStrings, where isKey: (Int) -> Bool) {
    self.keys = keys
    var size = 32
    while size < keys.count * 2 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
    for position in 0..<keys.count where isKey(position) {
      let range = keys.range(position)
      let hash = hash(keys.bytes, range)
      let slot = slot(of: keys.bytes, range, hash)
      if slots[slot] == 0 { fill(slot, position, hash) }
    }
  }

  /// The position of the entry equal to `source[range]`, or nil.
  func find(_ source: [UInt8], _ range: Range<Int>) -> Int? {
    position(in: slots[slot(of: source, range, hash(source, range))])
  }

  func find(_ key: [UInt8]) -> Int? { find(key, 0..<key.count) }

  /// The position of the entry equal to `source[range]`, which is added if it is missing.
  @discardableResult
  mutating func insert(_ source: [UInt8], _ range: Range<Int>) -> Int {
    if (used + 1) * 2 > slots.count { grow() }
    let hash = hash(source, range)
    let slot = slot(of: source, range, hash)
    if let present = position(in: slots[slot]) { return present }
    keys.append(source[range])
    fill(slot, keys.count - 1, hash)
    return keys.count - 1
  }

  private mutating func grow() {
    let positions = slots.compactMap(position(in:))
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    used = 0
    for position in positions {
      let range = keys.range(position)
      let hash = hash(keys.bytes, range)
      fill(slot(of: keys.bytes, range, hash), position, hash)
    }
  }

  private mutating func fill(_ slot: Int, _ position: Int, _ hash: UInt64) {
    slots[slot] = UInt32(tag(hash) | position + 1)
    used += 1
  }

  /// The slot of the entry equal to `source[range]`, or the empty one where it would be.
  private func slot(of source: [UInt8], _ range: Range<Int>, _ hash: UInt64) -> Int {
    let mask = slots.count - 1
    let tag = tag(hash)
    var slot = Int(truncatingIfNeeded: hash) & mask
    while let position = position(in: slots[slot]) {
      if Int(slots[slot]) & ~mask == tag, keys.equals(position, source, range) { break }
      slot = (slot + 1) & mask
    }
    return slot
  }

  private func position(in slot: UInt32) -> Int? {
    slot == 0 ? nil : Int(slot) & (slots.count - 1) - 1
  }

  /// The bits of a hash that its slot holds.
  private func tag(_ hash: UInt64) -> Int { Int(hash >> 32) & ~(slots.count - 1) }

  private func hash(_ source: [UInt8], _ range: Range<Int>) -> UInt64 {
    var hash = seed
    for index in range { hash = (hash ^ UInt64(source[index])) &* 0x9E37_79B9_7F4A_7C15 }
    hash ^= hash >> 29
    return hash &* 0xBF58_476D_1CE4_E5B9
  }
}
