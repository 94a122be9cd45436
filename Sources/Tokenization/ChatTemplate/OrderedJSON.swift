/// A JSON value that keeps the order of keys and tells integers from other numbers.
///
/// Templates print tool definitions key by key as they were written, and `2` is not `2.0`; the
/// reader of Foundation loses both. Strings and keys compare by their bytes, never by canonical
/// equivalence.
package indirect enum OrderedJSON: Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  /// A number with more digits than a double keeps, as it was written.
  case number(String)
  case string(String)
  case array([OrderedJSON])
  case object([Member])

  /// One key of an object with its value.
  package struct Member: Sendable, Equatable {
    package var name: String
    package var value: OrderedJSON

    package init(_ name: String, _ value: OrderedJSON) {
      self.name = name
      self.value = value
    }

    package static func == (left: Self, right: Self) -> Bool {
      left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
    }
  }

  /// The value of a key, or nil where this is no object or has no such key.
  ///
  /// - Complexity: O(members)
  package subscript(name: String) -> OrderedJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The element of an array, or nil where this is no array or is shorter.
  package subscript(index: Int) -> OrderedJSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The text of a string, nil for every other value.
  package var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The integer, nil for every other value, also for a number with a fraction or exponent.
  package var intValue: Int? {
    if case .int(let number) = self { number } else { nil }
  }

  /// The number, whether it was written as an integer or not.
  package var doubleValue: Double? {
    switch self {
    case .int(let number): Double(number)
    case .double(let number): number
    case .number(let text): Double(text)
    default: nil
    }
  }

  /// The truth value, nil for every other value.
  package var boolValue: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The elements of an array, nil for every other value.
  package var arrayValue: [OrderedJSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object in order, nil for every other value.
  package var objectValue: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }
}

extension OrderedJSON: Equatable {
  /// Same kind, same content, same order of keys; many digits equal the double they round to.
  package static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.number, .double), (.double, .number): left.doubleValue == right.doubleValue
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension OrderedJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .int(value) }
  package init(floatLiteral value: Double) { self = .double(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: OrderedJSON...) { self = .array(elements) }
  package init(nilLiteral: ()) { self = .null }

  package init(dictionaryLiteral elements: (String, OrderedJSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
