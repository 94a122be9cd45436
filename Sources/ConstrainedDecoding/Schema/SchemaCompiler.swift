extension Grammar {
  /// Reads a JSON Schema, draft 2020-12 or with the spellings of draft 7.
  ///
  /// Every keyword is enforced exactly or refused by name; annotations are ignored. Properties come
  /// in the order of the schema; undeclared ones may stand between them where they are allowed, and
  /// their keys may repeat. `"x-verbatim": true` holds a string to spans of `source`, and a name in
  /// place of `true` to spans of that text among the options.
  /// - Parameters:
  ///   - jsonSchema: The schema as JSON text.
  ///   - source: The text that verbatim strings are copied from.
  ///   - options: Open choices: blanks, undeclared properties, leniency.
  /// - Throws: What is wrong or cannot be enforced, with JSON pointer and keyword.
  public init(
    jsonSchema: String, source: String? = nil, options: JSONSchemaOptions = JSONSchemaOptions()
  ) throws(GrammarError) {
    let value = try JSONReader.read(
      jsonSchema, maximumNesting: options.limits.maximumNesting)
    try self.init(jsonSchema: value, source: source, options: options)
  }

  /// Reads a JSON Schema that was read as JSON already.
  package init(
    jsonSchema: JSONValue, source: String? = nil,
    options: JSONSchemaOptions = JSONSchemaOptions()
  ) throws(GrammarError) {
    var compiler = SchemaCompiler(jsonSchema, source: source, options)
    self = try compiler.grammar()
  }
}

/// Turns a schema into expressions: one rule for each set of schemas that hold at one place.
struct SchemaCompiler {
  var document: SchemaDocument
  let options: JSONSchemaOptions
  var pool: ExpressionPool
  let source: String?
  var dropped: [String] = []
  private var rules: [[SchemaReference]: Int] = [:]
  private var pending: [[SchemaReference]] = []
  private var shapesOf: [SchemaReference: [SchemaShape]] = [:]
  /// Schemas being read at this place, to find references that only lead back.
  private var open: Set<SchemaReference> = []
  /// Most shapes of one schema.
  private static let mostShapes = 1024
  private static let deepestReference = 200

  init(_ value: JSONValue, source: String?, _ options: JSONSchemaOptions) {
    document = SchemaDocument(value)
    self.options = options
    self.source = source
    pool = ExpressionPool(limits: options.limits)
  }

  mutating func grammar() throws(GrammarError) -> Grammar {
    let root = SchemaReference(schema: 0)
    let start = rule([root])
    while let next = pending.popLast() {
      guard let number = rules[next] else { continue }
      pool.ruleBodies[number] = try body(next)
      try pool.checkLimits()
    }
    if pool.ruleBodies[rules[[root]] ?? 0] == .never {
      throw .unsatisfiable(pointer: "", reason: "no value satisfies the schema")
    }
    return Grammar(pool: pool, root: start, dropped: dropped)
  }

  /// The text of values that satisfy all of `schemas`.
  mutating func rule(_ schemas: [SchemaReference]) -> Expression {
    // The schema `true` says nothing; leaving it out lets equal places share a rule.
    let key = schemas.filter { reference in
      reference.isNegated || document.entries[reference.schema].value != .boolean(true)
    }
    if let known = rules[key] { return pool.call(known) }
    let number = pool.newRule()
    rules[key] = number
    pending.append(key)
    return pool.call(number)
  }

  private mutating func body(_ schemas: [SchemaReference]) throws(GrammarError) -> Expression {
    let shapes = try self.shapes(allOf: schemas)
    var parts: [Expression] = []
    let pointer = schemas.first.map { document.entries[$0.schema].pointer } ?? ""
    for shape in shapes { parts.append(try text(of: shape, pointer)) }
    return pool.union(parts)
  }

  // MARK: Shapes

  /// The shapes of values that satisfy all of `schemas`.
  mutating func shapes(allOf schemas: [SchemaReference]) throws(GrammarError) -> [SchemaShape] {
    var result = [SchemaShape.anything]
    for schema in schemas { result = try product(result, try shapes(schema)) }
    return result
  }

  func product(_ a: [SchemaShape], _ b: [SchemaShape]) throws(GrammarError) -> [SchemaShape] {
    guard a.count * b.count <= Self.mostShapes else {
      throw .limit(.items, maximum: Self.mostShapes)
    }
    var result: [SchemaShape] = []
    for x in a {
      for y in b {
        let both = x.intersection(y)
        if !both.isEmpty { result.append(both) }
      }
    }
    return result
  }

  /// The shapes of one schema, or of its negation.
  mutating func shapes(_ reference: SchemaReference) throws(GrammarError) -> [SchemaShape] {
    if let known = shapesOf[reference] { return known }
    let entry = document.entries[reference.schema]
    guard open.insert(reference).inserted else {
      throw .invalidSchema(
        pointer: entry.pointer, keyword: "$ref", reason: "the reference only leads back to itself")
    }
    guard open.count <= Self.deepestReference else {
      throw .limit(.nesting, maximum: Self.deepestReference)
    }
    let result: [SchemaShape]
    switch entry.value {
    case .boolean(let allows): result = allows != reference.isNegated ? [.anything] : []
    case .object(let pairs):
      if reference.isNegated {
        result = withoutEvaluation(try negatedShapes(pairs, reference.schema))
      } else {
        result = try positiveShapes(pairs, reference.schema)
      }
    default:
      throw .invalidSchema(
        pointer: entry.pointer, keyword: "",
        reason: "a schema is an object or a boolean, not \(entry.value.kindName)")
    }
    open.remove(reference)
    shapesOf[reference] = result
    return result
  }

  /// What a failing schema says about keys and elements does not count as evaluating them.
  private func withoutEvaluation(_ shapes: [SchemaShape]) -> [SchemaShape] {
    var shapes = shapes
    for index in shapes.indices {
      shapes[index].array?.isFromNegation = true
      guard let sources = shapes[index].object?.sources else { continue }
      for place in sources.indices { shapes[index].object?.sources[place].evaluates = false }
    }
    return shapes
  }

  private mutating func positiveShapes(
    _ pairs: [(key: String, value: JSONValue)], _ schema: Int
  ) throws(GrammarError) -> [SchemaShape] {
    let entry = document.entries[schema]
    if document.isDraft7, let target = entry.value["$ref"] {
      // Draft 7 ignores what stands beside a reference.
      return try shapes(SchemaReference(schema: try resolve(target, schema)))
    }
    var result = [SchemaShape.anything]
    for (key, value) in pairs where !Self.annotations.contains(key) && !key.hasPrefix("x-") {
      do throws(GrammarError) {
        guard let factor = try keywordShapes(key, value, schema) else { continue }
        result = try product(result, factor)
      } catch {
        guard options.isLenient, case .unsupported(let pointer, let keyword, let reason) = error
        else { throw error }
        dropped.append("\(pointer): \(keyword): \(reason)")
      }
    }
    if let value = entry.value["x-verbatim"] {
      result = try product(result, [try verbatimShape(value, schema)])
    }
    if case .boolean(true)? = entry.value["nullable"] {
      var null = SchemaShape.nothing
      null.allowsNull = true
      result.append(null)
    }
    result = try close(result, entry.value, schema)
    return result
  }

  static let annotations: Set<String> = [
    "title", "description", "default", "examples", "example", "$comment", "deprecated", "readOnly",
    "writeOnly", "$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs",
    "definitions", "contentMediaType", "contentEncoding", "contentSchema", "nullable",
    // Read together with the keyword they belong to.
    "then", "else", "minContains", "maxContains", "unevaluatedProperties", "unevaluatedItems",
  ]

  func resolve(_ value: JSONValue, _ schema: Int) throws(GrammarError) -> Int {
    let pointer = document.entries[schema].pointer
    guard case .string(let text) = value else {
      throw .invalidSchema(pointer: pointer, keyword: "$ref", reason: "must be a string")
    }
    guard let target = document.resolve(text, from: schema) else {
      throw .invalidSchema(
        pointer: pointer, keyword: "$ref", reason: "\"\(text)\" leads to no schema of this document"
      )
    }
    return target
  }

  /// The schema below `schema` at `path`.
  func child(_ schema: Int, _ path: String...) throws(GrammarError) -> SchemaReference {
    let pointer =
      document.entries[schema].pointer
      + path.map { "/" + SchemaDocument.escape($0) }.joined()
    guard let number = document.number(at: pointer) else {
      throw .invalidSchema(pointer: pointer, keyword: path.last ?? "", reason: "is missing")
    }
    return SchemaReference(schema: number)
  }

  /// The schemas of a list-valued keyword.
  func children(
    _ schema: Int, _ key: String, _ value: JSONValue
  ) throws(GrammarError) -> [SchemaReference] {
    guard case .array(let values) = value else {
      throw invalid(schema, key, "must be an array of schemas")
    }
    var result: [SchemaReference] = []
    for index in values.indices { result.append(try child(schema, key, String(index))) }
    return result
  }

  func invalid(_ schema: Int, _ key: String, _ reason: String) -> GrammarError {
    .invalidSchema(pointer: document.entries[schema].pointer, keyword: key, reason: reason)
  }

  func unsupported(_ schema: Int, _ key: String, _ reason: String) -> GrammarError {
    .unsupported(pointer: document.entries[schema].pointer, keyword: key, reason: reason)
  }

  func count(_ value: JSONValue, _ schema: Int, _ key: String) throws(GrammarError) -> Int {
    guard case .number(let text) = value, let count = DecimalNumber(text)?.count else {
      throw invalid(schema, key, "must be a whole number that is not negative")
    }
    return count
  }

  func number(
    _ value: JSONValue, _ schema: Int, _ key: String
  ) throws(GrammarError) -> DecimalNumber {
    guard case .number(let text) = value else { throw invalid(schema, key, "must be a number") }
    guard let number = DecimalNumber(text) else {
      throw unsupported(schema, key, "the number has too many digits")
    }
    return number
  }
}
