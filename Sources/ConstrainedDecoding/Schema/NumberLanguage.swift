/// A limit on a number.
struct NumberBound {
  var value: DecimalNumber
  var isExclusive: Bool
  /// The schema and keyword that say so, for messages.
  var schema: Int
  var keyword: String
}

/// How many digits a number may have; without a bound a small model can write digits for ever.
enum NumberDigits {
  static let integer = 64
  static let fraction = 32
  /// With 64 digits before the point this is below 1e308, the largest that a double holds.
  static let largestExponent = 239
}

// Numbers as texts. Constrained numbers are written without exponent and never as -0, so that each
// set of values is one exact set of texts and complements are exact as well.
extension ExpressionPool {
  private mutating func digit(_ range: ClosedRange<UInt8>) -> Expression {
    bytes(ByteSet(0x30 + range.lowerBound...0x30 + range.upperBound))
  }

  private mutating func digits(_ minimum: Int, _ maximum: Int?) -> Expression {
    repetition(digit(0...9), minimum, maximum)
  }

  private mutating func natural(_ maximum: Int?) -> Expression {
    union([
      digit(0...0), concatenation(digit(1...9), digits(0, maximum.map { $0 - 1 })),
    ])
  }

  private mutating func fraction(_ maximum: Int?) -> Expression {
    optional(concatenation(literal("."), digits(1, maximum)))
  }

  /// Up to three digits of a value up to ``NumberDigits/largestExponent``.
  private mutating func smallExponent() -> Expression {
    let largest = NumberDigits.largestExponent
    let hundreds = UInt8(largest / 100)
    let tens = UInt8(largest / 10 % 10)
    return union([
      digits(1, 2),
      concatenation(digit(0...hundreds - 1), digits(2, 2)),
      sequence([digit(hundreds...hundreds), digit(0...tens), digits(1, 1)]),
    ])
  }

  /// Any JSON number that a double can hold.
  mutating func anyNumber() -> Expression {
    let exponent = sequence([
      bytes(ByteSet(Array("eE".utf8))), optional(bytes(ByteSet(Array("+-".utf8)))),
      smallExponent(),
    ])
    return sequence([
      optional(literal("-")), natural(NumberDigits.integer), fraction(NumberDigits.fraction),
      optional(exponent),
    ])
  }

  /// Any whole number of at most so many digits, also as 1.0.
  mutating func anyInteger(_ digits: Int) -> Expression {
    sequence([optional(literal("-")), natural(digits), optional(literal(".0"))])
  }

  /// Every number without exponent, except -0, each in all its spellings.
  mutating func decimalNumbers() -> Expression {
    let nonZero = union([
      sequence([digit(1...9), digits(0, nil), fraction(nil)]),
      sequence([literal("0."), digits(0, nil), digit(1...9), digits(0, nil)]),
    ])
    let positive = concatenation(natural(nil), fraction(nil))
    return union([positive, concatenation(literal("-"), nonZero)])
  }

  /// The decimal texts of at most so many digits before and after the point.
  mutating func shortDecimals(_ integer: Int, _ fraction: Int) -> Expression {
    sequence([optional(literal("-")), natural(integer), self.fraction(fraction)])
  }

  /// Whole numbers in all their decimal spellings.
  mutating func wholeNumbers() -> Expression {
    sequence([
      optional(literal("-")), natural(nil),
      optional(concatenation(literal("."), repetition(digit(0...0), 1, nil))),
    ])
  }

  /// All decimal spellings of one value.
  mutating func decimal(_ value: DecimalNumber) -> Expression {
    let zeros = repetition(digit(0...0), 0, nil)
    let sign = value.isNegative ? literal("-") : .empty
    let tail =
      value.isInteger
      ? optional(sequence([literal("."), digit(0...0), zeros]))
      : sequence([literal("."), literal(value.fraction), zeros])
    return sequence([sign, literal(value.integer), tail])
  }

  /// Decimal texts of values at or above `bound`.
  mutating func atLeast(_ bound: NumberBound) -> Expression {
    let unsigned = concatenation(natural(nil), fraction(nil))
    if bound.value.isNegative {
      return union([unsigned, concatenation(literal("-"), magnitudeAtMost(bound))])
    }
    return magnitudeAtLeast(bound)
  }

  /// Decimal texts of values at or below `bound`.
  mutating func atMost(_ bound: NumberBound) -> Expression {
    let unsigned = concatenation(natural(nil), fraction(nil))
    if bound.value.isNegative { return concatenation(literal("-"), magnitudeAtLeast(bound)) }
    return union([concatenation(literal("-"), unsigned), magnitudeAtMost(bound)])
  }

  private mutating func magnitudeAtLeast(_ bound: NumberBound) -> Expression {
    let integer = bound.value.integer
    var greater: [Expression] = [
      sequence([digit(1...9), digits(integer.count, nil)])
    ]
    if integer == [0x30] { greater = [concatenation(digit(1...9), digits(0, nil))] }
    for (index, byte) in integer.enumerated() where byte < 0x39 && integer != [0x30] {
      greater.append(
        sequence([
          literal(integer[..<index]), digit(byte - 0x30 + 1...9),
          digits(integer.count - index - 1, integer.count - index - 1),
        ]))
    }
    return union([
      concatenation(union(greater), fraction(nil)),
      concatenation(literal(integer), fractionAtLeast(bound)),
    ])
  }

  private mutating func fractionAtLeast(_ bound: NumberBound) -> Expression {
    let wanted = bound.value.fraction
    let rest = digits(0, nil)
    let more = sequence([rest, digit(1...9), rest])
    if wanted.isEmpty {
      return bound.isExclusive ? concatenation(literal("."), more) : fraction(nil)
    }
    var parts: [Expression] = []
    for (index, byte) in wanted.enumerated() where byte < 0x39 {
      parts.append(sequence([literal(wanted[..<index]), digit(byte - 0x30 + 1...9), rest]))
    }
    parts.append(concatenation(literal(wanted), bound.isExclusive ? more : rest))
    return concatenation(literal("."), union(parts))
  }

  private mutating func magnitudeAtMost(_ bound: NumberBound) -> Expression {
    let integer = bound.value.integer
    var less: [Expression] = []
    if integer.count > 1 { less.append(natural(integer.count - 1)) }
    for (index, byte) in integer.enumerated() {
      let lowest: UInt8 = index == 0 && integer.count > 1 ? 1 : 0
      guard byte - 0x30 > lowest else { continue }
      less.append(
        sequence([
          literal(integer[..<index]), digit(lowest...byte - 0x30 - 1),
          digits(integer.count - index - 1, integer.count - index - 1),
        ]))
    }
    return union([
      concatenation(union(less), fraction(nil)),
      concatenation(literal(integer), fractionAtMost(bound)),
    ])
  }

  private mutating func fractionAtMost(_ bound: NumberBound) -> Expression {
    let wanted = bound.value.fraction
    let zeros = repetition(digit(0...0), 0, nil)
    if wanted.isEmpty {
      if bound.isExclusive { return .never }
      return optional(sequence([literal("."), digit(0...0), zeros]))
    }
    var parts: [Expression] = []
    for (index, byte) in wanted.enumerated() {
      // Texts that end early are smaller; at least one digit follows the point.
      if index > 0 { parts.append(literal(wanted[..<index])) }
      if byte > 0x30 {
        parts.append(
          sequence([literal(wanted[..<index]), digit(0...byte - 0x30 - 1), digits(0, nil)]))
      }
    }
    if !bound.isExclusive { parts.append(concatenation(literal(wanted), zeros)) }
    return optional(concatenation(literal("."), union(parts)))
  }

  /// Decimal texts of the multiples of `divisor`, nil if it is zero or too fine.
  mutating func multiples(of divisor: DecimalNumber) -> Expression? {
    if let known = knownMultiples[divisor] { return known }
    let (digits, places) = divisor.scaled
    guard places <= 12, let modulus = Int(String(decoding: digits, as: UTF8.self)),
      modulus > 0, modulus <= 20_000
    else { return nil }
    var table = ExplicitAutomaton(transitions: [], isAccepting: [])
    // States: remainder × (0 nothing read, 1 before the point, 2 + k after k places).
    var numbers: [Int: Int32] = [:]
    var pending: [(phase: Int, remainder: Int)] = []
    func state(_ phase: Int, _ remainder: Int) -> Int32 {
      let key = phase * modulus + remainder
      if let known = numbers[key] { return known }
      let number = Int32(numbers.count)
      numbers[key] = number
      pending.append((phase, remainder))
      return number
    }
    _ = state(0, 0)
    while table.transitions.count < pending.count {
      let (phase, remainder) = pending[table.transitions.count]
      var edges: [(byte: UInt8, state: Int32)] = []
      let read = max(phase - 2, 0)
      for digit in 0..<10 {
        let byte = UInt8(0x30 + digit)
        if phase < 2 {
          edges.append((byte, state(1, (remainder * 10 + digit) % modulus)))
        } else if read < places {
          edges.append((byte, state(phase + 1, (remainder * 10 + digit) % modulus)))
        } else if digit == 0 {
          edges.append((byte, state(places + 3, remainder)))
        }
      }
      if phase == 1 { edges.append((0x2E, state(2, remainder))) }
      table.transitions.append(edges)
      var scaled = remainder
      for _ in min(read, places)..<places { scaled = scaled * 10 % modulus }
      table.isAccepting.append((phase == 1 || phase > 2) && scaled == 0)
      if pending.count > 400_000 { return nil }
    }
    let number = Int32(automata.count)
    automata.append(table)
    let result = concatenation(optional(literal("-")), automatonState(number, 0))
    knownMultiples[divisor] = result
    return result
  }
}
