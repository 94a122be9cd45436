/// A text whose spans a string may be, as an automaton over the bytes that spell them.
struct VerbatimSource: Sendable {
  let automaton: SuffixAutomaton
  let encoding: CharacterEncoding
  /// The bytes of the text that are spelled with an escape.
  private let escaped: [UInt8]

  /// Where a spelling stands: a state of the automaton, and how much of an escape was read.
  struct Position: Hashable, Sendable {
    var state: Int32
    var escape: Int32 = Escape.none
  }

  enum Escape {
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

  init(_ automaton: SuffixAutomaton, _ encoding: CharacterEncoding) {
    self.automaton = automaton
    self.encoding = encoding
    escaped = encoding == .plain ? [] : automaton.alphabet.bytes.filter(Self.needsEscape)
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5C
  }

  /// Every byte that spells a span.
  var symbols: ByteSet {
    encoding == .plain
      ? automaton.alphabet
      : automaton.alphabet.union(Self.escapeBytes)
  }

  private static let escapeBytes = ByteSet("\\u0123456789abcdefABCDEFnrt\"".utf8)

  /// Bytes among which are all by which a spelling goes on.
  func bytes(after position: Position) -> ByteSet {
    guard position.escape == Escape.none else { return Self.escapeBytes }
    let plain = automaton.bytes(after: position.state)
    return encoding == .plain ? plain : plain.union(ByteSet(0x5C...0x5C))
  }

  func mayEnd(_ position: Position) -> Bool {
    position.escape == Escape.none && automaton.mayEnd(position.state)
  }

  /// The position after one more byte, nil if no span is spelled so.
  func step(_ position: Position, _ byte: UInt8) -> Position? {
    let state = position.state
    func escape(_ escape: Int32, where condition: (UInt8) -> Bool) -> Position? {
      for code in escaped where condition(code) && automaton.follow(state, code) >= 0 {
        return Position(state: state, escape: escape)
      }
      return nil
    }
    func character(_ code: UInt8) -> Position? {
      let next = automaton.follow(state, code)
      return next < 0 ? nil : Position(state: next)
    }
    switch position.escape {
    case Escape.none:
      guard encoding == .json else { return character(byte) }
      if byte == 0x5C { return escape(Escape.backslash) { _ in true } }
      return Self.needsEscape(byte) ? nil : character(byte)
    case Escape.backslash:
      if byte == 0x75 { return escape(Escape.unicode, where: Self.isLong) }
      return Self.shortEscapes.first { $0.letter == byte }.flatMap { character($0.code) }
    case Escape.unicode:
      return byte == 0x30 ? Position(state: state, escape: Escape.unicode0) : nil
    case Escape.unicode0:
      return byte == 0x30 ? Position(state: state, escape: Escape.unicode00) : nil
    case Escape.unicode00:
      guard byte == 0x30 || byte == 0x31 else { return nil }
      return escape(byte == 0x30 ? Escape.low : Escape.high) {
        Self.isLong($0) && $0 >> 4 == byte - 0x30
      }
    default:
      guard let digit = TextCursor.hexValue(Unicode.Scalar(byte)) else { return nil }
      let code = UInt8(digit) + (position.escape == Escape.high ? 16 : 0)
      return Self.isLong(code) ? character(code) : nil
    }
  }

  /// Whether a control character has no short escape.
  private static func isLong(_ code: UInt8) -> Bool {
    code < 0x20 && !shortEscapes.contains { $0.code == code }
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
      $0.encoding == encoding && $0.automaton.wholeWords == wholeWords && $0.automaton.text == bytes
    }
    let number = Int32(known ?? sources.count)
    if known == nil {
      guard bytes.count <= limits.maximumWork * 4 else {
        exceeded = exceeded ?? .work
        return .never
      }
      let other = sources.first {
        $0.automaton.wholeWords == wholeWords && $0.automaton.text == bytes
      }
      let automaton = other?.automaton ?? SuffixAutomaton(bytes, wholeWords: wholeWords)
      sources.append(VerbatimSource(automaton, encoding))
    }
    let start = sources[Int(number)].automaton.start
    return start < 0 ? .never : verbatimState(number, VerbatimSource.Position(state: start))
  }
}
