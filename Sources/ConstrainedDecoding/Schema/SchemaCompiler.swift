package import Tokenization

extension Grammar {
  /// Reads a JSON Schema, draft 2020-12 or with the spellings of draft 7.
  ///
  /// Every keyword is enforced exactly or refused by name; annotations are ignored, words with `x-`
  /// among them unless they look like a misspelt `x-verbatim`. Properties come
  /// in the order of the schema; undeclared ones may stand between them where they are allowed, and
  /// their keys may repeat. `"x-verbatim": true` holds a string to spans of `source`,
  /// `"words"` to spans of whole words, and any other text to spans of the source of that name.
  ///
  /// - Parameters:
  ///   - jsonSchema: The schema as JSON text.
  ///   - source: The text that verbatim strings are copied from.
  ///   - sources: Further such texts by the names that the schema uses, `words` not among them.
  ///   - options: Open choices: blanks, undeclared properties, leniency.
  /// - Throws: What is wrong or cannot be enforced, with JSON pointer and keyword.
  public init(
    jsonSchema: String, source: String? = nil, sources: [String: String] = [:],
    options: JSONSchemaOptions = JSONSchemaOptions()
  ) throws(GrammarError) {
    try self.init(
      jsonSchema: try Self.json(jsonSchema, options.limits), source: source, sources: sources,
      options: options)
  }

  /// Reads the text of a schema.
  static func json(
    _ text: String, _ limits: GrammarLimits
  ) throws(GrammarError) -> OrderedJSON {
    do throws(OrderedJSON.ParseError) {
      return try OrderedJSON(parsing: text, maximumDepth: limits.maximumNesting)
    } catch {
      if error.reason == .tooDeep { throw .limit(.nesting, maximum: limits.maximumNesting) }
      let place = error.place(in: text)
      throw .syntax(
        line: place.line, column: place.column, reason: "JSON: \(error.reason.rawValue)")
    }
  }

  /// Reads a JSON Schema that was read as JSON already.
  package init(
    jsonSchema: OrderedJSON, source: String? = nil, sources: [String: String] = [:],
    options: JSONSchemaOptions = JSONSchemaOptions()
  ) throws(GrammarError) {
    guard sources["words"] == nil else {
      throw .invalidSchema(
        pointer: "", keyword: "x-verbatim",
        reason: "\"words\" stands for spans of whole words; give the source text another name")
    }
    var compiler = SchemaCompiler(jsonSchema, source: source, sources: sources, options)
    self = try compiler.grammar()
  }
}

/// Turns a schema into expressions: one rule for each set of schemas that hold at one place.
struct SchemaCompiler {
  var document: SchemaDocument
  let options: JSONSchemaOptions
  var pool: ExpressionPool
  /// The texts that strings are copied from: the one without a name, and the others.
  let source: String?
  let sources: [String: String]
  var dropped: [String] = []
  /// Rules by the one schema that holds, and by several.
  private var ruleOfSchema = ReferenceTable<Int>()
  private var rules: [[SchemaReference]: Int] = [:]
  private var pending: [(schemas: [SchemaReference], rule: Int)] = []
  private var places: [Grammar.Place] = []
  /// Why the values of the place being compiled contradict themselves, where that is plain.
  var contradiction: String?
  private var shapesOf = ReferenceTable<[SchemaShape]>()
  let questions = LanguageQuestions()
  /// Schemas being read at this place, to find references that only lead back.
  private var open: [SchemaReference] = []
  /// Most shapes of one schema.
  private static let mostShapes = 1024
  private static let deepestReference = 200

  init(
    _ value: OrderedJSON, source: String?, sources: [String: String], _ options: JSONSchemaOptions
  ) {
    document = SchemaDocument(value)
    self.options = options
    self.source = source
    self.sources = sources
    pool = ExpressionPool(limits: options.limits)
  }

  mutating func grammar() throws(GrammarError) -> Grammar {
    let start = try expression()
    return Grammar(pool: pool, root: start, dropped: dropped, places: places)
  }

  /// The texts of the document's values, in the pool that the compiler was given.
  mutating func expression() throws(GrammarError) -> Expression {
    let number = pool.ruleBodies.count
    let start = rule([SchemaReference(schema: 0)])
    var contradictionOfRoot: String?
    while let next = pending.popLast() {
      contradiction = nil
      pool.ruleBodies[next.rule] = try body(next.schemas)
      if let place = place(of: next.schemas, next.rule) { places.append(place) }
      if next.rule == number { contradictionOfRoot = contradiction }
      try pool.checkLimits()
    }
    // The first new rule is that of the whole document.
    if pool.ruleBodies[number] == .never {
      throw .unsatisfiable(
        pointer: "", reason: contradictionOfRoot ?? "no value satisfies the schema")
    }
    return start
  }

  private func place(of schemas: [SchemaReference], _ rule: Int) -> Grammar.Place? {
    guard let first = schemas.first else { return nil }
    let isVerbatim = schemas.contains { reference in
      let mark = document.entries[reference.schema].value["x-verbatim"]
      return mark != nil && mark != false
    }
    return Grammar.Place(
      rule: rule, pointer: document.pointer(first.schema), isVerbatim: isVerbatim,
      contradiction: contradiction)
  }

  /// The text of values that satisfy all of `schemas`.
  mutating func rule(_ schemas: [SchemaReference]) -> Expression {
    // The schema `true` says nothing; leaving it out lets equal places share a rule.
    let key = schemas.filter { reference in
      reference.isNegated || document.entries[reference.schema].value != true
    }
    let known = key.count == 1 ? ruleOfSchema[key[0]] : rules[key]
    if let known { return pool.call(known) }
    let number = pool.newRule()
    if key.count == 1 { ruleOfSchema[key[0]] = number } else { rules[key] = number }
    pending.append((key, number))
    return pool.call(number)
  }

  private mutating func body(_ schemas: [SchemaReference]) throws(GrammarError) -> Expression {
    let shapes = try self.shapes(allOf: schemas)
    if schemas.count > 1 { try checkMarks(of: schemas, on: shapes) }
    var parts: [Expression] = []
    let pointer = schemas.first.map { document.pointer($0.schema) } ?? ""
    for shape in shapes { parts.append(try text(of: shape, pointer)) }
    return pool.union(parts)
  }

  // MARK: Shapes

  /// The shapes of values that satisfy all of `schemas`.
  mutating func shapes(allOf schemas: [SchemaReference]) throws(GrammarError) -> [SchemaShape] {
    var result = [SchemaShape.anything]
    for schema in schemas { result = try Self.product(result, try shapes(schema)) }
    return result
  }

  /// The shapes of values that have one of either list.
  ///
  /// Static, so that no copy of the compiler's tables is held while an argument adds to them.
  static func product(_ a: [SchemaShape], _ b: [SchemaShape]) throws(GrammarError) -> [SchemaShape]
  {
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
    guard !open.contains(reference) else {
      throw invalid(reference.schema, "$ref", "the reference only leads back to itself")
    }
    open.append(reference)
    // Also after an error, which a lenient reading survives.
    defer { open.removeLast() }
    guard open.count <= Self.deepestReference else {
      throw .limit(.nesting, maximum: Self.deepestReference)
    }
    let result: [SchemaShape]
    switch entry.value {
    case .bool(let allows): result = allows != reference.isNegated ? [.anything] : []
    case .object(let members):
      if reference.isNegated {
        result = withoutEvaluation(try negatedShapes(members, reference.schema))
      } else {
        result = try positiveShapes(members, reference.schema)
      }
    default:
      throw invalid(
        reference.schema, "", "a schema is an object or a boolean, not \(entry.value.kindName)")
    }
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
    _ members: [OrderedJSON.Member], _ schema: Int
  ) throws(GrammarError) -> [SchemaShape] {
    let entry = document.entries[schema]
    if document.isDraft7, let target = entry.value["$ref"] {
      for member in members { try checkSpelling(of: member.name, schema) }
      // Draft 7 ignores what stands beside a reference; whoever marks a string does not expect that.
      if let mark = entry.value["x-verbatim"], mark != false {
        throw invalid(
          schema, "x-verbatim",
          "draft 7 ignores what stands beside \"$ref\"; write it where the reference leads")
      }
      return try shapes(SchemaReference(schema: try resolve(target, schema)))
    }
    var result = [SchemaShape.anything]
    for member in members {
      do throws(GrammarError) {
        if Self.isAnnotation(member.name) {
          try checkSpelling(of: member.name, schema)
          continue
        }
        guard let factor = try keywordShapes(member.name, member.value, schema) else { continue }
        result = try Self.product(result, factor)
      } catch {
        try drop(error)
      }
    }
    try checkMarks(of: [SchemaReference(schema: schema)], on: result)
    if let value = entry.value["x-verbatim"] {
      result = try Self.product(result, [try verbatimShape(value, schema)])
    }
    if entry.value["nullable"] == true {
      var null = SchemaShape.nothing
      null.allowsNull = true
      result.append(null)
    }
    do throws(GrammarError) {
      result = try close(result, entry.value, schema)
    } catch {
      try drop(error)
    }
    return result
  }

  /// Goes on without what cannot be enforced, where that is allowed.
  mutating func drop(_ error: GrammarError) throws(GrammarError) {
    guard options.isLenient, case .unsupported = error else { throw error }
    dropped.append(error.droppedDescription)
  }

  static func isAnnotation(_ key: String) -> Bool {
    annotations.contains(key) || key.hasPrefix("x-")
  }

  private static let annotations: Set<String> = [
    "title", "description", "default", "examples", "example", "$comment", "deprecated", "readOnly",
    "writeOnly", "$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs",
    "definitions", "contentMediaType", "contentEncoding", "contentSchema", "nullable",
    // Read together with the keyword they belong to.
    "then", "else", "minContains", "maxContains", "unevaluatedProperties", "unevaluatedItems",
  ]

  func resolve(_ value: OrderedJSON, _ schema: Int) throws(GrammarError) -> Int {
    guard case .string(let text) = value else {
      throw invalid(schema, "$ref", "must be a string")
    }
    guard let target = document.resolve(text, from: schema) else {
      throw invalid(schema, "$ref", "\"\(text)\" leads to no schema of this document")
    }
    return target
  }

  /// The schema that is the value of a keyword.
  func child(_ schema: Int, _ key: String) throws(GrammarError) -> SchemaReference {
    guard let number = document.child(schema, key) else { throw invalid(schema, key, "is missing") }
    return SchemaReference(schema: number)
  }

  /// The schema at one place in the value of a keyword.
  func child(_ schema: Int, _ key: String, at index: Int) throws(GrammarError) -> SchemaReference {
    let list = try child(schema, key).schema
    return SchemaReference(schema: document.entries[list].firstChild + index)
  }

  /// The schemas of a list-valued keyword.
  func children(
    _ schema: Int, _ key: String, _ value: OrderedJSON
  ) throws(GrammarError) -> [SchemaReference] {
    guard case .array(let values) = value else {
      throw invalid(schema, key, "must be an array of schemas")
    }
    let list = try child(schema, key).schema
    let first = document.entries[list].firstChild
    return values.indices.map { SchemaReference(schema: first + $0) }
  }

  func invalid(_ schema: Int, _ key: String, _ reason: String) -> GrammarError {
    .invalidSchema(pointer: document.pointer(schema), keyword: key, reason: reason)
  }

  func unsupported(_ schema: Int, _ key: String, _ reason: String) -> GrammarError {
    .unsupported(pointer: document.pointer(schema), keyword: key, reason: reason)
  }

  func count(_ value: OrderedJSON, _ schema: Int, _ key: String) throws(GrammarError) -> Int {
    guard let number = DecimalNumber(value), number.isInteger, !number.isNegative else {
      throw invalid(schema, key, "must be a whole number that is not negative")
    }
    guard let count = number.count else {
      throw invalid(schema, key, "too large (at most \(DecimalNumber.largestCount))")
    }
    return count
  }

  func number(
    _ value: OrderedJSON, _ schema: Int, _ key: String
  ) throws(GrammarError) -> DecimalNumber {
    guard value.doubleValue != nil else { throw invalid(schema, key, "must be a number") }
    guard let number = DecimalNumber(value) else {
      throw unsupported(schema, key, "the number has too many digits")
    }
    return number
  }
}

extension OrderedJSON {
  /// What kind of value it is, for messages.
  fileprivate var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .int, .double, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
