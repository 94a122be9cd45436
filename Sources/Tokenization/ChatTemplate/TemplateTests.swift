/// A test: the evaluator, the value before `is`, the arguments.
typealias TemplateTest =
  @Sendable (TemplateEvaluator, TemplateValue, TemplateArguments) throws(TemplateFailure) -> Bool

/// The tests of jinja2.
enum TemplateTests {
  static let table: [String: TemplateTest] = kinds.merging(relations) { $1 }

  private static let kinds: [String: TemplateTest] = [
    "boolean": kind { if case .bool = $0 { true } else { false } },
    "callable": plain { evaluator, value throws(TemplateFailure) in evaluator.isCallable(value) },
    "defined": kind { !$0.isUndefined },
    "escaped": kind { if case .string(let text) = $0 { text.isMarkup } else { false } },
    "even": plain { evaluator, value throws(TemplateFailure) in
      try evaluator.remainder(value, .int(2)) == 0
    },
    "false": kind { if case .bool(false) = $0 { true } else { false } },
    "filter": plain { evaluator, value throws(TemplateFailure) in
      TemplateFilters.table[try evaluator.scannedText(of: value).text] != nil
    },
    "float": kind { if case .double = $0 { true } else { false } },
    "integer": kind { if case .int = $0 { true } else { false } },
    "iterable": plain { evaluator, value throws(TemplateFailure) in evaluator.isIterable(value) },
    "lower": plain { evaluator, value throws(TemplateFailure) in
      try evaluator.scannedText(of: value).isLowercase
    },
    "mapping": kind { if case .dictionary = $0 { true } else { false } },
    "none": kind { if case .null = $0 { true } else { false } },
    "number": kind { $0.number != nil },
    "odd": plain { evaluator, value throws(TemplateFailure) in
      try evaluator.remainder(value, .int(2)) == 1
    },
    "sequence": kind {
      switch $0 {
      case .undefined, .string, .dictionary: true
      case .sequence(let sequence): sequence.isIndexable
      default: false
      }
    },
    "string": kind { if case .string = $0 { true } else { false } },
    "test": plain { evaluator, value throws(TemplateFailure) in
      TemplateTests.table[try evaluator.scannedText(of: value).text] != nil
    },
    "true": kind { if case .bool(true) = $0 { true } else { false } },
    "undefined": kind { $0.isUndefined },
    "upper": plain { evaluator, value throws(TemplateFailure) in
      try evaluator.scannedText(of: value).isUppercase
    },
  ]

  private static let relations: [String: TemplateTest] = [
    "divisibleby": { evaluator, value, arguments throws(TemplateFailure) in
      let divisor = try arguments.bound(to: ["num"], of: "divisibleby")[0] ?? .null
      return try evaluator.remainder(value, divisor) == 0
    },
    "in": { evaluator, value, arguments throws(TemplateFailure) in
      let container = try arguments.bound(to: ["seq"], of: "in")[0] ?? .null
      return try evaluator.contains(container, value)
    },
    "sameas": { evaluator, value, arguments throws(TemplateFailure) in
      try evaluator.isSame(value, arguments.bound(to: ["other"], of: "sameas")[0] ?? .null)
    },
    "eq": relation(.equal), "equalto": relation(.equal), "==": relation(.equal),
    "ne": relation(.notEqual), "!=": relation(.notEqual),
    "lt": relation(.less), "lessthan": relation(.less), "<": relation(.less),
    "le": relation(.lessOrEqual), "<=": relation(.lessOrEqual),
    "gt": relation(.greater), "greaterthan": relation(.greater), ">": relation(.greater),
    "ge": relation(.greaterOrEqual), ">=": relation(.greaterOrEqual),
  ]

  private static func kind(_ holds: @escaping @Sendable (TemplateValue) -> Bool) -> TemplateTest {
    plain { _, value throws(TemplateFailure) in holds(value) }
  }

  /// A test without arguments.
  private static func plain(
    _ holds:
      @escaping @Sendable (TemplateEvaluator, TemplateValue) throws(TemplateFailure) -> Bool
  ) -> TemplateTest {
    { evaluator, value, arguments throws(TemplateFailure) in
      guard arguments.isEmpty else { throw .evaluation("this test takes no argument") }
      return try holds(evaluator, value)
    }
  }

  private static func relation(_ comparison: TemplateComparison) -> TemplateTest {
    { evaluator, value, arguments throws(TemplateFailure) in
      guard let other = try arguments.bound(to: ["other"], of: comparison.rawValue)[0] else {
        throw .evaluation("the test needs a value to compare with")
      }
      return try evaluator.compare(value, comparison, other)
    }
  }
}

extension TemplateEvaluator {
  /// The text of a value of which a test looks at every code point.
  fileprivate func scannedText(of value: TemplateValue) throws(TemplateFailure) -> TemplateString {
    let text = try text(of: value)
    try charge(scalarsOf: text)
    return text
  }

  fileprivate func remainder(
    _ value: TemplateValue, _ divisor: TemplateValue
  ) throws(TemplateFailure) -> Double? {
    if case .string = value { throw .evaluation("a number is needed, not a str") }
    return try apply(.remainder, value, divisor).number
  }

  fileprivate func isCallable(_ value: TemplateValue) -> Bool {
    switch value {
    case .function, .method: return true
    case .undefined: return true
    case .object(let identity):
      switch objects[identity] {
      case .macro, .joiner, .loop: return true
      case .namespace, .cycler, .iterator: return false
      }
    default: return false
    }
  }

  fileprivate func isIterable(_ value: TemplateValue) -> Bool {
    switch value {
    case .undefined, .string, .sequence, .dictionary: return true
    case .object(let identity):
      switch objects[identity] {
      case .loop, .iterator: return true
      case .namespace, .macro, .cycler, .joiner: return false
      }
    default: return false
    }
  }

  /// Identity as far as values have one: constants and objects.
  fileprivate func isSame(
    _ left: TemplateValue, _ right: TemplateValue
  ) throws(TemplateFailure) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    case (.string, .string), (.double, .double): try equal(left, right)
    default: false
    }
  }
}
