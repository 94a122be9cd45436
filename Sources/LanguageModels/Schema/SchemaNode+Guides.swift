/// A guide that values of its place cannot follow.
struct UnfitGuide: Error {
  var reason: String
}

extension SchemaNode {
  /// This node with `guides` on top.
  func following(_ guides: [Guide]) throws(UnfitGuide) -> SchemaNode {
    var result = self
    for guide in guides { result.shape = try result.shape(following: guide) }
    try result.checkLimits()
    return result
  }

  private func shape(following guide: Guide) throws(UnfitGuide) -> Shape {
    switch (shape, guide) {
    case (.string(let string), .anyOf), (.string(let string), .pattern),
      (.string(let string), .verbatim):
      return .string(try string.following(guide))
    case (.number(var number), .minimum(let bound)):
      try Self.checkFinite(bound)
      number.minimum = number.minimum.map { $0.value > bound.value ? $0 : bound } ?? bound
      return .number(number)
    case (.number(var number), .maximum(let bound)):
      try Self.checkFinite(bound)
      number.maximum = number.maximum.map { $0.value < bound.value ? $0 : bound } ?? bound
      return .number(number)
    case (.array(var array), .minimumCount(let count)):
      array.minimumCount = max(array.minimumCount ?? count, count)
      return .array(array)
    case (.array(var array), .maximumCount(let count)):
      array.maximumCount = min(array.maximumCount ?? count, count)
      return .array(array)
    case (.array(var array), .element(let guides)):
      array.element = try array.element.following(guides)
      return .array(array)
    default: break
    }
    throw UnfitGuide(reason: "the guide “\(guide.name)” does not fit \(kindName)")
  }

  private static func checkFinite(_ bound: JSONNumber) throws(UnfitGuide) {
    guard bound.value.isFinite else { throw UnfitGuide(reason: "a bound is no finite number") }
  }

  private func checkLimits() throws(UnfitGuide) {
    switch shape {
    case .array(let array):
      let least = array.minimumCount ?? 0
      if least < 0 { throw UnfitGuide(reason: "minimumCount is negative") }
      if let most = array.maximumCount, most < least {
        throw UnfitGuide(reason: "maximumCount \(most) is less than minimumCount \(least)")
      }
    case .number(let number):
      guard let least = number.minimum, let most = number.maximum, most.value < least.value else {
        return
      }
      throw UnfitGuide(reason: "maximum \(most.text) is less than minimum \(least.text)")
    case .string(let string):
      if string.choices?.isEmpty == true { throw UnfitGuide(reason: "anyOf leaves no choice") }
    default: break
    }
  }

  /// What a message calls the values of this node.
  private var kindName: String {
    switch shape {
    case .any, .type: "values of any kind"
    case .never: "Never"
    case .null: "null"
    case .boolean: "booleans"
    case .string: "strings"
    case .number(let number): number.isInteger ? "integers" : "numbers"
    case .array: "arrays of such elements"
    case .object: "structures"
    case .anyOf: "choices"
    case .reference(let name): "values of type \(name)"
    }
  }
}

extension StringSchema {
  fileprivate func following(_ guide: Guide) throws(UnfitGuide) -> StringSchema {
    var result = self
    switch guide {
    case .anyOf(let texts):
      result.choices = choices.map { earlier in earlier.filter(texts.contains) } ?? texts
    case .pattern(let pattern):
      guard let pattern else {
        throw UnfitGuide(
          reason: "the regular expression has parts in Swift code, which cannot guide generation")
      }
      result.pattern = pattern
    case .verbatim(let source):
      let source = source.map(Verbatim.source) ?? .prompt
      guard verbatim == nil || verbatim == source else {
        throw UnfitGuide(reason: "a text can be copied from one source only")
      }
      result.verbatim = source
    default: break
    }
    return result
  }
}
