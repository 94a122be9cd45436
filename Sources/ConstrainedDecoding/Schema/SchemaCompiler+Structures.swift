internal import Tokenization

// Keywords of arrays and objects.
extension SchemaCompiler {
  /// Most properties of one object.
  private static let mostProperties = 4096

  mutating func arrayShapes(
    _ key: String, _ value: OrderedJSON, _ schema: Int
  ) throws(GrammarError) -> [SchemaShape]? {
    var shape = SchemaShape.anything
    var array = ArrayShape()
    let entry = document.entries[schema].value
    switch key {
    case "minItems": array.minItems = try count(value, schema, key)
    case "maxItems": array.maxItems = try count(value, schema, key)
    case "uniqueItems":
      guard case .bool(let isUnique) = value else {
        throw invalid(schema, key, "must be a boolean")
      }
      array.isUnique = isUnique
    case "contains":
      let least = try entry["minContains"].map { value throws(GrammarError) in
        try count(value, schema, "minContains")
      }
      let most = try entry["maxContains"].map { value throws(GrammarError) in
        try count(value, schema, "maxContains")
      }
      let contains = ArrayShape.Contains(
        schema: try child(schema, key), minimum: least ?? 1, maximum: most)
      if let most, most < contains.minimum { return [withoutArrays()] }
      array.contains = [contains]
    case "prefixItems":
      array.prefix = try children(schema, key, value).map { [$0] }
      if entry["items"] != nil { array.items = [try child(schema, "items")] }
    case "additionalItems":
      return nil
    default:
      if case .array = value {
        // Draft 7 wrote tuples as a list under `items`.
        array.prefix = try children(schema, key, value).map { [$0] }
        if entry["additionalItems"] != nil { array.items = [try child(schema, "additionalItems")] }
      } else {
        if entry["prefixItems"] != nil { return nil }
        array.items = [try child(schema, key)]
      }
    }
    shape.array = array
    return [shape]
  }

  private func withoutArrays() -> SchemaShape {
    var shape = SchemaShape.anything
    shape.array = nil
    return shape
  }

  mutating func objectShapes(
    _ key: String, _ value: OrderedJSON, _ schema: Int
  ) throws(GrammarError) -> [SchemaShape]? {
    var shape = SchemaShape.anything
    var object = ObjectShape()
    switch key {
    case "minProperties":
      object.minProperties = try count(value, schema, key)
      object.minPropertiesSchema = schema
    case "maxProperties": object.maxProperties = try count(value, schema, key)
    case "propertyNames": object.names = [try child(schema, key)]
    case "required": object.required = try names(value, schema, key)
    case "dependentRequired", "dependentSchemas", "dependencies":
      return try dependencyShapes(key, value, schema)
    default:
      let entry = document.entries[schema].value
      // The three keywords are one statement, made by the first of them.
      let family = ["properties", "patternProperties", "additionalProperties"]
      guard family.first(where: { entry[$0] != nil }) == key else { return nil }
      object.sources = [try propertySource(entry, schema)]
    }
    shape.object = object
    return [shape]
  }

  func names(
    _ value: OrderedJSON, _ schema: Int, _ key: String
  ) throws(GrammarError) -> [ExactString] {
    // Draft 3 wrote `required` as a flag on the property: not a list, so not accepted.
    guard case .array(let values) = value else { throw invalid(schema, key, "must be an array") }
    var result: [ExactString] = []
    for each in values {
      guard case .string(let name) = each else { throw invalid(schema, key, "must hold strings") }
      result.append(ExactString(name))
    }
    return result.unique
  }

  mutating func propertySource(
    _ entry: OrderedJSON, _ schema: Int
  ) throws(GrammarError) -> ObjectShape.Source {
    var source = ObjectShape.Source()
    if let value = entry["properties"] {
      guard case .object(let members) = value else {
        throw invalid(schema, "properties", "must be an object")
      }
      source.declares = true
      guard members.count <= Self.mostProperties else {
        throw .limit(.items, maximum: Self.mostProperties)
      }
      let list = try child(schema, "properties").schema
      let first = document.entries[list].firstChild
      for (index, member) in members.enumerated() {
        source.properties.append((ExactString(member.name), SchemaReference(schema: first + index)))
      }
    }
    if let value = entry["patternProperties"] {
      guard case .object(let members) = value else {
        throw invalid(schema, "patternProperties", "must be an object")
      }
      for (index, member) in members.enumerated() {
        let language = try pattern(member.name, schema, "patternProperties")
        source.patterns.append((language, try child(schema, "patternProperties", at: index)))
      }
    }
    if entry["additionalProperties"] != nil {
      source.additional = [try child(schema, "additionalProperties")]
    }
    return source
  }

  /// Each dependency either does not come up, because its property is absent, or is met.
  private mutating func dependencyShapes(
    _ key: String, _ value: OrderedJSON, _ schema: Int
  ) throws(GrammarError) -> [SchemaShape] {
    guard case .object(let members) = value else {
      throw invalid(schema, key, "must be an object")
    }
    var result = [SchemaShape.anything]
    for (index, member) in members.enumerated() {
      let name = ExactString(member.name)
      var absent = SchemaShape.anything
      absent.object = ObjectShape(forbidden: [name])
      var present = SchemaShape.nothing
      present.object = ObjectShape(required: [name])
      var met = [present]
      if case .array = member.value {
        present.object?.required += try names(member.value, schema, key).filter { $0 != name }
        met = [present]
      } else {
        met = try Self.product(met, try shapes(try child(schema, key, at: index)))
      }
      result = try Self.product(result, [absent] + met)
    }
    return result
  }

  /// Applies `unevaluatedItems` and `unevaluatedProperties` to what the other keywords left open.
  ///
  /// Of several alternatives that hold together only one counts as having evaluated anything, which
  /// may refuse values that the specification allows but never the other way round.
  mutating func close(
    _ shapes: [SchemaShape], _ entry: OrderedJSON, _ schema: Int
  ) throws(GrammarError) -> [SchemaShape] {
    var shapes = shapes
    if entry["unevaluatedProperties"] != nil {
      let rest = try child(schema, "unevaluatedProperties")
      for index in shapes.indices {
        guard let object = shapes[index].object,
          !object.sources.contains(where: { $0.evaluates && $0.additional != nil })
        else { continue }
        var source = ObjectShape.Source(additional: [rest])
        let everything = trueSchema()
        for each in object.sources where each.evaluates {
          source.properties += each.properties.map { ($0.name, everything) }
          source.patterns += each.patterns.map { ($0.language, everything) }
        }
        shapes[index].object?.sources.append(source)
      }
    }
    if entry["unevaluatedItems"] != nil {
      let rest = try child(schema, "unevaluatedItems")
      for index in shapes.indices {
        guard var array = shapes[index].array, array.items.isEmpty else { continue }
        guard array.contains.isEmpty && !array.isFromNegation else {
          throw unsupported(schema, "unevaluatedItems", "it stands beside contains or not")
        }
        array.items = [rest]
        shapes[index].array = array
      }
    }
    return shapes
  }

  /// What the property `name` must satisfy in an object of this shape.
  mutating func schemas(
    of name: ExactString, _ object: ObjectShape, _ index: PropertyIndex
  ) -> [SchemaReference] {
    if index.forbidden.contains(name) { return [falseSchema()] }
    var result: [SchemaReference] = []
    for (number, source) in object.sources.enumerated() {
      var own = index.schemas(of: name, inSource: number)
      for pattern in source.patterns where matches(pattern.language, name) {
        own.append(pattern.schema)
      }
      result += own.isEmpty ? source.additional ?? [] : own
    }
    return ArrayShape.joined(result, [])
  }

  /// Whether a property name is in a language of JSON string texts.
  func matches(_ language: Expression, _ name: ExactString) -> Bool {
    questions.matches(language, JSONSpelling.escaped(name.text), pool)
  }
}
