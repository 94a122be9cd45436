/// The character sets that the rules spell out instead of naming a Unicode category.
extension PretokenizerView {
  func isASCIILetter(_ index: Int) -> Bool {
    index < end && (0x61...0x7A).contains(text.scalars[index] | 0x20)
  }

  func isASCIIPunctuation(_ index: Int) -> Bool {
    index < end && text.scalars[index] < 0x7F && has(index, [.punctuation, .symbol])
  }

  func isPunctuation(_ index: Int, graveAccent: Bool) -> Bool {
    guard index < end else { return false }
    if has(index, .punctuation) { return true }
    return switch text.scalars[index] {
    case 0x24, 0x2B, 0x3C, 0x3D, 0x3E, 0x5E, 0x7C, 0x7E: true
    case 0x60: graveAccent
    default: false
    }
  }

  func isIn(_ set: PretokenizerRule.CharacterSet, _ index: Int) -> Bool {
    switch set {
    case .letters: has(index, .letter)
    case .punctuation: has(index, .punctuation)
    case .casedLetters: isListedCasedLetter(index)
    case .asciiAndWidePunctuation: isASCIIOrWidePunctuation(index)
    }
  }

  /// Cased letters as DeepSeek LLM lists them, block by block.
  ///
  /// The list is that of the cased letters of
  /// Unicode 11 without Georgian (both cases in U+10A0-10FF, lower case in U+2D00), the old
  /// Cyrillic forms U+1C80-1C8F, Latin beyond U+A78E, and the mathematical alphabets.
  private func isListedCasedLetter(_ index: Int) -> Bool {
    // U+0295 is in the list; whether it counts as cased depends on the version of Unicode.
    guard has(index, [.upper, .lower]) || isScalar(index, 0x0295) else { return false }
    return switch text.scalars[index] {
    case 0...0x052F, 0x0531...0x0556, 0x10A0...0x10C5, 0x13A0...0x13FD, 0x1C90...0x1D77,
      0x1D79...0x2184, 0x2C00...0x2CF3, 0xA640...0xA78E, 0xAB70...0xFFFF, 0x10400...0x104FF,
      0x10C80...0x10CF2, 0x118A0...0x118DF, 0x1E900...0x1E943:
      true
    default: false
    }
  }

  /// Most of visible ASCII (digits excepted), its full-width forms, quotation marks U+2018-201F
  /// and the ideographic space, comma and full stop: the ranges as DeepSeek LLM wrote them, which
  /// take the letters between `:` and `~` along.
  private func isASCIIOrWidePunctuation(_ index: Int) -> Bool {
    guard index < end else { return false }
    return switch text.scalars[index] {
    case 0x21...0x2F, 0x3A...0x7E, 0xFF01...0xFF0F, 0xFF1A...0xFF5E, 0x2018...0x201F,
      0x3000...0x3002:
      true
    default: false
    }
  }

  func isEastAsian(_ index: Int) -> Bool {
    guard index < end else { return false }
    return switch text.scalars[index] {
    case 0x0800...0x9FA5, 0xAC00...0xD7FF: true
    default: false
    }
  }

  func isKanaOrHan(_ index: Int) -> Bool {
    guard index < end else { return false }
    return switch text.scalars[index] {
    case 0x3040...0x30FF, 0x4E00...0x9FA5: true
    default: false
    }
  }

  /// White space, `( ) | . , ! ?` (the brackets and the bar are in the set as published), the
  /// ellipsis, and Chinese, Arabic, Urdu and Devanagari commas and full stops.
  func isStop(_ index: Int) -> Bool {
    guard index < end, !has(index, .space) else { return true }
    return switch text.scalars[index] {
    case 0x28, 0x7C, 0x2E, 0x2C, 0x21, 0x3F, 0x29, 0x2026, 0x3002, 0xFF0C, 0x3001, 0x0964,
      0x06D4, 0x060C:
      true
    default: false
    }
  }
}
