/// A piece of text under a pre-tokenizer rule: the scanners the rules are made of.
///
/// Each scanner returns the end of the match that begins at `start`, or nil. `start` is always
/// inside the piece; positions at `end` have no class and match nothing.
struct PretokenizerView {
  let text: ScalarText
  let end: Int

  // MARK: Single characters

  @inline(__always)
  func has(_ index: Int, _ classes: CharacterClass) -> Bool {
    index < end && !text.classes[index].isDisjoint(with: classes)
  }

  @inline(__always)
  func isScalar(_ index: Int, _ scalar: UInt32) -> Bool {
    index < end && text.scalars[index] == scalar
  }

  func isLineBreak(_ index: Int) -> Bool { isScalar(index, 0x0A) || isScalar(index, 0x0D) }

  /// Neither white space nor letter nor number.
  func isOther(_ index: Int) -> Bool {
    index < end && text.classes[index].isDisjoint(with: [.space, .letter, .number])
  }

  /// No letter, no number and no line break: what may stand before the letters of a word.
  func isPrefix(_ index: Int) -> Bool {
    index < end && text.classes[index].isDisjoint(with: [.letter, .number]) && !isLineBreak(index)
  }

  // MARK: Runs

  /// The end of the run of characters from `start` on that satisfy `condition`.
  @inline(__always)
  func run(_ start: Int, while condition: (Int) -> Bool) -> Int {
    var index = start
    while index < end, condition(index) { index += 1 }
    return index
  }

  /// A run of at least one character.
  @inline(__always)
  func some(_ start: Int, where condition: (Int) -> Bool) -> Int? {
    let runEnd = run(start, while: condition)
    return runEnd > start ? runEnd : nil
  }

  /// A run of at least one character, with an optional space (U+0020) before.
  @inline(__always)
  func optionalSpace(_ start: Int, _ condition: (Int) -> Bool) -> Int? {
    if isScalar(start, 0x20), let runEnd = some(start + 1, where: condition) { return runEnd }
    return some(start, where: condition)
  }

  // MARK: Parts shared by several rules

  /// An apostrophe and one of `s t m d re ve ll`.
  func contraction(_ start: Int, anyCase: Bool) -> Int? {
    guard isScalar(start, 0x27), start + 1 < end else { return nil }
    func letter(_ index: Int) -> UInt32 {
      guard index < end else { return 0 }
      let scalar = text.scalars[index]
      return anyCase && (0x41...0x5A).contains(scalar) ? scalar + 0x20 : scalar
    }
    switch (letter(start + 1), letter(start + 2)) {
    case (0x73, _), (0x74, _), (0x6D, _), (0x64, _): return start + 2
    case (0x72, 0x65), (0x76, 0x65), (0x6C, 0x6C): return start + 3
    default: return nil
    }
  }

  /// White space that leaves its last character to a following word.
  func space(_ start: Int) -> Int? {
    guard let runEnd = some(start, where: { has($0, .space) }) else { return nil }
    return runEnd == end || runEnd == start + 1 ? runEnd : runEnd - 1
  }

  /// White space up to its last line break, else as `space`.
  func spaceOrLines(_ start: Int) -> Int? {
    let runEnd = run(start) { has($0, .space) }
    var index = runEnd
    while index > start {
      if isLineBreak(index - 1) { return index }
      index -= 1
    }
    return space(start)
  }

  func numbers(_ start: Int, atMost most: Int) -> Int? {
    some(start) { has($0, .number) && $0 - start < most }
  }

  func digitTriple(_ start: Int) -> Int? {
    let triple = run(start) { $0 - start < 3 && (0x30...0x39).contains(text.scalars[$0]) }
    return triple == start + 3 ? triple : nil
  }

  // MARK: Rules

  func words(_ start: Int) -> Int? {
    contraction(start, anyCase: false)
      ?? optionalSpace(start) { has($0, .letter) }
      ?? optionalSpace(start) { has($0, .number) }
      ?? optionalSpace(start) { isOther($0) }
      ?? space(start)
  }

  func wordsAndLines(_ start: Int, digits: Int, letter: CharacterClass) -> Int? {
    if let match = contraction(start, anyCase: true) { return match }
    if isPrefix(start), let match = some(start + 1, where: { has($0, letter) }) { return match }
    if let match = some(start, where: { has($0, letter) }) { return match }
    if let match = numbers(start, atMost: digits) { return match }
    if let match = optionalSpace(start, { isOther($0) && !has($0, letter) }) {
      return run(match) { isLineBreak($0) }
    }
    return spaceOrLines(start)
  }

  func casedWords(_ start: Int, contractions: Bool, digits: Int) -> Int? {
    if let match = casedWord(start) {
      return contractions ? contraction(match, anyCase: true) ?? match : match
    }
    if let match = numbers(start, atMost: digits) { return match }
    if let match = optionalSpace(start, { isOther($0) }) {
      return run(match) { isLineBreak($0) || isScalar($0, 0x2F) }
    }
    return spaceOrLines(start)
  }

  /// Upper-case letters then lower-case ones, of which either may be absent.
  ///
  /// Caseless letters and marks count as both. Words with a lower-case part are preferred to words without.
  private func casedWord(_ start: Int) -> Int? {
    if isPrefix(start), let match = endingLower(start + 1) { return match }
    if let match = endingLower(start) { return match }
    if isPrefix(start), let match = endingUpper(start + 1) { return match }
    return endingUpper(start)
  }

  private func canBeUpper(_ index: Int) -> Bool {
    has(index, [.letter, .mark]) && !has(index, .lower)
  }

  private func canBeLower(_ index: Int) -> Bool {
    has(index, [.letter, .mark]) && !has(index, .upper)
  }

  /// As many upper as possible, then at least one lower.
  private func endingLower(_ start: Int) -> Int? {
    let upperEnd = run(start) { canBeUpper($0) }
    if canBeLower(upperEnd) { return run(upperEnd) { canBeLower($0) } }
    // The last caseless character of the upper run can serve as the lower part.
    var index = upperEnd
    while index > start {
      if canBeLower(index - 1) { return index }
      index -= 1
    }
    return nil
  }

  /// At least one upper, then any number of lower.
  private func endingUpper(_ start: Int) -> Int? {
    some(start) { canBeUpper($0) }.map { upperEnd in run(upperEnd) { canBeLower($0) } }
  }

  func wordsWithMarks(_ start: Int) -> Int? {
    if isASCIIPunctuation(start), let match = some(start + 1, where: { isASCIILetter($0) }) {
      return match
    }
    let isPrefix = !has(start, [.letter, .punctuation, .symbol]) && !isLineBreak(start)
    if isPrefix, let match = some(start + 1, where: { has($0, [.letter, .mark]) }) { return match }
    if let match = some(start, where: { has($0, [.letter, .mark]) }) { return match }
    if let match = optionalSpace(start, { has($0, [.punctuation, .symbol]) }) {
      return run(match) { isLineBreak($0) }
    }
    return spaceOrLines(start)
  }

  func spaced(_ start: Int, _ set: PretokenizerRule.CharacterSet) -> Int? {
    if has(start, .space), let match = some(start + 1, where: { isIn(set, $0) }) { return match }
    return some(start) { isIn(set, $0) }
  }
}
