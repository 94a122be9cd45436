internal import Foundation

/// Reads the JSON Schema that ``SchemaWriter`` writes; other keywords are refused, never dropped.
struct SchemaReader {
  struct Failure: Error {
    /// Where, as a JSON pointer.
    var pointer: String
    var reason: String
  }

  private let sources: [String: String]
  private let rootName: String
  private var refersToRoot = false

  /// Keywords that say nothing about values.
  private static let annotations: Set<String> = [
    "$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated",
    "x-order",
  ]

  static func schema(_ content: GeneratedContent) throws(Failure) -> GenerationSchema {
    let root = try Object(content, "")
    let names = try root.object("$defs")?.content.orderedKeys ?? []
    let title = try root.string("title")
    var rootName = title ?? "Root"
    while names.contains(rootName) { rootName += "_" }
    var sources: [String: String] = [:]
    let texts = try root.object("x-sources")
    for name in texts?.content.orderedKeys ?? [] { sources[name] = try texts?.string(name) }

    var reader = SchemaReader(sources: sources, rootName: rootName)
    var node = try reader.node(root, extraKeys: ["$defs", "x-sources"])
    var definitions: [String: SchemaNode] = [:]
    if let inner = try root.object("$defs") {
      for name in names {
        guard let member = inner.member(name) else { continue }
        var definition = try reader.node(Object(member, inner.pointer + "/" + name))
        definition.name = name
        definitions[name] = definition
      }
    }
    if reader.refersToRoot || node.hasName { node.name = rootName } else { node.title = title }
    return try checked(GenerationSchema(node, definitions: definitions))
  }

  private static func checked(_ schema: GenerationSchema) throws(Failure) -> GenerationSchema {
    guard let problem = SchemaWriter(schema).problem else { return schema }
    throw Failure(pointer: "", reason: problem.reason)
  }

  private init(sources: [String: String], rootName: String) {
    self.sources = sources
    self.rootName = rootName
  }

  // MARK: Nodes

  private mutating func node(
    _ object: Object, extraKeys: Set<String> = []
  ) throws(Failure) -> SchemaNode {
    var known = Self.annotations.union(extraKeys)
    let shape: SchemaNode.Shape
    if let reference = try object.string("$ref") {
      known.insert("$ref")
      shape = .reference(try name(reference, object))
    } else if let choices = object.member("anyOf") {
      known.insert("anyOf")
      shape = .anyOf(try nodes(choices, object.pointer + "/anyOf"))
    } else if let inner = try object.object("not") {
      known.insert("not")
      guard inner.content.orderedKeys.isEmpty else {
        throw Failure(pointer: inner.pointer, reason: "only “not” of anything can be kept")
      }
      shape = .never
    } else {
      known.insert("type")
      shape = try self.shape(object, &known)
    }
    if let key = object.content.orderedKeys.first(where: { !known.contains($0) }) {
      throw Failure(pointer: object.pointer, reason: "“\(key)” cannot be kept")
    }
    return SchemaNode(shape, description: try object.string("description"))
  }

  private mutating func nodes(
    _ content: GeneratedContent, _ pointer: String
  ) throws(Failure) -> [SchemaNode] {
    guard case .array(let elements) = content.kind else {
      throw Failure(pointer: pointer, reason: "expected an array")
    }
    var result: [SchemaNode] = []
    for (index, element) in elements.enumerated() {
      result.append(try node(Object(element, "\(pointer)/\(index)")))
    }
    return result
  }

  private mutating func name(
    _ reference: String, _ object: Object
  ) throws(Failure) -> String {
    if reference == "#" {
      refersToRoot = true
      return rootName
    }
    let prefix = "#/$defs/"
    guard reference.hasPrefix(prefix),
      let name = JSONPointer.step(String(reference.dropFirst(prefix.count)))
    else {
      throw Failure(pointer: object.pointer, reason: "the reference “\(reference)” leads elsewhere")
    }
    return name
  }

  private mutating func shape(
    _ object: Object, _ known: inout Set<String>
  ) throws(Failure) -> SchemaNode.Shape {
    switch try object.string("type") ?? (object.member("enum") == nil ? nil : "string") {
    case nil: return .any
    case "null": return .null
    case "boolean": return .boolean
    case "string":
      known.formUnion(["enum", "pattern", "x-verbatim"])
      return .string(try string(object))
    case "integer", "number":
      known.formUnion(["enum", "minimum", "maximum"])
      let isInteger = try object.string("type") == "integer"
      return .number(
        NumberSchema(
          isInteger: isInteger, choices: try object.numbers("enum"),
          minimum: try object.number("minimum"), maximum: try object.number("maximum")))
    case "array":
      known.formUnion(["items", "minItems", "maxItems"])
      let element = try object.object("items")
      return .array(
        ArraySchema(
          element: try element.map { object throws(Failure) in try node(object) }
            ?? SchemaNode(.any),
          minimumCount: try object.count("minItems"), maximumCount: try object.count("maxItems")))
    case "object":
      known.formUnion(["properties", "required", "additionalProperties"])
      return .object(try structure(object))
    case let other?:
      throw Failure(pointer: object.pointer, reason: "unknown type “\(other)”")
    }
  }

  private func string(_ object: Object) throws(Failure) -> StringSchema {
    var string = StringSchema(
      choices: try object.strings("enum"), pattern: try object.string("pattern"))
    switch object.member("x-verbatim")?.kind {
    case nil, .bool(false): break
    case .bool(true): string.verbatim = .prompt
    case .string(let name):
      guard let text = sources[name] else { fallthrough }
      string.verbatim = .source(text)
    default:
      throw Failure(pointer: object.pointer + "/x-verbatim", reason: "there is no such source")
    }
    return string
  }

  private mutating func structure(_ object: Object) throws(Failure) -> ObjectSchema {
    if let others = object.member("additionalProperties"), others.kind != .bool(false) {
      throw Failure(
        pointer: object.pointer + "/additionalProperties",
        reason: "properties without a name cannot be kept")
    }
    let inner = try object.object("properties")
    let names = inner?.content.orderedKeys ?? []
    let order = try object.strings("x-order") ?? names
    let required = Set(try object.strings("required") ?? [])
    if let missing = required.subtracting(names).min() {
      throw Failure(
        pointer: object.pointer + "/required", reason: "“\(missing)” is no property")
    }
    var properties: [ObjectSchema.Property] = []
    for name in order.filter(names.contains) + names.filter({ !order.contains($0) }) {
      guard let inner, let member = inner.member(name) else { continue }
      var node = try node(Object(member, inner.pointer + "/" + name))
      let description = node.description
      node.description = nil
      properties.append(
        ObjectSchema.Property(
          name: name, description: description, node: node, isOptional: !required.contains(name)))
    }
    return ObjectSchema(properties)
  }
}

extension SchemaNode {
  /// Whether a type of this kind has a name of its own.
  fileprivate var hasName: Bool {
    switch shape {
    case .object, .anyOf: true
    case .string(let string): string.choices != nil
    default: false
    }
  }
}
