/// The alphabet in which byte-level BPE files spell bytes.
///
/// Visible Latin-1 characters stand for themselves; the other 68 bytes are written as the code
/// points from U+0100 on, in order, so that a space is U+0120. (GPT-2, Radford et al. 2019.)
enum ByteLevelAlphabet {
  /// By code point: the byte it stands for, or -1.
  private static let byteOfCodePoint: [Int16] = {
    var table = [Int16](repeating: -1, count: 0x100 + 68)
    var next = 0x100
    for byte in 0..<0x100 {
      switch byte {
      case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: table[byte] = Int16(byte)
      default:
        table[next] = Int16(byte)
        next += 1
      }
    }
    return table
  }()

  /// Appends the bytes that `text[range]` spells; what is not of the alphabet is appended as is.
  static func decode(_ text: [UInt8], _ range: Range<Int>, into bytes: inout [UInt8]) {
    var position = range.lowerBound
    while position < range.upperBound {
      if isVisible(text[position]) {
        bytes.append(text[position])
        position += 1
        continue
      }
      let (scalar, length) = ScalarText.decode(text, position, range.upperBound)
      if let byte = byte(scalar) {
        bytes.append(byte)
      } else {
        bytes.append(contentsOf: text[position..<position + length])
      }
      position += length
    }
  }

  /// Whether all of `text[range]` is of the alphabet.
  static func spells(_ text: [UInt8], _ range: Range<Int>) -> Bool {
    var position = range.lowerBound
    while position < range.upperBound {
      if isVisible(text[position]) {
        position += 1
        continue
      }
      let (scalar, length) = ScalarText.decode(text, position, range.upperBound)
      guard byte(scalar) != nil else { return false }
      position += length
    }
    return true
  }

  /// Whether a byte is a visible ASCII character, which most are and which stand for themselves.
  private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

  private static func byte(_ scalar: UInt32) -> UInt8? {
    guard Int(scalar) < byteOfCodePoint.count else { return nil }
    return UInt8(exactly: byteOfCodePoint[Int(scalar)])
  }
}
