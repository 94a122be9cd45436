/// Turns tokens into text as they come, one piece per token.
///
/// Pieces hold whole characters only. Bytes that are not valid UTF-8 become U+FFFD as soon as no
/// further byte can complete them. Text that may be the beginning of a stop string is held back
/// until that is decided.
package struct Detokenizer: Sendable {
  private let vocabulary: Vocabulary
  private var decoder = UTF8Decoder()
  private var stops: StopMatcher
  /// Whether a space is dropped if it comes first.
  private var dropsSpace: Bool
  private var pending: [UInt8] = []

  /// The stop string that ended the text, by its position in the list given.
  package private(set) var stopIndex: Int?
  /// Whether the tokens ended inside a character; known after `finish`.
  package private(set) var endedMidCharacter = false

  /// Begins an empty text.
  ///
  /// - Parameters:
  ///   - tokenizer: whose tokens will come.
  ///   - startsText: false if the tokens continue a text, so that a space at their start is one.
  ///   - stops: texts that end the output and are not part of it; empty ones are ignored.
  package init(_ tokenizer: Tokenizer, startsText: Bool = true, stops: [String] = []) {
    vocabulary = tokenizer.vocabulary
    dropsSpace = startsText && tokenizer.addsSpacePrefix
    self.stops = StopMatcher(stops)
  }

  /// Whether a stop string was met; everything after it is ignored.
  package var isStopped: Bool { stopIndex != nil }

  /// Takes a token and returns the text that is now certain; often empty, never half a character.
  package mutating func append(_ id: TokenID) -> String {
    guard !isStopped, vocabulary.isText(id) else { return "" }
    var range = vocabulary.tokens.range(Int(id))
    if dropsSpace, let first = range.first {
      dropsSpace = false
      if vocabulary.tokens.bytes[first] == 0x20 { range.removeFirst() }
    }
    let start = pending.count
    for index in range { decoder.append(vocabulary.tokens.bytes[index], to: &pending) }
    return release(from: start)
  }

  /// Returns what was held back, with U+FFFD for an incomplete character.
  package mutating func finish() -> String {
    guard !isStopped else { return "" }
    let start = pending.count
    endedMidCharacter = decoder.finish(&pending)
    let certain = release(from: start)
    let rest = String(decoding: pending, as: UTF8.self)
    pending.removeAll()
    return isStopped ? certain : certain + rest
  }

  /// Looks for stop strings in the bytes of `pending` from `start` on, and takes out what no stop
  /// string can begin in.
  private mutating func release(from start: Int) -> String {
    var certain = pending.count
    search: for index in start..<pending.count {
      guard let stop = stops.advance(pending[index]) else { continue }
      stopIndex = stop.index
      certain = index + 1 - stop.length
      break search
    }
    if !isStopped { certain -= stops.heldBack }
    let text = String(decoding: pending[..<certain], as: UTF8.self)
    if isStopped { pending.removeAll() } else { pending.removeFirst(certain) }
    return text
  }
}

/// Checks UTF-8 byte by byte and replaces what is invalid, by maximal subparts (Unicode standard,
/// section 3.9), exactly as `String(decoding:as:)` does for a whole text.
struct UTF8Decoder: Sendable {
  /// The beginning of a character; at most three bytes.
  private var partial: [UInt8] = []
  private var length = 0

  private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  mutating func append(_ byte: UInt8, to output: inout [UInt8]) {
    if let first = partial.first {
      let allowed = partial.count == 1 ? UTF8Lead.secondByte(after: first) : 0x80...0xBF
      if allowed.contains(byte) {
        partial.append(byte)
        if partial.count == length {
          output.append(contentsOf: partial)
          partial.removeAll(keepingCapacity: true)
        }
        return
      }
      output.append(contentsOf: Self.replacement)
      partial.removeAll(keepingCapacity: true)
    }
    length = UTF8Lead.length(byte)
    switch length {
    case 0: output.append(contentsOf: Self.replacement)
    case 1: output.append(byte)
    default: partial.append(byte)
    }
  }

  /// Replaces an incomplete character; true if there was one.
  mutating func finish(_ output: inout [UInt8]) -> Bool {
    guard !partial.isEmpty else { return false }
    output.append(contentsOf: Self.replacement)
    partial.removeAll()
    return true
  }
}

/// Searches for several strings at once in bytes that come one by one (Knuth, Morris and Pratt).
struct StopMatcher: Sendable {
  private struct Pattern: Sendable {
    var index: Int
    var bytes: [UInt8]
    /// For each length: the longest shorter prefix that is also a suffix of that prefix.
    var fallback: [Int]
    /// How many bytes of the pattern the text ends with.
    var matched = 0

    init(_ index: Int, _ bytes: [UInt8]) {
      self.index = index
      self.bytes = bytes
      fallback = [Int](repeating: 0, count: bytes.count + 1)
      var prefix = 0
      for end in bytes.indices.dropFirst() {
        while prefix > 0, bytes[end] != bytes[prefix] { prefix = fallback[prefix] }
        if bytes[end] == bytes[prefix] { prefix += 1 }
        fallback[end + 1] = prefix
      }
    }

    mutating func advance(_ byte: UInt8) -> Bool {
      while matched > 0, bytes[matched] != byte { matched = fallback[matched] }
      if bytes[matched] == byte { matched += 1 }
      return matched == bytes.count
    }
  }

  private var patterns: [Pattern] = []

  init(_ stops: [String]) {
    for (index, stop) in stops.enumerated() where !stop.isEmpty {
      patterns.append(Pattern(index, Array(stop.utf8)))
    }
  }

  /// The number of bytes at the end of the text that a stop string may begin with.
  var heldBack: Int { patterns.map(\.matched).max() ?? 0 }

  /// Takes the next byte.
  ///
  /// - Returns: the stop string that ends with it; of several the longest.
  mutating func advance(_ byte: UInt8) -> (index: Int, length: Int)? {
    var found: (index: Int, length: Int)?
    for position in patterns.indices where patterns[position].advance(byte) {
      let pattern = patterns[position]
      if pattern.bytes.count > found?.length ?? 0 { found = (pattern.index, pattern.bytes.count) }
    }
    return found
  }
}
