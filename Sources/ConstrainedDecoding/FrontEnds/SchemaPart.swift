/// JSON of a JSON Schema as a part of a larger grammar, as the arguments in a call of a tool.
public struct SchemaPart: Sendable, Hashable {
  /// The schema as JSON text.
  public var jsonSchema: String
  /// The text that verbatim strings are copied from.
  public var source: String?
  /// Further such texts by the names that the schema uses.
  public var sources: [String: String]
  /// Open choices; the limits are those of the whole grammar.
  public var options: JSONSchemaOptions

  /// A part that is JSON.
  public init(
    jsonSchema: String, source: String? = nil, sources: [String: String] = [:],
    options: JSONSchemaOptions = JSONSchemaOptions()
  ) {
    self.jsonSchema = jsonSchema
    self.source = source
    self.sources = sources
    self.options = options
  }

  /// The values of the schema, added to a pool.
  func expression(in pool: inout ExpressionPool) throws(GrammarError) -> Expression {
    var compiler = SchemaCompiler(
      try Grammar.json(jsonSchema, pool.limits), source: source, sources: sources, options)
    compiler.pool = pool
    let expression = try compiler.expression()
    pool = compiler.pool
    return expression
  }
}
