/// A text inside the evaluator: UTF-8 bytes that know which of them came from the conversation.
///
/// Python's strings are sequences of code points, so is this one: nothing here compares, counts or
/// cuts by Swift's `Character`. Every operation carries the origin of its bytes along, so that the
/// rendered prompt can tell template text from what users and tools wrote.
struct TemplateString: Sendable {
  /// A stretch of bytes of one origin, up to `end`.
  struct Run: Sendable, Equatable {
    var end: Int
    var origin: PromptOrigin
  }

  private(set) var bytes: [UInt8]
  /// Stretches of alternating origin; empty where all bytes have the origin `origin`.
  private(set) var runs: [Run] = []
  /// Where the bytes came from, while `runs` is empty.
  private(set) var origin: PromptOrigin
  /// Marked by the filter `safe` or `escape`: joining it with `+` escapes the other side.
  var isMarkup = false

  init() {
    bytes = []
    origin = .template
  }

  init(_ text: String) {
    bytes = Array(text.utf8)
    origin = .template
  }

  init(bytes: [UInt8], origin: PromptOrigin = .template) {
    self.bytes = bytes
    self.origin = origin
  }

  var count: Int { bytes.count }
  var isEmpty: Bool { bytes.isEmpty }
  /// Bytes of memory it takes: a text may change its origin with every byte.
  var footprint: Int { bytes.count + runs.count * MemoryLayout<Run>.size }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }

  /// Whether any byte came from the conversation.
  var containsContent: Bool { contentOrigin != .template }

  /// Where the first bytes that are not of the template came from; `template` where all are.
  var contentOrigin: PromptOrigin {
    guard !runs.isEmpty else { return bytes.isEmpty ? .template : origin }
    return runs.first { $0.origin.isContent }?.origin ?? .template
  }

  /// Code points in the text, as Python's `len` counts.
  var scalarCount: Int {
    var count = 0
    for byte in bytes where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }

  // MARK: Building

  mutating func append(_ other: TemplateString) {
    if other.runs.isEmpty {
      append(other.bytes, origin: other.origin)
      return
    }
    if bytes.isEmpty {
      runs = other.runs
    } else {
      makeRunsExplicit()
      var start = 0
      for run in other.runs {
        extendRuns(by: run.end - start, run.origin)
        start = run.end
      }
    }
    bytes += other.bytes
  }

  mutating func append(_ added: some Collection<UInt8>, origin source: PromptOrigin) {
    guard !added.isEmpty else { return }
    if bytes.isEmpty {
      origin = source
    } else if !runs.isEmpty || source != origin {
      makeRunsExplicit()
      extendRuns(by: added.count, source)
    }
    bytes += added
  }

  mutating func append(_ scalar: Unicode.Scalar, origin: PromptOrigin) {
    if scalar.isASCII {
      append(CollectionOfOne(UInt8(truncatingIfNeeded: scalar.value)), origin: origin)
    } else {
      append(Array(String(scalar).utf8), origin: origin)
    }
  }

  private mutating func makeRunsExplicit() {
    if runs.isEmpty { runs = [Run(end: bytes.count, origin: origin)] }
  }

  private mutating func extendRuns(by length: Int, _ source: PromptOrigin) {
    let last = runs.count - 1
    if runs[last].origin == source {
      runs[last].end += length
    } else {
      runs.append(Run(end: runs[last].end + length, origin: source))
    }
  }

  /// The text `count` times in a row.
  func repeated(_ count: Int) -> TemplateString {
    var result = TemplateString()
    if runs.isEmpty {
      result.bytes = Array(repeatElement(bytes, count: count).joined())
      result.origin = origin
    } else {
      for _ in 0..<count { result.append(self) }
    }
    result.isMarkup = isMarkup
    return result
  }

  // MARK: Parts

  /// Stretches of one origin, in order.
  var segments: [(bytes: ArraySlice<UInt8>, origin: PromptOrigin)] {
    guard !runs.isEmpty else { return bytes.isEmpty ? [] : [(bytes[...], origin)] }
    var start = 0
    return runs.map { run in
      defer { start = run.end }
      return (bytes[start..<run.end], run.origin)
    }
  }

  /// The part between two byte offsets, which must lie between code points.
  subscript(range: Range<Int>) -> TemplateString {
    var part = TemplateString(bytes: Array(bytes[range]), origin: origin)
    part.isMarkup = isMarkup
    guard !runs.isEmpty, !range.isEmpty else { return part }
    var kept: [Run] = []
    for run in runs[firstRun(endingAfter: range.lowerBound)...] {
      let end = min(run.end, range.upperBound)
      kept.append(Run(end: end - range.lowerBound, origin: run.origin))
      if end == range.upperBound { break }
    }
    part.origin = kept.first?.origin ?? .template
    part.runs = kept.count > 1 ? kept : []
    return part
  }

  /// The place of the run that a byte offset lies in.
  private func firstRun(endingAfter offset: Int) -> Int {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = low + (high - low) / 2
      if runs[middle].end > offset { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Byte offsets of all code points, and the length at the end.
  var scalarOffsets: [Int] {
    var offsets: [Int] = []
    offsets.reserveCapacity(bytes.count + 1)
    for (offset, byte) in bytes.enumerated() where byte & 0xC0 != 0x80 { offsets.append(offset) }
    offsets.append(bytes.count)
    return offsets
  }

  /// For each code point where it came from.
  var scalarOrigins: [PromptOrigin] {
    segments.flatMap { segment in
      repeatElement(segment.origin, count: segment.bytes.count { $0 & 0xC0 != 0x80 })
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
      result.append(Array(String(mapped).utf8), origin: segment.origin)
    }
    return result
  }
}

extension String.UnicodeScalarView {
  /// Appends one by one: `append(contentsOf:)` makes room for exactly these, and so copies all that
  /// is there each time.
  mutating func appendAll(_ scalars: some Sequence<Unicode.Scalar>) {
    for scalar in scalars { append(scalar) }
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
