/// A set of Unicode code points, as sorted ranges that neither touch nor overlap.
package struct CodePointSet: Hashable, Sendable {
  package private(set) var ranges: [ClosedRange<UInt32>] = []

  package static let last: UInt32 = 0x10FFFF
  package static let any = CodePointSet([0...last])

  package init() {}

  package init(_ unsorted: [ClosedRange<UInt32>]) {
    for range in unsorted.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard range.lowerBound <= Self.last else { continue }
      let upper = min(range.upperBound, Self.last)
      if let previous = ranges.last, range.lowerBound <= previous.upperBound &+ 1 {
        ranges[ranges.count - 1] = previous.lowerBound...max(previous.upperBound, upper)
      } else {
        ranges.append(range.lowerBound...upper)
      }
    }
  }

  package init(_ scalars: some Sequence<Unicode.Scalar>) {
    self.init(scalars.map { $0.value...$0.value })
  }

  package var isEmpty: Bool { ranges.isEmpty }

  package func union(_ other: CodePointSet) -> CodePointSet { CodePointSet(ranges + other.ranges) }

  package var complement: CodePointSet {
    var result: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
      next = range.upperBound + 1
    }
    if next <= Self.last { result.append(next...Self.last) }
    return CodePointSet(result)
  }

  package func intersection(_ other: CodePointSet) -> CodePointSet {
    var result = CodePointSet()
    var (mine, theirs) = (0, 0)
    while mine < ranges.count && theirs < other.ranges.count {
      let (a, b) = (ranges[mine], other.ranges[theirs])
      if a.overlaps(b) { result.ranges.append(a.clamped(to: b)) }
      if a.upperBound < b.upperBound { mine += 1 } else { theirs += 1 }
    }
    return result
  }

  package func subtracting(_ other: CodePointSet) -> CodePointSet {
    intersection(other.complement)
  }

  package func contains(_ value: UInt32) -> Bool { ranges.contains { $0.contains(value) } }
}

/// One run of encoded characters: position `i` of the encoding may be any byte of `bytes[i]`.
package struct UTF8Sequence: Hashable, Sendable {
  package let bytes: [ClosedRange<UInt8>]
}

extension CodePointSet {
  /// The UTF-8 encodings of the members; surrogates have none.
  package var utf8Sequences: [UTF8Sequence] {
    var result: [UTF8Sequence] = []
    let encodable: [ClosedRange<UInt32>] = [
      0...0x7F, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
    ]
    for range in ranges {
      for width in encodable where range.overlaps(width) {
        Self.split(range.clamped(to: width), into: &result)
      }
    }
    return result
  }

  /// Cuts a range of equally long encodings until every byte position varies on its own.
  private static func split(_ range: ClosedRange<UInt32>, into result: inout [UTF8Sequence]) {
    let low = encode(range.lowerBound)
    let high = encode(range.upperBound)
    for level in 1..<max(low.count, 2) where level < low.count {
      // The low `6 × level` bits: a range that crosses their border is cut there.
      let mask = (UInt32(1) << (6 * UInt32(level))) - 1
      let (first, last) = (range.lowerBound, range.upperBound)
      guard first & ~mask != last & ~mask else { continue }
      if first & mask != 0 {
        split(first...(first | mask), into: &result)
        split((first | mask) + 1...last, into: &result)
        return
      }
      if last & mask != mask {
        split(first...(last & ~mask) - 1, into: &result)
        split((last & ~mask)...last, into: &result)
        return
      }
    }
    result.append(UTF8Sequence(bytes: zip(low, high).map { $0...$1 }))
  }

  /// The bytes of one code point that is not a surrogate.
  package static func encode(_ value: UInt32) -> [UInt8] {
    switch value {
    case 0...0x7F: [UInt8(value)]
    case 0x80...0x7FF: [UInt8(0xC0 | value >> 6), UInt8(0x80 | value & 63)]
    case 0x800...0xFFFF:
      [UInt8(0xE0 | value >> 12), UInt8(0x80 | value >> 6 & 63), UInt8(0x80 | value & 63)]
    default:
      [
        UInt8(0xF0 | value >> 18 & 7), UInt8(0x80 | value >> 12 & 63),
        UInt8(0x80 | value >> 6 & 63), UInt8(0x80 | value & 63),
      ]
    }
  }
}
