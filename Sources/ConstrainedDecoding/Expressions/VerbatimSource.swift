/// A text whose spans a string may be, as an automaton over the bytes that spell them.
struct VerbatimSource: Sendable {
  let automaton: SuffixAutomaton
  let wholeWords: Bool
  let encoding: CharacterEncoding

  /// Where in an escape the reading stands.
  private enum Escape {
    static let none: Int32 = 0
    static let backslash: Int32 = 1
    /// After `\u`, `\u0`, `\u00`.
    static let unicode: Int32 = 2
    static let unicode0: Int32 = 3
    static let unicode00: Int32 = 4
    /// After `\u000` and `\u001`.
    static let low: Int32 = 5
    static let high: Int32 = 6
  }

  private static let shortEscapes: [(code: UInt8, letter: UInt8)] = [
    (0x08, 0x62), (0x09, 0x74), (0x0A, 0x6E), (0x0C, 0x66), (0x0D, 0x72), (0x22, 0x22),
    (0x5C, 0x5C),
  ]

  /// The state before any byte, -1 if the source has no span.
  var start: Int32 {
    if automaton.text.isEmpty { return -1 }
    return wholeWords ? automaton.follow(0, SuffixAutomaton.mark) : 0
  }

  /// Every byte that spells a span.
  var symbols: [UInt8] {
    encoding == .plain
      ? automaton.alphabet
      : ByteSet(automaton.alphabet + Array("\\u0123456789abcdefABCDEFnrt\"".utf8)).bytes
  }

  func mayEnd(state: Int32, escape: Int32) -> Bool {
    guard escape == Escape.none, state != start else { return false }
    return automaton.mayEnd(state, wholeWords: wholeWords)
  }

  /// Calls `body` with each byte that may come next and the state it leads to.
  func forEachStep(
    state: Int32, escape: Int32, _ body: (UInt8, Int32, Int32) -> Void
  ) {
    switch escape {
    case Escape.none: forEachPlainStep(state, body)
    case Escape.backslash:
      var needsUnicode = false
      automaton.forEachByte(state) { byte, next in
        if let letter = Self.shortEscapes.first(where: { $0.code == byte })?.letter {
          body(letter, next, Escape.none)
        } else if byte < 0x20 {
          needsUnicode = true
        }
      }
      if needsUnicode { body(0x75, state, Escape.unicode) }
    case Escape.unicode: body(0x30, state, Escape.unicode0)
    case Escape.unicode0: body(0x30, state, Escape.unicode00)
    case Escape.unicode00:
      var digits: Set<UInt8> = []
      forEachLongEscape(state) { byte, _ in digits.insert(byte >> 4) }
      for digit in digits { body(0x30 + digit, state, digit == 0 ? Escape.low : Escape.high) }
    default:
      let wanted: UInt8 = escape == Escape.low ? 0 : 1
      forEachLongEscape(state) { byte, next in
        guard byte >> 4 == wanted else { return }
        let digit = byte & 15
        if digit < 10 {
          body(0x30 + digit, next, Escape.none)
        } else {
          body(0x61 + digit - 10, next, Escape.none)
          body(0x41 + digit - 10, next, Escape.none)
        }
      }
    }
  }

  private func forEachPlainStep(_ state: Int32, _ body: (UInt8, Int32, Int32) -> Void) {
    var needsEscape = false
    automaton.forEachByte(state) { byte, next in
      if encoding == .json && (byte < 0x20 || byte == 0x22 || byte == 0x5C) {
        needsEscape = true
      } else {
        body(byte, next, Escape.none)
      }
    }
    if needsEscape { body(0x5C, state, Escape.backslash) }
  }

  /// Control characters that have no short escape.
  private func forEachLongEscape(_ state: Int32, _ body: (UInt8, Int32) -> Void) {
    automaton.forEachByte(state) { byte, next in
      if byte < 0x20 && !Self.shortEscapes.contains(where: { $0.code == byte }) { body(byte, next) }
    }
  }
}

extension ExpressionPool {
  /// Any span of `source` that is not empty.
  mutating func verbatim(
    _ source: String, wholeWords: Bool, encoding: CharacterEncoding
  ) -> Expression {
    var bytes = Array(source.utf8)
    if wholeWords {
      // A span cannot end in white space, so nothing may lead into the last of it.
      while let last = bytes.last, SuffixAutomaton.characterClass(last) == .space {
        bytes.removeLast()
      }
    }
    let known = sources.firstIndex {
      $0.wholeWords == wholeWords && $0.encoding == encoding && $0.automaton.text == bytes
    }
    let number = Int32(known ?? sources.count)
    if known == nil {
      guard bytes.count <= limits.maximumWork * 4 else {
        exceeded = exceeded ?? .work
        return .never
      }
      let automaton =
        sources.first { $0.automaton.text == bytes }?.automaton ?? SuffixAutomaton(bytes)
      sources.append(
        VerbatimSource(automaton: automaton, wholeWords: wholeWords, encoding: encoding))
    }
    let start = sources[Int(number)].start
    return start < 0 ? .never : verbatimState(number, start, 0)
  }
}
