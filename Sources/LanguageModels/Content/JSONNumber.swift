internal import Foundation

/// A number as JSON writes it, kept without loss.
struct JSONNumber: Equatable {
  /// The nearest `Double`.
  let value: Double
  /// The digits, where `value` alone would print others.
  let exact: String?

  /// A number that is a `Double`.
  init(_ value: Double) {
    self.value = value
    exact = nil
  }

  init(_ value: Int) {
    self.init(literal: String(value))
  }

  init(_ value: Decimal) {
    self.init(literal: value.description)
  }

  /// Reads a JSON number; `literal` must be one, or the description of an integer or `Decimal`.
  init(literal: String) {
    value = Double(literal) ?? .nan
    // “inf” and “nan” have no digits to keep; 1e400 has, though no `Double` is near it.
    guard literal.utf8.contains(where: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
      exact = nil
      return
    }
    let isExact = value.isFinite && Digits(literal) == Digits(Self.text(value))
    exact = isExact ? nil : literal
  }

  /// The JSON text: whole numbers without a fraction, and `null` for what JSON has no number for.
  var text: String { exact ?? Self.text(value) }

  private static func text(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    if let integer = Int(exactly: value) { return String(integer) }
    return value.description
  }
}

/// What two spellings of one decimal number have in common.
private struct Digits: Equatable {
  var isNegative = false
  /// Without zeros at either end.
  var significant: [UInt8] = []
  /// Of the last significant digit.
  var exponent = 0

  init(_ literal: String) {
    var fraction = 0
    var isFraction = false
    var rest = literal.utf8[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest = rest.dropFirst()
    }
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        exponent = Self.exponent(String(Substring(rest)))
        rest = rest.suffix(0)
      default:
        if isFraction { fraction += 1 }
        significant.append(byte)
      }
    }
    exponent -= fraction
    significant.trimPrefix { $0 == UInt8(ascii: "0") }
    while significant.last == UInt8(ascii: "0") {
      significant.removeLast()
      exponent += 1
    }
    if significant.isEmpty {
      exponent = 0
      isNegative = false
    }
  }

  /// The exponent that a number ends with; one beyond all bounds stays where it can be counted on
  /// from, far from that of any `Double`.
  private static func exponent(_ text: String) -> Int {
    let bound = 1 << 60
    let value = Int(text) ?? (text.hasPrefix("-") ? -bound : bound)
    return min(max(value, -bound), bound)
  }
}
