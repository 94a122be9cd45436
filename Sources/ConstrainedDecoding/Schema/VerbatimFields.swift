internal import Tokenization

extension Grammar {
  /// Reads a JSON Schema in which some fields are held to spans of a source text.
  ///
  /// - Parameters:
  ///   - jsonSchema: The schema as JSON text.
  ///   - source: The text that verbatim strings are copied from.
  ///   - sources: Further such texts by the names that the schema uses.
  ///   - verbatim: Fields that count as marked `"x-verbatim": true`, by path: `name`,
  ///     `sender.name`, `items.code` for a field of the elements of an array.
  ///   - options: Open choices: blanks, undeclared properties, leniency.
  /// - Throws: `field` for one that is not in the schema or holds no string; else as
  ///   ``init(jsonSchema:source:sources:options:)``.
  public init(
    jsonSchema: String, source: String?, sources: [String: String] = [:], verbatim: [String],
    options: JSONSchemaOptions = JSONSchemaOptions()
  ) throws(GrammarError) {
    var schema = try Self.json(jsonSchema, options.limits)
    for path in verbatim {
      var fields = VerbatimFields(schema, limits: options.limits)
      schema = try fields.marked(path)
    }
    try self.init(jsonSchema: schema, source: source, sources: sources, options: options)
  }
}

/// Marks a field of a schema as verbatim, wherever its path leads: through arrays, references and
/// alternatives.
private struct VerbatimFields {
  private let root: OrderedJSON
  private let document: SchemaDocument
  private let limits: GrammarLimits
  private var steps = 0
  /// Whether the path was followed to its end, though to no string.
  private var foundOther = false

  init(_ root: OrderedJSON, limits: GrammarLimits) {
    self.root = root
    self.limits = limits
    document = SchemaDocument(root)
  }

  /// The whole schema with the field at `path` marked.
  mutating func marked(_ path: String) throws(GrammarError) -> OrderedJSON {
    let names = path.split(separator: ".", omittingEmptySubsequences: false)
    if let result = try mark(root, names[...], depth: 0) { return result }
    var found: [String] = []
    addFields(root, "", depth: 0, to: &found)
    let known = found.prefix(20).joined(separator: ", ")
    throw .field(
      path: path,
      reason: foundOther
        ? "is no string, so it cannot be copied from the text"
        : "is not in the schema, which has " + (known.isEmpty ? "no fields" : known))
  }

  /// `schema` with the field marked, nil where the path does not lead to a string.
  private mutating func mark(
    _ schema: OrderedJSON, _ path: ArraySlice<Substring>, depth: Int
  ) throws(GrammarError) -> OrderedJSON? {
    steps += 1
    guard steps <= limits.maximumWork / 4 else { throw .limit(.work, maximum: limits.maximumWork) }
    // Depth also ends references that lead back without consuming a name.
    guard depth <= 64 else { return nil }
    guard case .object(var members) = schema else {
      return path.isEmpty && schema == true ? ["x-verbatim": true] : nil
    }
    var isMarked = false
    for index in members.indices {
      if let value = try mark(members[index].name, members[index].value, path, depth) {
        members[index].value = value
        isMarked = true
      }
    }
    if case .string(let reference)? = schema["$ref"],
      let number = document.resolve(reference, from: 0),
      let target = try mark(document.entries[number].value, path, depth: depth + 1)
    {
      // The referenced schema stays as it is for its other uses.
      var parts = [target]
      if case .array(let others)? = schema["allOf"], !document.isDraft7 { parts = others + parts }
      members.removeAll { ["$ref", "allOf"].contains($0.name) || document.isDraft7 }
      members.append(.init("allOf", .array(parts)))
      isMarked = true
    }
    guard path.isEmpty, !isMarked else { return isMarked ? .object(members) : nil }
    guard Self.mayBeString(schema) else {
      foundOther = true
      return nil
    }
    return .object(members + [.init("x-verbatim", true)])
  }

  /// The value of one keyword with the field marked in it.
  private mutating func mark(
    _ keyword: String, _ value: OrderedJSON, _ path: ArraySlice<Substring>, _ depth: Int
  ) throws(GrammarError) -> OrderedJSON? {
    switch (keyword, value) {
    case ("items", .object), ("additionalItems", .object):
      return try mark(value, path, depth: depth + 1)
    case ("items", .array(let values)), ("prefixItems", .array(let values)),
      ("anyOf", .array(let values)), ("oneOf", .array(let values)), ("allOf", .array(let values)):
      var result = values
      var isMarked = false
      for index in values.indices {
        guard let inner = try mark(values[index], path, depth: depth + 1) else { continue }
        result[index] = inner
        isMarked = true
      }
      return isMarked ? .array(result) : nil
    case ("properties", .object(var properties)):
      // A name may itself hold dots: the longest one that is declared counts.
      for count in path.indices.reversed() {
        let name = path[...count].joined(separator: ".")
        guard
          let index = properties.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }),
          let inner = try mark(properties[index].value, path[(count + 1)...], depth: depth + 1)
        else { continue }
        properties[index].value = inner
        return .object(properties)
      }
      return nil
    default: return nil
    }
  }

  private static func mayBeString(_ schema: OrderedJSON) -> Bool {
    switch schema["type"] {
    case .string(let name)?: return name == "string"
    case .array(let names)?: return names.contains("string")
    default: break
    }
    // Without a type it is what the other keywords leave; an object or array was descended into.
    let structure = ["properties", "items", "prefixItems", "anyOf", "oneOf", "allOf", "$ref"]
    if structure.contains(where: { schema[$0] != nil }) { return false }
    let values = schema["const"].map { [$0] } ?? schema["enum"]?.arrayValue
    return values?.contains { $0.stringValue != nil } ?? true
  }

  /// Adds paths of declared properties to `found`, for a message.
  private func addFields(
    _ schema: OrderedJSON, _ prefix: String, depth: Int, to found: inout [String]
  ) {
    guard depth < 6, found.count < 20, let members = schema.objectValue else { return }
    for member in members {
      switch (member.name, member.value) {
      case ("items", let value): addFields(value, prefix, depth: depth + 1, to: &found)
      case ("anyOf", .array(let values)), ("oneOf", .array(let values)),
        ("allOf", .array(let values)):
        for value in values { addFields(value, prefix, depth: depth + 1, to: &found) }
      case ("$ref", .string(let reference)):
        guard let number = document.resolve(reference, from: 0) else { continue }
        addFields(document.entries[number].value, prefix, depth: depth + 1, to: &found)
      case ("properties", .object(let properties)):
        for property in properties {
          found.append(prefix + property.name)
          addFields(property.value, prefix + property.name + ".", depth: depth + 1, to: &found)
        }
      default: break
      }
    }
  }
}
