/// What an expression of a template can be: Python's values as far as templates meet them.
///
/// There is no case that holds anything of the host: what has identity (namespaces, macros, loops)
/// lives in a table of the evaluator, and is named here by its place in that table.
enum TemplateValue: Sendable {
  case undefined(TemplateUndefined)
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(TemplateString)
  case sequence(TemplateSequence)
  case dictionary(TemplateDictionary)
  case object(Int)
  case function(TemplateFunction)
  indirect case method(TemplateValue, TemplateMethod)

  static func text(_ text: String) -> TemplateValue { .string(TemplateString(text)) }
}

/// A missing value: prints as nothing, and says what was missing when it is used.
final class TemplateUndefined: Sendable {
  let reason: String
  /// Set where something exists that a sandbox does not show.
  let isForbidden: Bool

  init(_ reason: String, isForbidden: Bool = false) {
    self.reason = reason
    self.isForbidden = isForbidden
  }

  var failure: TemplateFailure { isForbidden ? .forbidden(reason) : .undefined(reason) }
}

/// A list or one of the things that behave much like one.
struct TemplateSequence: Sendable {
  enum Kind: Sendable, Equatable {
    case list
    case tuple
    /// What `groupby` yields: a tuple with the names `grouper` and `list`.
    case group
    case range(start: Int, stop: Int, step: Int)
    /// What the methods of a dictionary return: no index, but a length.
    case keys, values, items
  }

  let kind: Kind
  let items: [TemplateValue]
  /// Sequences and dictionaries inside each other, counting this one.
  let depth: Int

  init(_ kind: Kind, _ items: [TemplateValue]) throws(TemplateFailure) {
    self.kind = kind
    self.items = items
    var deepest = 0
    for item in items { deepest = max(deepest, item.depth) }
    depth = try TemplateValue.checkedDepth(deepest + 1)
  }

  /// Whether elements can be taken by index.
  var isIndexable: Bool {
    switch kind {
    case .list, .tuple, .group, .range: true
    case .keys, .values, .items: false
    }
  }
}

extension TemplateValue {
  static func list(_ items: [TemplateValue]) throws(TemplateFailure) -> TemplateValue {
    .sequence(try TemplateSequence(.list, items))
  }

  static func tuple(_ items: [TemplateValue]) throws(TemplateFailure) -> TemplateValue {
    .sequence(try TemplateSequence(.tuple, items))
  }

  /// Nesting of this value, 0 for everything without elements.
  var depth: Int {
    switch self {
    case .sequence(let sequence): sequence.depth
    case .dictionary(let dictionary): dictionary.depth
    case .method(let receiver, _): receiver.depth + 1
    default: 0
    }
  }

  /// - Throws: where values nest deeper than can be freed without using up the stack.
  static func checkedDepth(_ depth: Int) throws(TemplateFailure) -> Int {
    let limit = ChatTemplateLimits.valueDepth
    guard depth <= limit else { throw .limit(.valueDepth(limit)) }
    return depth
  }

  /// Python's truth: empty things, zero and nothing are false.
  var isTrue: Bool {
    switch self {
    case .undefined, .null: return false
    case .bool(let flag): return flag
    case .int(let number): return number != 0
    case .double(let number): return number != 0
    case .string(let text): return !text.isEmpty
    case .sequence(let sequence): return !sequence.items.isEmpty
    case .dictionary(let dictionary): return !dictionary.isEmpty
    case .object, .function, .method: return true
    }
  }

  /// The number as Python's integer; `True` is 1.
  var integer: Int? {
    switch self {
    case .bool(let flag): flag ? 1 : 0
    case .int(let number): number
    default: nil
    }
  }

  /// The number as a double, if it is one.
  var number: Double? {
    if case .double(let number) = self { number } else { integer.map { Double($0) } }
  }

  var isUndefined: Bool {
    if case .undefined = self { true } else { false }
  }

  /// The name that error messages give the type.
  var typeName: String {
    switch self {
    case .undefined: "Undefined"
    case .null: "NoneType"
    case .bool: "bool"
    case .int: "int"
    case .double: "float"
    case .string: "str"
    case .sequence(let sequence):
      switch sequence.kind {
      case .list: "list"
      case .tuple, .group: "tuple"
      case .range: "range"
      case .keys: "dict_keys"
      case .values: "dict_values"
      case .items: "dict_items"
      }
    case .dictionary: "dict"
    case .object: "object"
    case .function, .method: "function"
    }
  }
}
