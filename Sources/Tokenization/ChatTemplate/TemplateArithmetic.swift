import Foundation

/// Numbers by the rules of Python: signs of `//` and `%`, and integers that must not overflow.
enum TemplateArithmetic {
  static func apply(
    _ unary: TemplateUnaryOperator, to value: TemplateValue
  ) throws(TemplateFailure) -> TemplateValue {
    if case .undefined(let missing) = value { throw missing.failure }
    if case .double(let number) = value { return .double(unary == .negate ? -number : number) }
    guard let number = value.integer else {
      throw .evaluation("a sign cannot stand before a \(value.typeName)")
    }
    return unary == .plus ? .int(number) : try checked(0.subtractingReportingOverflow(number))
  }

  static func checked(
    _ result: (partialValue: Int, overflow: Bool)
  ) throws(TemplateFailure) -> TemplateValue {
    guard !result.overflow else { throw .evaluation("the integer is too large") }
    return .int(result.partialValue)
  }

  static func integers(
    _ binary: TemplateBinaryOperator, _ left: Int, _ right: Int
  ) throws(TemplateFailure) -> TemplateValue {
    switch binary {
    case .add: return try checked(left.addingReportingOverflow(right))
    case .subtract: return try checked(left.subtractingReportingOverflow(right))
    case .multiply: return try checked(left.multipliedReportingOverflow(by: right))
    case .divide:
      try checkDivisor(right == 0)
      return .double(Double(left) / Double(right))
    case .floorDivide:
      try checkDivisor(right == 0)
      let quotient = left.dividedReportingOverflow(by: right)
      guard !quotient.overflow else { return try checked(quotient) }
      let isExact = left % right == 0
      return .int(
        isExact || (left < 0) == (right < 0) ? quotient.partialValue : quotient.partialValue - 1)
    case .remainder:
      try checkDivisor(right == 0)
      let rest = left.remainderReportingOverflow(dividingBy: right).partialValue
      return .int(rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest)
    case .power: return try power(left, right)
    }
  }

  private static func checkDivisor(_ isZero: Bool) throws(TemplateFailure) {
    guard !isZero else { throw .evaluation("division by zero") }
  }

  private static func power(_ base: Int, _ exponent: Int) throws(TemplateFailure) -> TemplateValue {
    guard exponent >= 0 else { return try doubles(.power, Double(base), Double(exponent)) }
    if base == 0 || base == 1 { return .int(exponent == 0 ? 1 : base) }
    if base == -1 { return .int(exponent % 2 == 0 ? 1 : -1) }
    guard exponent < Int.bitWidth else { throw .evaluation("the integer is too large") }
    var result = 1
    for _ in 0..<exponent {
      let (product, overflow) = result.multipliedReportingOverflow(by: base)
      guard !overflow else { throw .evaluation("the integer is too large") }
      result = product
    }
    return .int(result)
  }

  static func doubles(
    _ binary: TemplateBinaryOperator, _ left: Double, _ right: Double
  ) throws(TemplateFailure) -> TemplateValue {
    switch binary {
    case .add: return .double(left + right)
    case .subtract: return .double(left - right)
    case .multiply: return .double(left * right)
    case .divide:
      try checkDivisor(right == 0)
      return .double(left / right)
    case .floorDivide:
      try checkDivisor(right == 0)
      return .double(floorDivide(left, right))
    case .remainder:
      try checkDivisor(right == 0)
      return .double(floorRemainder(left, right))
    case .power:
      guard left != 0 || right >= 0 else { throw .evaluation("zero cannot have a negative power") }
      let result = pow(left, right)
      guard !result.isNaN || left.isNaN || right.isNaN else {
        throw .evaluation("the power of a negative number is not real")
      }
      guard result.isFinite || !left.isFinite || !right.isFinite else {
        throw .evaluation("the number is too large")
      }
      return .double(result)
    }
  }

  /// The remainder with the sign of the divisor.
  private static func floorRemainder(_ left: Double, _ right: Double) -> Double {
    let rest = left.truncatingRemainder(dividingBy: right)
    if rest == 0 { return Double(signOf: right, magnitudeOf: 0) }
    return (rest < 0) != (right < 0) ? rest + right : rest
  }

  private static func floorDivide(_ left: Double, _ right: Double) -> Double {
    let rest = left.truncatingRemainder(dividingBy: right)
    var quotient = (left - rest) / right
    if rest != 0 && (rest < 0) != (right < 0) { quotient -= 1 }
    if quotient == 0 { return Double(signOf: left / right, magnitudeOf: 0) }
    let floor = quotient.rounded(.down)
    return quotient - floor > 0.5 ? floor + 1 : floor
  }

  /// A number rounded to decimal places: exactly half goes to the even digit, as in Python.
  static func rounded(_ number: Double, places: Int) -> Double {
    guard number.isFinite else { return number }
    if places >= 0 {
      return places > 320 ? number : Double(String(format: "%.*f", places, number)) ?? number
    }
    guard places > -310 else { return 0 * number }
    let scale = pow(10, Double(-places))
    return (number / scale).rounded(.toNearestOrEven) * scale
  }

  /// The shortest digits that read back as the same number, as Python prints them.
  static func text(of number: Double) -> String {
    if number.isNaN { return "nan" }
    if number.isInfinite { return number < 0 ? "-inf" : "inf" }
    // Swift keeps plain digits up to 2^54, Python up to 1e16.
    if abs(number) >= 1e16, !number.description.contains("e") {
      return String(format: "%.16e", number)
    }
    return number.description
  }
}

/// Operators on all kinds of values.
extension TemplateEvaluator {
  func apply(
    _ binary: TemplateBinaryOperator, _ left: TemplateValue, _ right: TemplateValue
  ) throws(TemplateFailure) -> TemplateValue {
    if case .string(let format) = left, binary == .remainder {
      return .string(try percentFormat(format, right))
    }
    if case .undefined(let missing) = left { throw missing.failure }
    if case .undefined(let missing) = right { throw missing.failure }
    if let left = left.integer, let right = right.integer {
      return try TemplateArithmetic.integers(binary, left, right)
    }
    if let left = left.number, let right = right.number {
      return try TemplateArithmetic.doubles(binary, left, right)
    }
    switch (binary, left, right) {
    case (.add, .string(let left), .string(let right)): return .string(try join(left, right))
    case (.add, .sequence(let left), .sequence(let right)):
      if let joined = try join(left, right) { return joined }
    case (.multiply, _, _):
      if let repeated = try repeated(left, right) { return repeated }
      if let repeated = try repeated(right, left) { return repeated }
    default: break
    }
    throw .evaluation(
      "'\(binary.rawValue)' cannot combine a \(typeName(of: left)) and a \(typeName(of: right))")
  }

  private func join(
    _ left: TemplateString, _ right: TemplateString
  ) throws(TemplateFailure) -> TemplateString {
    try charge(bytes: left.footprint + right.footprint)
    guard left.isMarkup || right.isMarkup else {
      var result = left
      result.append(right)
      return result
    }
    try charge(scalarsOf: left)
    try charge(scalarsOf: right)
    var result = left.escapedForMarkup()
    result.append(right.escapedForMarkup())
    result.isMarkup = true
    return result
  }

  private func join(
    _ left: TemplateSequence, _ right: TemplateSequence
  ) throws(TemplateFailure) -> TemplateValue? {
    try charge(left.items.count + right.items.count)
    switch (left.kind, right.kind) {
    case (.list, .list): return try .list(left.items + right.items)
    case (.tuple, .tuple), (.tuple, .group), (.group, .tuple), (.group, .group):
      return try .tuple(left.items + right.items)
    default: return nil
    }
  }

  private func repeated(
    _ value: TemplateValue, _ count: TemplateValue
  ) throws(TemplateFailure) -> TemplateValue? {
    guard let count = count.integer.map({ max($0, 0) }) else { return nil }
    switch value {
    case .string(let text):
      guard !text.isEmpty else { return value }
      try charge(count, times: text.footprint)
      return .string(text.repeated(count))
    case .sequence(let sequence) where sequence.kind == .list || sequence.kind == .tuple:
      guard !sequence.items.isEmpty else { return value }
      try charge(count, times: sequence.items.count * 64)
      let items = Array(repeatElement(sequence.items, count: count).joined())
      return .sequence(try TemplateSequence(sequence.kind, items))
    default: return nil
    }
  }
}
