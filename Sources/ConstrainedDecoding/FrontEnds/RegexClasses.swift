import Synchronization

/// Named sets of code points.
enum RegexClasses {
  static let digits = CodePointSet([0x30...0x39])
  static let word = CodePointSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let lineTerminators = CodePointSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])
  /// White space and line ends of ECMA-262, 12.2 and 12.3.
  static let space = CodePointSet([
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
    0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ])

  private static let known = Mutex<[String: CodePointSet]>([:])

  /// The code points with a Unicode property: a general category, or one of a few binary ones.
  static func property(_ written: String) -> CodePointSet? {
    var name = written
    for prefix in ["General_Category=", "gc="] where name.hasPrefix(prefix) {
      name.removeFirst(prefix.count)
    }
    if let set = known.withLock({ $0[name] }) { return set }
    guard let matches = predicate(name) else { return nil }
    var ranges: [ClosedRange<UInt32>] = []
    var start: UInt32?
    for value in 0...CodePointSet.last + 1 {
      let isMember = Unicode.Scalar(value).map(matches) ?? false
      if isMember && start == nil { start = value }
      if !isMember, let first = start {
        ranges.append(first...(value - 1))
        start = nil
      }
    }
    let set = CodePointSet(ranges)
    known.withLock { $0[name] = set }
    return set
  }

  private static func predicate(_ name: String) -> ((Unicode.Scalar) -> Bool)? {
    switch name {
    case "Any": return { _ in true }
    case "ASCII": return { $0.isASCII }
    case "Alphabetic", "Alpha": return { $0.properties.isAlphabetic }
    case "Uppercase", "Upper": return { $0.properties.isUppercase }
    case "Lowercase", "Lower": return { $0.properties.isLowercase }
    case "White_Space", "space": return { $0.properties.isWhitespace }
    case "Emoji": return { $0.properties.isEmoji }
    case "ID_Start", "IDS": return { $0.properties.isIDStart }
    case "ID_Continue", "IDC": return { $0.properties.isIDContinue }
    default:
      let categories = categories.filter { $0.names.contains(name) || $0.group.contains(name) }
      if categories.isEmpty { return nil }
      let wanted = Set(categories.map(\.category))
      return { wanted.contains($0.properties.generalCategory) }
    }
  }

  private typealias Category = Unicode.GeneralCategory

  private static let categories: [(names: [String], group: [String], category: Category)] = {
    let letter = ["L", "Letter"]
    let mark = ["M", "Mark", "Combining_Mark"]
    let number = ["N", "Number"]
    let punctuation = ["P", "Punctuation", "punct"]
    let symbol = ["S", "Symbol"]
    let separator = ["Z", "Separator"]
    let other = ["C", "Other"]
    return [
      (["Lu", "Uppercase_Letter"], letter + ["LC"], .uppercaseLetter),
      (["Ll", "Lowercase_Letter"], letter + ["LC"], .lowercaseLetter),
      (["Lt", "Titlecase_Letter"], letter + ["LC"], .titlecaseLetter),
      (["Lm", "Modifier_Letter"], letter, .modifierLetter),
      (["Lo", "Other_Letter"], letter, .otherLetter),
      (["Mn", "Nonspacing_Mark"], mark, .nonspacingMark),
      (["Mc", "Spacing_Mark"], mark, .spacingMark),
      (["Me", "Enclosing_Mark"], mark, .enclosingMark),
      (["Nd", "Decimal_Number", "digit"], number, .decimalNumber),
      (["Nl", "Letter_Number"], number, .letterNumber),
      (["No", "Other_Number"], number, .otherNumber),
      (["Pc", "Connector_Punctuation"], punctuation, .connectorPunctuation),
      (["Pd", "Dash_Punctuation"], punctuation, .dashPunctuation),
      (["Ps", "Open_Punctuation"], punctuation, .openPunctuation),
      (["Pe", "Close_Punctuation"], punctuation, .closePunctuation),
      (["Pi", "Initial_Punctuation"], punctuation, .initialPunctuation),
      (["Pf", "Final_Punctuation"], punctuation, .finalPunctuation),
      (["Po", "Other_Punctuation"], punctuation, .otherPunctuation),
      (["Sm", "Math_Symbol"], symbol, .mathSymbol),
      (["Sc", "Currency_Symbol"], symbol, .currencySymbol),
      (["Sk", "Modifier_Symbol"], symbol, .modifierSymbol),
      (["So", "Other_Symbol"], symbol, .otherSymbol),
      (["Zs", "Space_Separator"], separator, .spaceSeparator),
      (["Zl", "Line_Separator"], separator, .lineSeparator),
      (["Zp", "Paragraph_Separator"], separator, .paragraphSeparator),
      (["Cc", "Control", "cntrl"], other, .control),
      (["Cf", "Format"], other, .format),
      (["Co", "Private_Use"], other, .privateUse),
      (["Cn", "Unassigned"], other, .unassigned),
    ]
  }()
}
