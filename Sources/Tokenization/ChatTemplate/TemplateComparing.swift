/// Equality, order and membership.
extension TemplateEvaluator {
  func compare(
    _ left: TemplateValue, _ comparison: TemplateComparison, _ right: TemplateValue
  ) throws(TemplateFailure) -> Bool {
    switch comparison {
    case .equal: try equal(left, right)
    case .notEqual: try !equal(left, right)
    case .less: try order(left, right, "<") == .less
    case .lessOrEqual: try [.less, .equal].contains(order(left, right, "<="))
    case .greater: try order(left, right, ">") == .greater
    case .greaterOrEqual: try [.greater, .equal].contains(order(left, right, ">="))
    case .in: try contains(right, left)
    case .notIn: try !contains(right, left)
    }
  }

  /// Python's `==`: numbers by value whatever their type, texts by code points.
  func equal(_ left: TemplateValue, _ right: TemplateValue) throws(TemplateFailure) -> Bool {
    try charge()
    switch (left, right) {
    case (.string(let a), .string(let b)):
      try charge(bytes: min(a.count, b.count))
      return a == b
    case (.null, .null), (.undefined, .undefined): return true
    case (.sequence(let a), .sequence(let b)): return try equal(a, b)
    case (.dictionary(let a), .dictionary(let b)): return try equal(a, b)
    case (.object(let a), .object(let b)): return a == b
    case (.function(let a), .function(let b)): return a == b
    default: break
    }
    if let a = left.integer, let b = right.integer { return a == b }
    switch (left, right) {
    case (.double(let a), .double(let b)): return a == b
    case (.double(let a), _): return right.integer.map { Int(exactly: a) == $0 } ?? false
    case (_, .double(let b)): return left.integer.map { Int(exactly: b) == $0 } ?? false
    default: return false
    }
  }

  private func equal(
    _ left: TemplateSequence, _ right: TemplateSequence
  ) throws(TemplateFailure) -> Bool {
    func family(_ kind: TemplateSequence.Kind) -> Int {
      switch kind {
      case .list: 0
      case .tuple, .group: 1
      case .range: 2
      case .keys: 3
      case .items: 4
      case .values: 5
      }
    }
    guard family(left.kind) == family(right.kind), left.items.count == right.items.count else {
      return false
    }
    for (a, b) in zip(left.items, right.items) where try !equal(a, b) { return false }
    return true
  }

  private func equal(
    _ left: TemplateDictionary, _ right: TemplateDictionary
  ) throws(TemplateFailure) -> Bool {
    guard left.count == right.count else { return false }
    for entry in left.entries {
      guard let other = right[entry.key], try equal(entry.value, other) else { return false }
    }
    return true
  }

  enum Order { case less, equal, greater, none }

  /// How two values are ordered; `none` for comparisons with "not a number".
  ///
  /// - Throws: for values that Python does not order, such as a number and a text.
  func order(
    _ left: TemplateValue, _ right: TemplateValue, _ symbol: String
  ) throws(TemplateFailure) -> Order {
    try charge()
    if case .undefined(let missing) = left { throw missing.failure }
    if case .undefined(let missing) = right { throw missing.failure }
    switch (left, right) {
    case (.string(let a), .string(let b)):
      try charge(bytes: min(a.count, b.count))
      return a < b ? .less : b < a ? .greater : .equal
    case (.sequence(let a), .sequence(let b)):
      let isPair = (a.kind == .list) == (b.kind == .list) && a.isIndexable && b.isIndexable
      if isPair { return try order(a.items, b.items, symbol) }
    default: break
    }
    if let a = left.integer, let b = right.integer { return order(a, b) }
    if let a = left.number, let b = right.number {
      return a.isNaN || b.isNaN ? .none : order(a, b)
    }
    throw .evaluation(
      "'\(symbol)' does not order a \(typeName(of: left)) and a \(typeName(of: right))")
  }

  private func order<Number: Comparable>(_ left: Number, _ right: Number) -> Order {
    left < right ? .less : left > right ? .greater : .equal
  }

  private func order(
    _ left: [TemplateValue], _ right: [TemplateValue], _ symbol: String
  ) throws(TemplateFailure) -> Order {
    for (a, b) in zip(left, right) where try !equal(a, b) { return try order(a, b, symbol) }
    return order(left.count, right.count)
  }

  /// Python's `in`.
  func contains(
    _ container: TemplateValue, _ element: TemplateValue
  ) throws(TemplateFailure) -> Bool {
    switch container {
    case .string(let text):
      guard case .string(let part) = element else {
        if case .undefined(let missing) = element { throw missing.failure }
        throw .evaluation("a text can hold a text only, not a \(typeName(of: element))")
      }
      try charge(bytes: text.count)
      return text.firstOffset(of: part.bytes) != nil
    case .dictionary(let dictionary):
      if case .undefined = element { return false }
      try charge(key: element)
      return dictionary.contains(try TemplateKey(element))
    default:
      for candidate in try elements(of: container) where try equal(candidate, element) {
        return true
      }
      return false
    }
  }

  /// The values in order, equal ones in the order they came in.
  ///
  /// - Complexity: O(count · log count) comparisons
  func sorted(
    _ values: [TemplateValue], descending: Bool = false,
    by key: (TemplateValue) throws(TemplateFailure) -> TemplateValue
  ) throws(TemplateFailure) -> [TemplateValue] {
    var keyed: [(key: TemplateValue, place: Int)] = []
    for (place, value) in values.enumerated() { keyed.append((try key(value), place)) }
    var failure: TemplateFailure?
    keyed.sort { a, b in
      guard failure == nil else { return a.place < b.place }
      do throws(TemplateFailure) {
        switch try order(a.key, b.key, "<") {
        case .less: return !descending
        case .greater: return descending
        case .equal, .none: return a.place < b.place
        }
      } catch {
        failure = error
        return a.place < b.place
      }
    }
    if let failure { throw failure }
    return keyed.map { values[$0.place] }
  }
}
