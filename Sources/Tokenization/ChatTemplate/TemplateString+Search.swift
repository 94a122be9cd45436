/// Searching, cutting and replacing, with the rules of Python's `str`.
extension TemplateString {
  /// What counts as white space for `strip`, `split` and the `-` of a tag.
  static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09...0x0D, 0x1C...0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F,
      0x205F, 0x3000:
      true
    default: false
    }
  }

  /// The code point that starts at a byte offset, with its length in bytes.
  func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let first = bytes[offset]
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard length > 1, offset + length <= bytes.count else { return (Unicode.Scalar(first), 1) }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for next in bytes[(offset + 1)..<(offset + length)] { value = value << 6 | UInt32(next & 0x3F) }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
  }

  /// The byte offset where the code point that ends at `offset` starts.
  private func scalarStart(before offset: Int) -> Int {
    var start = offset - 1
    while start > 0 && bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }

  enum Side { case left, right, both }

  /// Without the code points at the ends for which the condition holds.
  func trimmed(_ side: Side = .both, where condition: (Unicode.Scalar) -> Bool) -> TemplateString {
    var start = 0
    var end = bytes.count
    if side != .right {
      while start < end, case let (scalar, length) = scalar(at: start), condition(scalar) {
        start += length
      }
    }
    if side != .left {
      while start < end, case let last = scalarStart(before: end),
        condition(scalar(at: last).scalar)
      {
        end = last
      }
    }
    return start == 0 && end == bytes.count ? self : self[start..<end]
  }

  /// Without white space at the ends.
  func trimmed(_ side: Side = .both) -> TemplateString {
    trimmed(side, where: Self.isWhitespace)
  }

  /// The offset of the first occurrence at or after `start`, in bytes.
  ///
  /// - Complexity: O(bytes + needle), by the failure table of Knuth, Morris and Pratt for needles
  ///   that are long enough to make plain comparing slow.
  func firstOffset(of needle: [UInt8], from start: Int = 0) -> Int? {
    guard let first = needle.first else { return start <= bytes.count ? start : nil }
    guard needle.count <= bytes.count - start else { return nil }
    if needle.count > 16 { return matcherOffset(of: needle, from: start) }
    let last = bytes.count - needle.count
    var offset = start
    while offset <= last {
      if bytes[offset] == first && matches(needle, at: offset) { return offset }
      offset += 1
    }
    return nil
  }

  func matches(_ needle: [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, offset + needle.count <= bytes.count else { return false }
    for index in needle.indices where bytes[offset + index] != needle[index] { return false }
    return true
  }

  private func matcherOffset(of needle: [UInt8], from start: Int) -> Int? {
    var table = [Int](repeating: 0, count: needle.count)
    var length = 0
    for index in 1..<needle.count {
      while length > 0 && needle[index] != needle[length] { length = table[length - 1] }
      if needle[index] == needle[length] { length += 1 }
      table[index] = length
    }
    var matched = 0
    for offset in start..<bytes.count {
      while matched > 0 && bytes[offset] != needle[matched] { matched = table[matched - 1] }
      if bytes[offset] == needle[matched] { matched += 1 }
      if matched == needle.count { return offset - matched + 1 }
    }
    return nil
  }

  /// Offsets of the occurrences that do not overlap, at most `limit` of them.
  func offsets(of needle: [UInt8], limit: Int = .max) -> [Int] {
    var found: [Int] = []
    var from = 0
    while found.count < limit, let offset = firstOffset(of: needle, from: from) {
      found.append(offset)
      from = offset + needle.count
    }
    return found
  }

  /// The parts between occurrences of a separator that is not empty.
  func split(by separator: [UInt8], limit: Int = .max) -> [TemplateString] {
    var parts: [TemplateString] = []
    var start = 0
    for offset in offsets(of: separator, limit: limit) {
      parts.append(self[start..<offset])
      start = offset + separator.count
    }
    parts.append(self[start..<bytes.count])
    return parts
  }

  /// Offsets of the occurrences that do not overlap, counted from the end, the last one first.
  func offsetsFromEnd(of needle: [UInt8], limit: Int = .max) -> [Int] {
    let mirrored = TemplateString(bytes: bytes.reversed())
    return mirrored.offsets(of: needle.reversed(), limit: limit)
      .map { bytes.count - $0 - needle.count }
  }

  /// The parts between occurrences counted from the end, in order.
  func splitFromEnd(by separator: [UInt8], limit: Int = .max) -> [TemplateString] {
    var parts: [TemplateString] = []
    var end = bytes.count
    for offset in offsetsFromEnd(of: separator, limit: limit) {
      parts.append(self[(offset + separator.count)..<end])
      end = offset
    }
    parts.append(self[0..<end])
    return parts.reversed()
  }

  /// Byte ranges of the words between stretches of white space.
  var wordRanges: [Range<Int>] {
    var ranges: [Range<Int>] = []
    var wordStart: Int?
    var offset = 0
    while offset < bytes.count {
      let (scalar, length) = scalar(at: offset)
      if Self.isWhitespace(scalar) {
        if let start = wordStart { ranges.append(start..<offset) }
        wordStart = nil
      } else if wordStart == nil {
        wordStart = offset
      }
      offset += length
    }
    if let start = wordStart { ranges.append(start..<bytes.count) }
    return ranges
  }

  /// The words; after `limit` of them the rest as one, as Python's `split(None, limit)`.
  func splitByWhitespace(limit: Int = .max) -> [TemplateString] {
    let ranges = wordRanges
    guard ranges.count > limit else { return ranges.map { self[$0] } }
    let rest = self[ranges[limit].lowerBound..<bytes.count]
    return ranges.prefix(limit).map { self[$0] } + [rest]
  }

  /// The words; before the last `limit` of them the rest as one.
  func splitFromEndByWhitespace(limit: Int = .max) -> [TemplateString] {
    let ranges = wordRanges
    guard ranges.count > limit else { return ranges.map { self[$0] } }
    let rest = self[0..<ranges[ranges.count - limit - 1].upperBound]
    return [rest] + ranges.suffix(limit).map { self[$0] }
  }

  /// Where a replacement would happen; an empty needle occurs around every code point.
  func replacementOffsets(of needle: TemplateString, limit: Int = .max) -> [Int] {
    needle.isEmpty
      ? Array(scalarOffsets.prefix(limit)) : offsets(of: needle.bytes, limit: limit)
  }

  /// The text with the `length` bytes at each of the offsets replaced.
  func replacing(
    at offsets: [Int], length: Int, with replacement: TemplateString
  ) -> TemplateString {
    guard !offsets.isEmpty else { return self }
    var result = TemplateString()
    result.isMarkup = isMarkup
    var start = 0
    for offset in offsets {
      result.append(self[start..<offset])
      result.append(replacement)
      start = offset + length
    }
    result.append(self[start..<bytes.count])
    return result
  }

  /// The lines, broken where Python's `splitlines` breaks them.
  func lines(keepingEnds: Bool = false) -> [TemplateString] {
    var lines: [TemplateString] = []
    var start = 0
    var offset = 0
    while offset < bytes.count {
      let (scalar, length) = scalar(at: offset)
      let end = offset
      offset += length
      guard Self.isLineBreak(scalar) else { continue }
      if scalar == "\r" && offset < bytes.count && bytes[offset] == 0x0A { offset += 1 }
      lines.append(self[start..<(keepingEnds ? offset : end)])
      start = offset
    }
    if start < bytes.count { lines.append(self[start..<bytes.count]) }
    return lines
  }

  private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A...0x0D, 0x1C...0x1E, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
