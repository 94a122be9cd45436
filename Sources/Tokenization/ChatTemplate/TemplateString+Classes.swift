/// Python's questions about all code points of a text: `isdigit`, `isupper` and their kin.
extension TemplateString {
  /// Whether there is a code point and the condition holds for all of them.
  func allScalars(_ condition: (Unicode.Scalar) -> Bool) -> Bool {
    !isEmpty && text.unicodeScalars.allSatisfy(condition)
  }

  var isAlphabetic: Bool { allScalars(Self.isLetter) }
  var isAlphanumeric: Bool { allScalars { Self.isLetter($0) || $0.properties.numericType != nil } }
  var isDecimal: Bool { allScalars { $0.properties.numericType == .decimal } }
  var isNumeric: Bool { allScalars { $0.properties.numericType != nil } }
  var isSpace: Bool { allScalars(Self.isWhitespace) }

  var isDigit: Bool {
    allScalars { $0.properties.numericType == .decimal || $0.properties.numericType == .digit }
  }

  /// Whether there are cased code points and all are lower case.
  var isLowercase: Bool {
    var found = false
    for scalar in text.unicodeScalars where scalar.properties.isCased {
      guard scalar.properties.isLowercase else { return false }
      found = true
    }
    return found
  }

  /// Whether there are cased code points and all are upper case.
  var isUppercase: Bool {
    var found = false
    for scalar in text.unicodeScalars where scalar.properties.isCased {
      guard scalar.properties.isUppercase else { return false }
      found = true
    }
    return found
  }

  /// Whether every word starts in upper or title case and goes on in lower case.
  var isTitlecase: Bool {
    var found = false
    var afterCased = false
    for scalar in text.unicodeScalars {
      let isLower = scalar.properties.isLowercase
      let isCased = scalar.properties.isCased
      if isCased && isLower != afterCased { return false }
      found = found || isCased
      afterCased = isCased
    }
    return found
  }

  var isIdentifier: Bool {
    guard let first = text.unicodeScalars.first else { return false }
    return Self.startsIdentifier(first)
      && text.unicodeScalars.dropFirst().allSatisfy(Self.continuesIdentifier)
  }

  static func startsIdentifier(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
      : scalar.properties.isXIDStart
  }

  static func continuesIdentifier(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? startsIdentifier(scalar) || ("0"..."9").contains(scalar) : scalar.properties.isXIDContinue
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }

  /// Whether Python's `repr` shows the code point as it is.
  static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    case .spaceSeparator: scalar == " "
    default: true
    }
  }
}
