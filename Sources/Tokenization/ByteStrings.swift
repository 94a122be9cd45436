/// A list of byte strings in one flat allocation.
///
/// Vocabularies hold hundreds of thousands of short entries: one array of bytes and one of offsets
/// load faster and take less memory than an array per entry.
package struct ByteStrings: Sendable {
  /// All entries, one after the other.
  package private(set) var bytes: [UInt8] = []
  /// Entry `i` is `bytes[offsets[i] ..< offsets[i + 1]]`.
  package private(set) var offsets: [UInt32] = [0]

  package init() {}

  /// The list of the UTF-8 forms of `strings`.
  package init(_ strings: some Sequence<String>) {
    for string in strings { append(string.utf8) }
  }

  package var count: Int { offsets.count - 1 }

  /// The place of entry `index` in `bytes`.
  package func range(_ index: Int) -> Range<Int> {
    Int(offsets[index])..<Int(offsets[index + 1])
  }

  package subscript(index: Int) -> ArraySlice<UInt8> { bytes[range(index)] }

  /// Whether entry `index` is equal to `source[range]`.
  func equals(_ index: Int, _ source: [UInt8], _ range: Range<Int>) -> Bool {
    let entry = self.range(index)
    guard entry.count == range.count else { return false }
    for offset in 0..<entry.count
    where bytes[entry.lowerBound + offset] != source[range.lowerBound + offset] {
      return false
    }
    return true
  }

  /// Adds one entry.
  ///
  /// - Precondition: all entries together stay under 4 GiB; loaders check this beforehand.
  package mutating func append(_ entry: some Sequence<UInt8>) {
    bytes.append(contentsOf: entry)
    offsets.append(UInt32(bytes.count))
  }

  package mutating func reserve(entries: Int, bytes count: Int) {
    bytes.reserveCapacity(count)
    offsets.reserveCapacity(entries + 1)
  }
}
