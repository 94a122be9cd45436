internal import Tokenization

/// A decimal number of any length, exact.
struct DecimalNumber: Hashable, Sendable {
  /// False for zero.
  private(set) var isNegative: Bool
  /// Decimal digits before the point, without leading zeros ("0" alone).
  private(set) var integer: [UInt8]
  /// Decimal digits after the point, without trailing zeros.
  private(set) var fraction: [UInt8]

  /// Reads a JSON number; nil if it is none, or needs more than 400 digits.
  init?(_ text: String) {
    var rest = Substring(text)
    var isNegative = false
    if rest.first == "-" {
      isNegative = true
      rest.removeFirst()
    }
    var exponent = 0
    if let mark = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
      guard let value = Int(rest[rest.index(after: mark)...]) else { return nil }
      exponent = value
      rest = rest[..<mark]
    }
    let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, (-400...400).contains(exponent) else { return nil }
    var integer = Array(parts[0].utf8)
    var fraction = parts.count == 2 ? Array(parts[1].utf8) : []
    guard (integer + fraction).allSatisfy({ (0x30...0x39).contains($0) }), !integer.isEmpty,
      integer.count + fraction.count <= 400
    else { return nil }
    if exponent > 0 {
      while fraction.count < exponent { fraction.append(0x30) }
      integer += fraction.prefix(exponent)
      fraction.removeFirst(exponent)
    } else if exponent < 0 {
      while integer.count < -exponent { integer.insert(0x30, at: 0) }
      fraction = integer.suffix(-exponent) + fraction
      integer.removeLast(-exponent)
    }
    while fraction.last == 0x30 { fraction.removeLast() }
    while integer.count > 1 && integer.first == 0x30 { integer.removeFirst() }
    if integer.isEmpty { integer = [0x30] }
    self.integer = integer
    self.fraction = fraction
    self.isNegative = isNegative && !(integer == [0x30] && fraction.isEmpty)
  }

  /// The value of a JSON number; nil if it is none, or needs more than 400 digits.
  init?(_ value: OrderedJSON) {
    switch value {
    case .int(let number): self.init(String(number))
    case .double(let number): self.init("\(number)")
    case .number(let text): self.init(text)
    default: return nil
    }
  }

  var isInteger: Bool { fraction.isEmpty }
  var isZero: Bool { integer == [0x30] && fraction.isEmpty }

  static let largestCount = Int(Int32.max)

  /// The value as a count, nil if it is no whole number from 0 to ``largestCount``.
  var count: Int? {
    guard !isNegative, isInteger, let value = Int(String(decoding: integer, as: UTF8.self)),
      value <= Self.largestCount
    else { return nil }
    return value
  }

  /// The digits without the point, and how many of them stand behind it.
  var scaled: (digits: [UInt8], places: Int) { (integer + fraction, fraction.count) }

  static func < (a: DecimalNumber, b: DecimalNumber) -> Bool {
    if a.isNegative != b.isNegative { return a.isNegative }
    let (x, y) = a.isNegative ? (b, a) : (a, b)
    if x.integer.count != y.integer.count { return x.integer.count < y.integer.count }
    if x.integer != y.integer { return x.integer.lexicographicallyPrecedes(y.integer) }
    return x.fraction.lexicographicallyPrecedes(y.fraction)
  }
}
