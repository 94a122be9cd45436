/// One schema at one place, required to hold or required not to hold.
struct SchemaReference: Hashable, Comparable {
  var schema: Int
  var isNegated = false

  /// The two readings of a schema are neighbours.
  var code: Int { schema * 2 + (isNegated ? 1 : 0) }

  static func < (a: SchemaReference, b: SchemaReference) -> Bool {
    a.code < b.code
  }
}

/// Values kept for schemas required to hold or not to hold.
struct ReferenceTable<Value> {
  private var values: [Value?] = []

  subscript(reference: SchemaReference) -> Value? {
    get { reference.code < values.count ? values[reference.code] : nil }
    set {
      while reference.code >= values.count { values.append(nil) }
      values[reference.code] = newValue
    }
  }
}

/// A set of JSON values: per type, the conditions on values of that type.
///
/// A schema is a list of shapes, any of which may hold. Shapes are closed under intersection, so
/// `allOf` and sibling keywords are real intersections.
struct SchemaShape {
  var allowsNull = true
  var allowsTrue = true
  var allowsFalse = true
  var number: NumberShape? = NumberShape()
  var string: StringShape? = StringShape()
  var array: ArrayShape? = ArrayShape()
  var object: ObjectShape? = ObjectShape()

  static let anything = SchemaShape()
  static let nothing = SchemaShape(
    allowsNull: false, allowsTrue: false, allowsFalse: false, number: nil, string: nil, array: nil,
    object: nil)

  var isEmpty: Bool {
    !allowsNull && !allowsTrue && !allowsFalse && number == nil && string == nil && array == nil
      && object == nil
  }

  func intersection(_ other: SchemaShape) -> SchemaShape {
    SchemaShape(
      allowsNull: allowsNull && other.allowsNull,
      allowsTrue: allowsTrue && other.allowsTrue,
      allowsFalse: allowsFalse && other.allowsFalse,
      number: number.flatMap { mine in other.number.flatMap { mine.intersection($0) } },
      string: string.flatMap { mine in other.string.flatMap { mine.intersection($0) } },
      array: array.flatMap { mine in other.array.flatMap { mine.intersection($0) } },
      object: object.flatMap { mine in other.object.flatMap { mine.intersection($0) } })
  }

  /// Only values of the kinds `other` keeps non-nil.
  func keepingOnlyObjects() -> SchemaShape {
    var result = SchemaShape.nothing
    result.object = object
    return result
  }
}

/// Conditions on a number.
struct NumberShape {
  var isInteger = false
  var minimum: NumberBound?
  var maximum: NumberBound?
  var divisors: [DecimalNumber] = []
  /// The only values, where they are listed.
  var values: [DecimalNumber]?
  /// Decimal texts that are not wanted.
  var excluded: [Expression] = []

  var isFree: Bool {
    minimum == nil && maximum == nil && divisors.isEmpty && values == nil && excluded.isEmpty
  }

  func intersection(_ other: NumberShape) -> NumberShape? {
    var result = self
    result.isInteger = isInteger || other.isInteger
    result.minimum = Self.tighter(minimum, other.minimum) { $1 < $0 }
    result.maximum = Self.tighter(maximum, other.maximum) { $0 < $1 }
    for divisor in other.divisors where !divisors.contains(divisor) {
      result.divisors.append(divisor)
    }
    result.excluded = Array(Set(excluded + other.excluded)).sorted()
    if let mine = values, let others = other.values {
      result.values = mine.filter(others.contains)
    } else {
      result.values = values ?? other.values
    }
    result.values = result.values?.filter(result.allows)
    if result.values?.isEmpty == true { return nil }
    if let low = result.minimum, let high = result.maximum {
      if high.value < low.value { return nil }
      if high.value == low.value && (low.isExclusive || high.isExclusive) { return nil }
    }
    return result
  }

  private static func tighter(
    _ a: NumberBound?, _ b: NumberBound?, _ isTighter: (DecimalNumber, DecimalNumber) -> Bool
  ) -> NumberBound? {
    guard let a, let b else { return a ?? b }
    if a.value == b.value {
      return a.isExclusive ? a : b
    }
    return isTighter(a.value, b.value) ? a : b
  }

  /// Whether a listed value meets bounds and kind; divisors are left to the automaton.
  private func allows(_ value: DecimalNumber) -> Bool {
    if isInteger && !value.isInteger { return false }
    if let low = minimum, value < low.value || (low.isExclusive && value == low.value) {
      return false
    }
    if let high = maximum, high.value < value || (high.isExclusive && value == high.value) {
      return false
    }
    return true
  }
}

/// Conditions on a string, as languages of the text between its quotes.
struct StringShape {
  var minLength = 0
  var maxLength: Int?
  /// Texts it must be among, all of them.
  var conditions: [Expression] = []
  /// Source texts of which it must be a span, each named once.
  var verbatim: [Verbatim] = []

  /// The spans of one source text.
  struct Verbatim {
    /// The name of the source, nil for the one without a name.
    var source: String?
    var wholeWords: Bool
  }

  func intersection(_ other: StringShape) -> StringShape? {
    var result = self
    result.minLength = max(minLength, other.minLength)
    if let theirs = other.maxLength { result.maxLength = min(maxLength ?? theirs, theirs) }
    for condition in other.conditions where !conditions.contains(condition) {
      result.conditions.append(condition)
    }
    for span in other.verbatim {
      if let place = result.verbatim.firstIndex(where: { $0.source == span.source }) {
        result.verbatim[place].wholeWords = result.verbatim[place].wholeWords || span.wholeWords
      } else {
        result.verbatim.append(span)
      }
    }
    if let most = result.maxLength, most < result.minLength { return nil }
    return result
  }
}

/// Conditions on an array.
struct ArrayShape {
  /// By place: what the element there must satisfy.
  var prefix: [[SchemaReference]] = []
  /// What elements after the prefix must satisfy.
  var items: [SchemaReference] = []
  var minItems = 0
  var maxItems: Int?
  var isUnique = false
  var contains: [Contains] = []
  /// Whether a schema that must fail had a part in this.
  var isFromNegation = false

  struct Contains: Hashable {
    var schema: SchemaReference
    var minimum: Int
    var maximum: Int?
  }

  func intersection(_ other: ArrayShape) -> ArrayShape? {
    var result = self
    let count = max(prefix.count, other.prefix.count)
    result.prefix = (0..<count).map { index in
      Self.joined(
        index < prefix.count ? prefix[index] : items,
        index < other.prefix.count ? other.prefix[index] : other.items)
    }
    result.items = Self.joined(items, other.items)
    result.minItems = max(minItems, other.minItems)
    if let theirs = other.maxItems { result.maxItems = min(maxItems ?? theirs, theirs) }
    result.isUnique = isUnique || other.isUnique
    result.isFromNegation = isFromNegation || other.isFromNegation
    for each in other.contains where !contains.contains(each) { result.contains.append(each) }
    if let most = result.maxItems, most < result.minItems { return nil }
    return result
  }

  static func joined(_ a: [SchemaReference], _ b: [SchemaReference]) -> [SchemaReference] {
    var result: [SchemaReference] = []
    for reference in (a + b).sorted() where result.last != reference { result.append(reference) }
    return result
  }
}

/// Conditions on an object.
struct ObjectShape {
  /// The property keywords of one schema; `additional` is about keys that the others miss.
  struct Source {
    /// Whether the keys it names count as evaluated: not where a schema must fail.
    var evaluates = true
    /// Whether the `properties` keyword is there, which closes the object where closing is implied.
    var declares = false
    var properties: [(name: ExactString, schema: SchemaReference)] = []
    var patterns: [(language: Expression, schema: SchemaReference)] = []
    var additional: [SchemaReference]?
  }

  var sources: [Source] = []
  /// In the order of mention.
  var required: [ExactString] = []
  var forbidden: [ExactString] = []
  var minProperties = 0
  /// The schema that says so, for messages.
  var minPropertiesSchema: Int?
  var maxProperties: Int?
  var names: [SchemaReference] = []

  func intersection(_ other: ObjectShape) -> ObjectShape? {
    var result = self
    result.sources += other.sources
    result.required = (required + other.required).unique
    result.forbidden = (forbidden + other.forbidden).unique
    if other.minProperties > minProperties {
      result.minProperties = other.minProperties
      result.minPropertiesSchema = other.minPropertiesSchema
    }
    if let theirs = other.maxProperties {
      result.maxProperties = min(maxProperties ?? theirs, theirs)
    }
    result.names = ArrayShape.joined(names, other.names)
    if let most = result.maxProperties, most < max(result.minProperties, result.required.count) {
      return nil
    }
    return result.required.contains(where: result.forbidden.contains) ? nil : result
  }

  /// Every name the schema mentions, declared ones first in their order.
  var declaredNames: [ExactString] {
    let forbidden = forbidden.sorted { $0.text < $1.text }
    return (sources.flatMap { $0.properties.map(\.name) } + required + forbidden).unique
  }
}
