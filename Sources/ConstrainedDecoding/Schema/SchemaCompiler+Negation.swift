internal import Tokenization

// Values that do not satisfy a schema: any one of its keywords fails.
extension SchemaCompiler {
  mutating func negatedShapes(
    _ members: [OrderedJSON.Member], _ schema: Int
  ) throws(GrammarError) -> [SchemaShape] {
    let entry = document.entries[schema].value
    for key in ["nullable", "unevaluatedProperties", "unevaluatedItems", "x-verbatim"]
    where entry[key] != nil {
      throw unsupported(schema, key, "it stands in a schema that must not hold")
    }
    for member in members { try checkSpelling(of: member.name, schema) }
    var result: [SchemaShape] = []
    for member in members where !Self.isAnnotation(member.name) {
      if document.isDraft7 && entry["$ref"] != nil && member.name != "$ref" { continue }
      result += try negatedKeyword(member.name, member.value, schema)
    }
    return result
  }

  private mutating func negatedKeyword(
    _ key: String, _ value: OrderedJSON, _ schema: Int
  ) throws(GrammarError) -> [SchemaShape] {
    switch key {
    case "type", "const", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
      "multipleOf", "minLength", "maxLength", "pattern", "format":
      guard let shapes = try keywordShapes(key, value, schema) else { return [] }
      var result = [SchemaShape.anything]
      for shape in shapes {
        guard let complement = complement(shape) else {
          throw unsupported(schema, key, "an array or object must differ from a listed one")
        }
        result = try Self.product(result, complement)
      }
      return result
    case "required":
      return try names(value, schema, key).map { name in
        var shape = SchemaShape.nothing
        shape.object = ObjectShape(forbidden: [name])
        return shape
      }
    case "properties": return try negatedProperties(value, schema)
    case "minItems":
      let least = try count(value, schema, key)
      guard least > 0 else { return [] }
      var shape = SchemaShape.nothing
      shape.array = ArrayShape(maxItems: least - 1)
      return [shape]
    case "maxItems":
      var shape = SchemaShape.nothing
      shape.array = ArrayShape(minItems: try count(value, schema, key) + 1)
      return [shape]
    case "items":
      let entry = document.entries[schema].value
      guard case .object = value, entry["prefixItems"] == nil else {
        throw unsupported(schema, key, "a tuple must not hold")
      }
      return [arrayHolding(negated(try child(schema, key)), minimum: 1, maximum: nil)]
    case "contains":
      let entry = document.entries[schema].value
      guard entry["minContains"] == nil, entry["maxContains"] == nil else {
        throw unsupported(schema, key, "counts must not hold")
      }
      var shape = SchemaShape.nothing
      shape.array = ArrayShape(items: [negated(try child(schema, key))])
      return [shape]
    case "allOf":
      var result: [SchemaShape] = []
      for each in try children(schema, key, value) { result += try shapes(negated(each)) }
      return result
    case "anyOf": return try shapes(allOf: try children(schema, key, value).map(negated))
    case "not": return try shapes(try child(schema, key))
    case "$ref":
      return try shapes(
        SchemaReference(schema: try resolve(value, schema), isNegated: true))
    default: throw unsupported(schema, key, "it stands in a schema that must not hold")
    }
  }

  private func negated(_ reference: SchemaReference) -> SchemaReference {
    SchemaReference(schema: reference.schema, isNegated: !reference.isNegated)
  }

  private func arrayHolding(
    _ schema: SchemaReference, minimum: Int, maximum: Int?
  ) -> SchemaShape {
    var shape = SchemaShape.nothing
    shape.array = ArrayShape(contains: [
      ArrayShape.Contains(schema: schema, minimum: minimum, maximum: maximum)
    ])
    return shape
  }

  private mutating func negatedProperties(
    _ value: OrderedJSON, _ schema: Int
  ) throws(GrammarError) -> [SchemaShape] {
    guard case .object(let members) = value else {
      throw invalid(schema, "properties", "must be an object")
    }
    var result: [SchemaShape] = []
    for (index, name) in members.map(\.name).enumerated() {
      let inner = negated(try child(schema, "properties", at: index))
      var source = ObjectShape.Source()
      source.properties = [(ExactString(name), inner)]
      var shape = SchemaShape.nothing
      shape.object = ObjectShape(sources: [source], required: [ExactString(name)])
      result.append(shape)
    }
    return result
  }

  /// The values outside a shape made of scalar conditions; nil if arrays or objects are restricted.
  private mutating func complement(_ shape: SchemaShape) -> [SchemaShape]? {
    var result = SchemaShape.nothing
    result.allowsNull = !shape.allowsNull
    result.allowsTrue = !shape.allowsTrue
    result.allowsFalse = !shape.allowsFalse
    if let number = shape.number {
      if number.isInteger || !number.isFree {
        result.number = NumberShape(excluded: [decimals(number)])
      }
    } else {
      result.number = NumberShape()
    }
    if let string = shape.string {
      if string.minLength > 0 || string.maxLength != nil || !string.conditions.isEmpty {
        let texts = plainTexts(string)
        result.string = StringShape(conditions: [pool.difference(pool.plainJSONText, texts)])
      }
    } else {
      result.string = StringShape()
    }
    if let array = shape.array {
      guard array.prefix.isEmpty && array.minItems == 0 && array.maxItems == nil else { return nil }
    } else {
      result.array = ArrayShape()
    }
    if let object = shape.object {
      guard object.sources.isEmpty else { return nil }
    } else {
      result.object = ObjectShape()
    }
    return [result]
  }
}
