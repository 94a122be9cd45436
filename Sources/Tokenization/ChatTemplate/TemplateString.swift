/// A text inside the evaluator: UTF-8 bytes that know which of them came from the conversation.
///
/// Python's strings are sequences of code points, so is this one: nothing here compares, counts or
/// cuts by Swift's `Character`. Every operation carries the origin of its bytes along, so that the
/// rendered prompt can tell template text from what users and tools wrote.
struct TemplateString: Sendable {
  /// A stretch of bytes of one origin, up to `end`.
  struct Run: Sendable, Equatable {
    var end: Int
    var isContent: Bool
  }

  private(set) var bytes: [UInt8]
  /// Stretches of alternating origin; empty where all bytes have the origin `isContent`.
  private(set) var runs: [Run] = []
  /// Whether the bytes came from the conversation, while `runs` is empty.
  private(set) var isContent: Bool
  /// Marked by the filter `safe` or `escape`: joining it with `+` escapes the other side.
  var isMarkup = false

  init() {
    bytes = []
    isContent = false
  }

  init(_ text: String) {
    bytes = Array(text.utf8)
    isContent = false
  }

  init(bytes: [UInt8], isContent: Bool = false) {
    self.bytes = bytes
    self.isContent = isContent
  }

  var count: Int { bytes.count }
  var isEmpty: Bool { bytes.isEmpty }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }

  /// Whether any byte came from the conversation.
  var containsContent: Bool { runs.isEmpty ? isContent && !bytes.isEmpty : true }

  /// Code points in the text, as Python's `len` counts.
  var scalarCount: Int {
    var count = 0
    for byte in bytes where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }

  // MARK: Building

  mutating func append(_ other: TemplateString) {
    if other.runs.isEmpty {
      append(other.bytes, isContent: other.isContent)
      return
    }
    if bytes.isEmpty {
      runs = other.runs
    } else {
      makeRunsExplicit()
      var start = 0
      for run in other.runs {
        extendRuns(by: run.end - start, isContent: run.isContent)
        start = run.end
      }
    }
    bytes += other.bytes
  }

  mutating func append(_ added: some Collection<UInt8>, isContent kind: Bool) {
    guard !added.isEmpty else { return }
    if bytes.isEmpty {
      isContent = kind
    } else if !runs.isEmpty || kind != isContent {
      makeRunsExplicit()
      extendRuns(by: added.count, isContent: kind)
    }
    bytes += added
  }

  mutating func append(_ scalar: Unicode.Scalar, isContent: Bool) {
    if scalar.isASCII {
      append(CollectionOfOne(UInt8(truncatingIfNeeded: scalar.value)), isContent: isContent)
    } else {
      append(Array(String(scalar).utf8), isContent: isContent)
    }
  }

  private mutating func makeRunsExplicit() {
    if runs.isEmpty { runs = [Run(end: bytes.count, isContent: isContent)] }
  }

  private mutating func extendRuns(by length: Int, isContent kind: Bool) {
    let last = runs.count - 1
    if runs[last].isContent == kind {
      runs[last].end += length
    } else {
      runs.append(Run(end: runs[last].end + length, isContent: kind))
    }
  }

  /// The text `count` times in a row.
  func repeated(_ count: Int) -> TemplateString {
    var result = TemplateString()
    if runs.isEmpty {
      result.bytes = Array(repeatElement(bytes, count: count).joined())
      result.isContent = isContent
    } else {
      for _ in 0..<count { result.append(self) }
    }
    result.isMarkup = isMarkup
    return result
  }

  // MARK: Parts

  /// Stretches of one origin, in order.
  var segments: [(bytes: ArraySlice<UInt8>, isContent: Bool)] {
    guard !runs.isEmpty else { return bytes.isEmpty ? [] : [(bytes[...], isContent)] }
    var start = 0
    return runs.map { run in
      defer { start = run.end }
      return (bytes[start..<run.end], run.isContent)
    }
  }

  /// The part between two byte offsets, which must lie between code points.
  subscript(range: Range<Int>) -> TemplateString {
    var part = TemplateString(bytes: Array(bytes[range]), isContent: isContent)
    part.isMarkup = isMarkup
    guard !runs.isEmpty, !range.isEmpty else { return part }
    var start = 0
    var kept: [Run] = []
    for run in runs {
      let overlap = range.clamped(to: start..<run.end)
      if !overlap.isEmpty {
        kept.append(Run(end: overlap.upperBound - range.lowerBound, isContent: run.isContent))
      }
      start = run.end
    }
    part.isContent = kept.first?.isContent ?? false
    part.runs = kept.count > 1 ? kept : []
    return part
  }

  /// Byte offsets of all code points, and the length at the end.
  var scalarOffsets: [Int] {
    var offsets: [Int] = []
    offsets.reserveCapacity(bytes.count + 1)
    for (offset, byte) in bytes.enumerated() where byte & 0xC0 != 0x80 { offsets.append(offset) }
    offsets.append(bytes.count)
    return offsets
  }

  /// For each code point whether it came from the conversation.
  var scalarOrigins: [Bool] {
    segments.flatMap { segment in
      repeatElement(segment.isContent, count: segment.bytes.count { $0 & 0xC0 != 0x80 })
    }
  }

  /// Each code point as a text of its own.
  var scalars: [TemplateString] {
    let offsets = scalarOffsets
    return zip(offsets, offsets.dropFirst()).map { self[$0..<$1] }
  }

  /// Replaces each code point by others of the same origin.
  func mapScalars(
    _ transform: (Unicode.Scalar, _ index: Int, inout String.UnicodeScalarView) -> Void
  ) -> TemplateString {
    var result = TemplateString()
    result.isMarkup = isMarkup
    var index = 0
    for segment in segments {
      var mapped = String.UnicodeScalarView()
      for scalar in String(decoding: segment.bytes, as: UTF8.self).unicodeScalars {
        transform(scalar, index, &mapped)
        index += 1
      }
      result.append(Array(String(mapped).utf8), isContent: segment.isContent)
    }
    return result
  }
}

extension TemplateString: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self.init(value) }
}

extension TemplateString: Equatable {
  /// Same bytes; where they came from does not matter.
  static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}

extension TemplateString: Comparable {
  /// Order of code points, which is the order of UTF-8 bytes.
  static func < (left: Self, right: Self) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
