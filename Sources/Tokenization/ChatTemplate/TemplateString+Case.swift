/// Upper and lower case, with the full mappings of Unicode as Python's `str` uses them.
extension TemplateString {
  func uppercased() -> TemplateString {
    mapScalars { scalar, _, mapped in
      if scalar.isASCII, let upper = Self.asciiUppercase(scalar) {
        mapped.append(upper)
      } else {
        mapped.appendAll(scalar.properties.uppercaseMapping.unicodeScalars)
      }
    }
  }

  func lowercased() -> TemplateString {
    let context = isASCII ? [] : Array(text.unicodeScalars)
    return mapScalars { scalar, index, mapped in
      Self.appendLowercase(scalar, index, context, to: &mapped)
    }
  }

  /// The first code point in title case, the others in lower case.
  func capitalized() -> TemplateString {
    let context = isASCII ? [] : Array(text.unicodeScalars)
    return mapScalars { scalar, index, mapped in
      if index == 0 {
        mapped.appendAll(scalar.properties.titlecaseMapping.unicodeScalars)
      } else {
        Self.appendLowercase(scalar, index, context, to: &mapped)
      }
    }
  }

  /// Title case after every code point that has no case, lower case elsewhere.
  func titlecased() -> TemplateString {
    let context = isASCII ? [] : Array(text.unicodeScalars)
    var afterCased = false
    return mapScalars { scalar, index, mapped in
      if afterCased {
        Self.appendLowercase(scalar, index, context, to: &mapped)
      } else {
        mapped.appendAll(scalar.properties.titlecaseMapping.unicodeScalars)
      }
      afterCased = scalar.properties.isCased
    }
  }

  func caseSwapped() -> TemplateString {
    let context = isASCII ? [] : Array(text.unicodeScalars)
    return mapScalars { scalar, index, mapped in
      if scalar.properties.isUppercase {
        Self.appendLowercase(scalar, index, context, to: &mapped)
      } else if scalar.properties.isLowercase {
        mapped.appendAll(scalar.properties.uppercaseMapping.unicodeScalars)
      } else {
        mapped.append(scalar)
      }
    }
  }

  private static func asciiUppercase(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    ("a"..."z").contains(scalar) ? Unicode.Scalar(scalar.value - 32) : scalar
  }

  /// Appends the lower case; a sigma at the end of a word takes its final form.
  private static func appendLowercase(
    _ scalar: Unicode.Scalar, _ index: Int, _ context: [Unicode.Scalar],
    to mapped: inout String.UnicodeScalarView
  ) {
    if scalar.isASCII {
      let isUpper = ("A"..."Z").contains(scalar)
      mapped.append(isUpper ? Unicode.Scalar(scalar.value + 32) ?? scalar : scalar)
    } else if scalar == "\u{03A3}" {
      mapped.append(endsWord(index, context) ? "\u{03C2}" : "\u{03C3}")
    } else {
      mapped.appendAll(scalar.properties.lowercaseMapping.unicodeScalars)
    }
  }

  /// Whether a cased code point comes before and none after, those that never count left aside.
  private static func endsWord(_ index: Int, _ context: [Unicode.Scalar]) -> Bool {
    guard index < context.count else { return false }
    let before = context[..<index].last { !$0.properties.isCaseIgnorable }
    let after = context[(index + 1)...].first { !$0.properties.isCaseIgnorable }
    return before?.properties.isCased == true && after?.properties.isCased != true
  }
}
