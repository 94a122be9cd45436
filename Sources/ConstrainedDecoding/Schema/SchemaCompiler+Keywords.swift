internal import Tokenization

// What each keyword says about values.
extension SchemaCompiler {
  /// The shapes of values that one keyword allows; nil if it belongs to another keyword.
  mutating func keywordShapes(
    _ key: String, _ value: OrderedJSON, _ schema: Int
  ) throws(GrammarError) -> [SchemaShape]? {
    switch key {
    case "type": return [try typeShape(value, schema)]
    case "const": return valueShapes([value], schema, key)
    case "enum":
      guard case .array(let values) = value else { throw invalid(schema, key, "must be an array") }
      return valueShapes(values, schema, key)
    case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
      return try numberShapes(key, value, schema)
    case "minLength", "maxLength", "pattern", "format":
      return try stringShapes(key, value, schema)
    case "items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems",
      "contains":
      return try arrayShapes(key, value, schema)
    case "properties", "patternProperties", "additionalProperties", "required", "minProperties",
      "maxProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies":
      return try objectShapes(key, value, schema)
    case "$ref": return try shapes(SchemaReference(schema: try resolve(value, schema)))
    case "allOf": return try shapes(allOf: try children(schema, key, value))
    case "anyOf":
      var result: [SchemaShape] = []
      for each in try children(schema, key, value) { result += try shapes(each) }
      return result
    case "oneOf": return try oneOfShapes(try children(schema, key, value), schema)
    case "not":
      var negated = try child(schema, key)
      negated.isNegated = true
      return try shapes(negated)
    case "if": return try conditionShapes(schema)
    default: throw unsupported(schema, key, "the keyword is not known")
    }
  }

  private func typeShape(_ value: OrderedJSON, _ schema: Int) throws(GrammarError) -> SchemaShape {
    let names: [OrderedJSON]
    switch value {
    case .array(let list): names = list
    default: names = [value]
    }
    var shape = SchemaShape.nothing
    for name in names {
      guard case .string(let text) = name else { throw invalid(schema, "type", "must be a string") }
      switch text {
      case "null": shape.allowsNull = true
      case "boolean": (shape.allowsTrue, shape.allowsFalse) = (true, true)
      case "number": shape.number = NumberShape()
      case "integer": shape.number = shape.number ?? NumberShape(isInteger: true)
      case "string": shape.string = StringShape()
      case "array": shape.array = ArrayShape()
      case "object": shape.object = ObjectShape()
      default: throw invalid(schema, "type", "\"\(text)\" is not a type")
      }
    }
    return shape
  }

  // MARK: Listed values

  mutating func valueShapes(
    _ values: [OrderedJSON], _ schema: Int, _ key: String
  ) -> [SchemaShape] {
    var scalars = SchemaShape.nothing
    var numbers: [DecimalNumber] = []
    var strings: [String] = []
    var result: [SchemaShape] = []
    for (index, value) in values.enumerated() {
      switch value {
      case .null: scalars.allowsNull = true
      case .bool(true): scalars.allowsTrue = true
      case .bool(false): scalars.allowsFalse = true
      case .int, .double, .number:
        if let number = DecimalNumber(value) { numbers.append(number) }
      case .string(let text): strings.append(text)
      case .array, .object:
        let place = "\(document.pointer(schema))/\(key)/\(index)"
        result.append(structureShape(value, place))
      }
    }
    if !numbers.isEmpty { scalars.number = NumberShape(values: numbers) }
    if !strings.isEmpty { scalars.string = StringShape(conditions: [pool.jsonChoice(strings)]) }
    return scalars.isEmpty ? result : [scalars] + result
  }

  /// One array or object, as a schema that only it satisfies.
  private mutating func structureShape(_ value: OrderedJSON, _ pointer: String) -> SchemaShape {
    var shape = SchemaShape.nothing
    switch value {
    case .array(let values):
      var array = ArrayShape(minItems: values.count, maxItems: values.count)
      for (index, inner) in values.enumerated() {
        array.prefix.append([constant(inner, "\(pointer)/\(index)")])
      }
      shape.array = array
    case .object(let members):
      var source = ObjectShape.Source(additional: [falseSchema()])
      var object = ObjectShape()
      for member in members {
        let place = "\(pointer)/\(SchemaDocument.escape(member.name))"
        let name = ExactString(member.name)
        source.properties.append((name, constant(member.value, place)))
        object.required.append(name)
      }
      object.sources = [source]
      shape.object = object
    default: break
    }
    return shape
  }

  private mutating func constant(_ value: OrderedJSON, _ pointer: String) -> SchemaReference {
    SchemaReference(schema: document.addSynthetic(["const": value], pointer: pointer))
  }

  mutating func falseSchema() -> SchemaReference {
    SchemaReference(schema: document.boolean(false))
  }

  mutating func trueSchema() -> SchemaReference {
    SchemaReference(schema: document.boolean(true))
  }

  // MARK: Numbers and strings

  private mutating func numberShapes(
    _ key: String, _ value: OrderedJSON, _ schema: Int
  ) throws(GrammarError) -> [SchemaShape] {
    var shape = SchemaShape.anything
    var number = NumberShape()
    let entry = document.entries[schema].value
    switch key {
    case "minimum", "maximum":
      // Draft 4 wrote the exclusive forms as flags.
      let flag = key == "minimum" ? "exclusiveMinimum" : "exclusiveMaximum"
      let isExclusive = entry[flag] == true
      let bound = NumberBound(
        value: try self.number(value, schema, key), isExclusive: isExclusive, schema: schema,
        keyword: key)
      if key == "minimum" { number.minimum = bound } else { number.maximum = bound }
    case "exclusiveMinimum", "exclusiveMaximum":
      if case .bool = value { return [.anything] }
      let bound = NumberBound(
        value: try self.number(value, schema, key), isExclusive: true, schema: schema, keyword: key)
      if key == "exclusiveMinimum" { number.minimum = bound } else { number.maximum = bound }
    default:
      let divisor = try self.number(value, schema, key)
      guard !divisor.isNegative && !divisor.isZero else {
        throw invalid(schema, key, "must be greater than 0")
      }
      guard pool.multiples(of: divisor) != nil else {
        throw unsupported(schema, key, "the divisor is too large or has too many digits")
      }
      number.divisors = [divisor]
    }
    shape.number = number
    return [shape]
  }

  private mutating func stringShapes(
    _ key: String, _ value: OrderedJSON, _ schema: Int
  ) throws(GrammarError) -> [SchemaShape] {
    var shape = SchemaShape.anything
    var string = StringShape()
    switch key {
    case "minLength": string.minLength = try count(value, schema, key)
    case "maxLength": string.maxLength = try count(value, schema, key)
    default:
      guard case .string(let text) = value else { throw invalid(schema, key, "must be a string") }
      string.conditions = [try stringLanguage(key, text, schema)]
    }
    shape.string = string
    return [shape]
  }

  /// The texts between quotes that a pattern or format allows.
  mutating func stringLanguage(
    _ key: String, _ text: String, _ schema: Int
  ) throws(GrammarError) -> Expression {
    if key == "pattern" { return try pattern(text, schema, key) }
    guard let format = StringFormat.named(text) else {
      throw unsupported(schema, key, "the format \"\(text)\" is not known")
    }
    var parts: [Expression] = []
    for pattern in format.all {
      parts.append(try pool.regex(try syntax(pattern, schema, key), .json, anchored: true))
    }
    for pattern in format.none {
      let unwanted = try pool.regex(try syntax(pattern, schema, key), .json, anchored: true)
      parts.append(pool.complement(unwanted))
    }
    return pool.intersection(parts)
  }

  mutating func pattern(
    _ text: String, _ schema: Int, _ key: String
  ) throws(GrammarError) -> Expression {
    let syntax = try syntax(text, schema, key)
    do throws(GrammarError) {
      return try pool.regex(syntax, .json, anchored: false)
    } catch .syntax(_, _, let reason) {
      throw unsupported(schema, key, reason)
    }
  }

  private func syntax(
    _ text: String, _ schema: Int, _ key: String
  ) throws(GrammarError) -> RegexSyntax {
    do throws(GrammarError) {
      return try RegexParser.parse(text, limits: options.limits)
    } catch .syntax(let line, let column, let reason) {
      throw unsupported(schema, key, "\(line):\(column): \(reason)")
    }
  }

  // MARK: Combinations

  /// Values of exactly one branch: in it, and in none of the others unless that is plain anyway.
  private mutating func oneOfShapes(
    _ branches: [SchemaReference], _ schema: Int
  ) throws(GrammarError) -> [SchemaShape] {
    var result: [SchemaShape] = []
    for (index, branch) in branches.enumerated() {
      var own = try shapes(branch)
      for (other, rival) in branches.enumerated() where other != index {
        var overlaps = false
        for shape in try Self.product(own, try shapes(rival)) where !overlaps {
          overlaps = try !isPlainlyEmpty(shape)
        }
        if !overlaps { continue }
        do throws(GrammarError) {
          own = try Self.product(
            own, try shapes(SchemaReference(schema: rival.schema, isNegated: !rival.isNegated)))
        } catch .unsupported {
          throw unsupported(
            schema, "oneOf",
            "branches \(min(index, other)) and \(max(index, other)) may hold together")
        }
      }
      result += own
    }
    return result
  }

  /// Whether a shape visibly has no value: only objects that need a property no value fits.
  mutating func isPlainlyEmpty(
    _ shape: SchemaShape, depth: Int = 0
  ) throws(GrammarError) -> Bool {
    if shape.isEmpty { return true }
    guard !shape.allowsNull, !shape.allowsTrue, !shape.allowsFalse, shape.number == nil,
      shape.array == nil
    else { return false }
    if let string = shape.string, questions.isEmpty(string.conditions, pool) != true {
      return false
    }
    guard let object = shape.object, depth < 3 else { return shape.object == nil }
    let index = PropertyIndex(object)
    for name in object.required {
      let schemas = self.schemas(of: name, object, index)
      let inner = try shapes(allOf: schemas)
      var hasValue = false
      for shape in inner where !hasValue {
        hasValue = try !isPlainlyEmpty(shape, depth: depth + 1)
      }
      if !hasValue { return true }
    }
    return false
  }

  private mutating func conditionShapes(_ schema: Int) throws(GrammarError) -> [SchemaShape] {
    let entry = document.entries[schema].value
    guard entry["then"] != nil || entry["else"] != nil else { return [.anything] }
    let condition = try child(schema, "if")
    var holds = try shapes(condition)
    if entry["then"] != nil {
      holds = try Self.product(holds, try shapes(try child(schema, "then")))
    }
    var fails = try shapes(SchemaReference(schema: condition.schema, isNegated: true))
    if entry["else"] != nil {
      fails = try Self.product(fails, try shapes(try child(schema, "else")))
    }
    return holds + fails
  }
}
