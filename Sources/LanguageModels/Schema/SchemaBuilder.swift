/// Puts a schema together: asks types for theirs, applies guides, and gathers all named nodes.
struct SchemaBuilder {
  /// What references lead to.
  private(set) var definitions: [String: SchemaNode] = [:]
  /// Names that are given twice or not at all, the first one first.
  private(set) var errors: [GenerationSchema.SchemaError] = []
  /// Guides that do not fit: where and why, the first one first.
  private(set) var problems: [(path: [String], reason: String)] = []

  private var nameOfType: [ObjectIdentifier: String] = [:]
  private var references: [(name: String, schema: String?)] = []
  /// The properties on the way from the root to the node at work.
  private var path: [String] = []
  /// Named nodes around the node at work.
  private var names: [String] = []
  private var depth = 0
  /// Levels of nodes at most, for types whose schemas never end.
  private static let deepestNesting = 256

  /// The node with all of its types asked; a named one becomes a reference to its definition.
  mutating func add(_ node: SchemaNode) -> SchemaNode {
    guard depth < Self.deepestNesting else {
      report("the schema has no end")
      return SchemaNode(.never)
    }
    depth += 1
    defer { depth -= 1 }
    if case .type(let type, let guides) = node.shape { return add(type, guides) }
    guard let name = node.name else { return contents(of: node) }
    names.append(name)
    let complete = contents(of: node)
    names.removeLast()
    define(name, complete)
    return SchemaNode(.reference(name))
  }

  /// Notes references that lead nowhere.
  mutating func checkReferences() {
    let missing = references.filter { definitions[$0.name] == nil }
    guard let first = missing.first else { return }
    var names: [String] = []
    for reference in missing where !names.contains(reference.name) { names.append(reference.name) }
    errors.append(
      .undefinedReferences(
        schema: first.schema, references: names,
        context: .init(
          debugDescription: "nothing is called “\(names.joined(separator: "”, “"))”")))
  }

  /// Takes over what a schema refers to.
  mutating func add(_ definitions: [String: SchemaNode]) {
    for name in definitions.keys.sorted() {
      if let node = definitions[name] { _ = add(node) }
    }
  }

  /// The first thing that is wrong, if any.
  func problem(in schema: String) -> SchemaProblem? {
    if let problem = problems.first {
      return SchemaProblem(schemaName: schema, path: problem.path, reason: problem.reason)
    }
    return errors.first.map { error in
      SchemaProblem(schemaName: schema, path: [], reason: error.errorDescription ?? "\(error)")
    }
  }

  // MARK: Types

  private mutating func add(_ type: SchemaType, _ guides: [Guide]) -> SchemaNode {
    if let name = nameOfType[type.identifier] {
      return apply(guides, of: type, to: SchemaNode(.reference(name)))
    }
    let schema = type.type.generationSchema
    add(schema.definitions)
    guard let name = schema.root.name else {
      return apply(guides, of: type, to: add(schema.root))
    }
    var root = schema.root
    let unique = nameOfType.values.contains(name) ? String(reflecting: type.type) : name
    root.name = unique
    nameOfType[type.identifier] = unique
    return apply(guides, of: type, to: add(root))
  }

  /// The node of a type with the guides.
  ///
  /// Guides that do not fit are noted, and stay where they are: whoever asks again finds them too.
  private mutating func apply(
    _ guides: [Guide], of type: SchemaType, to node: SchemaNode
  ) -> SchemaNode {
    guard !guides.isEmpty else { return node }
    do throws(UnfitGuide) {
      return try node.following(guides)
    } catch {
      report(error.reason)
      return SchemaNode(.type(type, guides))
    }
  }

  private mutating func report(_ reason: String) {
    problems.append((path, reason))
  }

  // MARK: Nodes

  private mutating func contents(of node: SchemaNode) -> SchemaNode {
    var result = node
    switch node.shape {
    case .any, .never, .null, .boolean, .string, .number, .type: break
    case .array(var array):
      array.element = inside("element", array.element)
      result.shape = .array(array)
    case .object(var object):
      checkNames(object)
      for index in object.properties.indices {
        let property = object.properties[index]
        object.properties[index].node = inside(property.name, property.node)
      }
      result.shape = .object(object)
    case .anyOf(let choices):
      if choices.isEmpty { reportNoChoices() }
      result.shape = .anyOf(choices.map { add($0) })
    case .reference(let name): references.append((name, names.last))
    }
    if case .string(let string) = result.shape, string.choices?.isEmpty == true {
      reportNoChoices()
    }
    return result
  }

  private mutating func inside(_ step: String, _ node: SchemaNode) -> SchemaNode {
    path.append(step)
    defer { path.removeLast() }
    return add(node)
  }

  private mutating func define(_ name: String, _ node: SchemaNode) {
    guard let earlier = definitions.updateValue(node, forKey: name), earlier != node else { return }
    errors.append(
      .duplicateType(
        schema: names.last, type: name,
        context: .init(debugDescription: "two different types are called “\(name)”")))
  }

  private mutating func checkNames(_ object: ObjectSchema) {
    var seen: Set<String> = []
    for property in object.properties where !seen.insert(property.name).inserted {
      let schema = names.last ?? "Value"
      errors.append(
        .duplicateProperty(
          schema: schema, property: property.name,
          context: .init(
            debugDescription: "two properties of \(schema) are called “\(property.name)”")))
    }
  }

  private mutating func reportNoChoices() {
    let schema = names.last ?? "Value"
    errors.append(
      .emptyTypeChoices(
        schema: schema, context: .init(debugDescription: "\(schema) has nothing to choose from")))
  }
}
