/// What the pre-tokenizers distinguish about a code point: its Unicode general category, coarsely,
/// and the White_Space property.
struct CharacterClass: OptionSet, Sendable {
  let rawValue: UInt8

  /// Any category L.
  static let letter = CharacterClass(rawValue: 1)
  /// Any category N, not only decimal digits.
  static let number = CharacterClass(rawValue: 2)
  /// Any category M.
  static let mark = CharacterClass(rawValue: 4)
  /// Any category P.
  static let punctuation = CharacterClass(rawValue: 8)
  /// Any category S.
  static let symbol = CharacterClass(rawValue: 16)
  /// The White_Space property: separators, tab to carriage return, U+0085.
  static let space = CharacterClass(rawValue: 32)
  /// Categories Lu and Lt; such letters are in `letter` too.
  static let upper = CharacterClass(rawValue: 64)
  /// Category Ll; such letters are in `letter` too.
  static let lower = CharacterClass(rawValue: 128)

  /// The class of a code point; surrogates and numbers beyond Unicode have none.
  static func of(_ scalar: UInt32) -> CharacterClass {
    scalar < 0x1_0000 ? basicPlane[Int(scalar)] : lookUp(scalar)
  }

  /// The basic plane covers nearly all text; other planes ask the standard library each time.
  private static let basicPlane: [CharacterClass] = (0..<0x1_0000).map(lookUp)

  private static func lookUp(_ scalar: UInt32) -> CharacterClass {
    guard let properties = Unicode.Scalar(scalar)?.properties else { return [] }
    let space: CharacterClass = properties.isWhitespace ? .space : []
    return space.union(of(properties.generalCategory))
  }

  private static func of(_ category: Unicode.GeneralCategory) -> CharacterClass {
    switch category {
    case .uppercaseLetter, .titlecaseLetter: [.letter, .upper]
    case .lowercaseLetter: [.letter, .lower]
    case .modifierLetter, .otherLetter: .letter
    case .nonspacingMark, .spacingMark, .enclosingMark: .mark
    case .decimalNumber, .letterNumber, .otherNumber: .number
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      .punctuation
    case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: .symbol
    default: []
    }
  }
}
