/// UTF-8 text taken apart into code points, for the pre-tokenizers.
///
/// A byte that is not part of valid UTF-8 stands as one code point U+FFFD of length 1, so that
/// every byte belongs to exactly one code point and nothing is lost.
struct ScalarText {
  private(set) var scalars: [UInt32] = []
  private(set) var classes: [CharacterClass] = []
  /// Code point `i` starts at byte `offsets[i]`; the last entry is the end of the text.
  private(set) var offsets: [Int] = []

  init(_ bytes: [UInt8], _ range: Range<Int>) {
    scalars.reserveCapacity(range.count)
    classes.reserveCapacity(range.count)
    offsets.reserveCapacity(range.count + 1)
    var position = range.lowerBound
    while position < range.upperBound {
      let (scalar, length) = Self.decode(bytes, position, range.upperBound)
      scalars.append(scalar)
      classes.append(CharacterClass.of(scalar))
      offsets.append(position)
      position += length
    }
    offsets.append(range.upperBound)
  }

  var count: Int { scalars.count }

  /// The code point that starts at `position`, and its length in bytes.
  @inline(__always)
  static func decode(_ bytes: [UInt8], _ position: Int, _ end: Int) -> (UInt32, Int) {
    let first = bytes[position]
    if first < 0x80 { return (UInt32(first), 1) }
    let length = UTF8Lead.length(first)
    guard length > 1, position + length <= end else { return (0xFFFD, 1) }
    guard UTF8Lead.secondByte(after: first).contains(bytes[position + 1]) else {
      return (0xFFFD, 1)
    }
    var scalar = UInt32(first) & (0x7F >> UInt32(length))
    for offset in 1..<length {
      let byte = bytes[position + offset]
      guard byte & 0xC0 == 0x80 else { return (0xFFFD, 1) }
      scalar = scalar << 6 | UInt32(byte & 0x3F)
    }
    return (scalar, length)
  }
}

/// What the first byte of a UTF-8 sequence says about the rest (Unicode standard, table 3-7).
enum UTF8Lead {
  /// The length of the sequence `byte` starts, or 0 if no sequence starts with it.
  static func length(_ byte: UInt8) -> Int {
    switch byte {
    case 0x00...0x7F: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }

  /// The values allowed for the second byte: narrower where overlong forms, surrogates and
  /// numbers beyond U+10FFFF have to be excluded.
  static func secondByte(after first: UInt8) -> ClosedRange<UInt8> {
    switch first {
    case 0xE0: 0xA0...0xBF
    case 0xED: 0x80...0x9F
    case 0xF0: 0x90...0xBF
    case 0xF4: 0x80...0x8F
    default: 0x80...0xBF
    }
  }
}
