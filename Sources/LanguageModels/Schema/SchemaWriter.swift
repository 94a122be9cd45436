internal import Foundation

/// Writes a schema as JSON Schema.
struct SchemaWriter {
  /// Who reads the schema.
  enum Reader {
    /// Another program: all there is, with the texts that strings are copied from.
    case exchange
    /// The grammar compiler: what holds while decoding.
    case grammar
    /// The model: what it should know.
    case model
  }

  let name: String
  private let root: SchemaNode
  private let definitions: [String: SchemaNode]
  /// What is wrong with the schema, if anything.
  let problem: SchemaProblem?
  /// The texts that strings are copied from, by the names that the JSON uses.
  let sources: [String: String]
  /// Whether strings are copied from the text of the prompt.
  let copiesPrompt: Bool

  init(_ schema: GenerationSchema) {
    var builder = SchemaBuilder()
    builder.add(schema.definitions)
    root = builder.add(schema.root)
    builder.checkReferences()
    definitions = builder.definitions
    name = schema.name
    problem = builder.problem(in: name)
    var verbatims = root.verbatims
    for name in definitions.keys.sorted() { verbatims += definitions[name]?.verbatims ?? [] }
    copiesPrompt = verbatims.contains(.prompt)
    var sources: [String: String] = [:]
    for text in verbatims.compactMap(\.text) where sources.name(of: text) == nil {
      sources["source-\(sources.count + 1)"] = text
    }
    self.sources = sources
  }

  /// The schema for `reader`.
  func content(for reader: Reader) -> GeneratedContent {
    var rootName: String?
    var node = root
    if case .reference(let name) = root.shape, let definition = definitions[name] {
      (rootName, node) = (name, definition)
    }
    let pen = Pen(reader: reader, rootName: rootName, sources: sources)
    var members = pen.members(of: node)
    if reader == .exchange, rootName == nil { members.insert(("title", name), at: 0) }
    let others = definitions.keys.filter { $0 != rootName }.sorted()
    if !others.isEmpty {
      let nodes = others.compactMap { name in definitions[name].map { (name, pen.content(of: $0)) }
      }
      members.append(("$defs", GeneratedContent(members: nodes)))
    }
    if reader == .exchange, !sources.isEmpty {
      let texts = sources.keys.sorted().map { ($0, sources[$0]) }
      members.append(("x-sources", GeneratedContent(members: texts)))
    }
    return GeneratedContent(members: members)
  }
}

/// Writes the nodes of one schema.
private struct Pen {
  let reader: SchemaWriter.Reader
  let rootName: String?
  let sources: [String: String]

  typealias Members = [(String, any ConvertibleToGeneratedContent)]

  func content(of node: SchemaNode) -> GeneratedContent {
    GeneratedContent(members: members(of: node))
  }

  func members(of node: SchemaNode) -> Members {
    var members: Members = []
    if let name = node.name { members.append(("title", name)) }
    if let description = node.description { members.append(("description", description)) }
    switch node.shape {
    case .any, .type: break
    case .never: members.append(("not", GeneratedContent(members: [])))
    case .null: members.append(("type", "null"))
    case .boolean: members.append(("type", "boolean"))
    case .string(let string): members += self.members(of: string)
    case .number(let number):
      members += self.members(of: number)
    case .array(let array):
      members += [("type", "array"), ("items", content(of: array.element))]
      if let count = array.minimumCount { members.append(("minItems", count)) }
      if let count = array.maximumCount { members.append(("maxItems", count)) }
    case .object(let object): members += self.members(of: object)
    case .anyOf(let choices): members.append(("anyOf", choices.map(content)))
    case .reference(let name):
      let place = name == rootName ? "#" : "#/$defs/" + JSONPointer.fragment(name)
      members.append(("$ref", place))
    }
    return members
  }

  private func members(of string: StringSchema) -> Members {
    var members: Members = [("type", "string")]
    if let choices = string.choices { members.append(("enum", choices)) }
    if let pattern = string.pattern {
      // A pattern of JSON Schema may match a part; these match the whole text.
      members.append(("pattern", reader == .grammar ? "^(?:\(pattern))$" : pattern))
    }
    switch string.verbatim {
    case nil: break
    case .prompt: members.append(("x-verbatim", true))
    case .source(let text):
      // The model has no use for the name of a text that it does not see.
      guard reader != .model else { break }
      members.append(("x-verbatim", sources.name(of: text)))
    }
    return members
  }

  private func members(of number: NumberSchema) -> Members {
    var members: Members = [("type", number.isInteger ? "integer" : "number")]
    if let choices = number.choices {
      members.append(("enum", choices.map { GeneratedContent($0) }))
    }
    var (minimum, maximum) = (number.minimum, number.maximum)
    if reader == .grammar, number.isInteger, number.choices == nil {
      // What is generated must fit the type.
      minimum = minimum ?? JSONNumber(Int.min)
      maximum = maximum ?? JSONNumber(Int.max)
    }
    if let minimum { members.append(("minimum", GeneratedContent(minimum))) }
    if let maximum { members.append(("maximum", GeneratedContent(maximum))) }
    return members
  }

  private func members(of object: ObjectSchema) -> Members {
    let properties = object.properties.map { property in
      var members = self.members(of: property.node)
      if let description = property.description {
        members.removeAll { $0.0 == "description" }
        members.insert(("description", description), at: 0)
      }
      return (property.name, GeneratedContent(members: members))
    }
    let required = object.properties.filter { !$0.isOptional }.map(\.name)
    var members: Members = [
      ("type", "object"), ("properties", GeneratedContent(members: properties)),
      ("required", required), ("additionalProperties", false),
    ]
    if reader == .exchange { members.append(("x-order", object.properties.map(\.name))) }
    return members
  }
}

/// Places in a JSON document.
enum JSONPointer {
  /// A step of a pointer inside the fragment of a URI.
  static func fragment(_ step: String) -> String {
    let escaped = step.replacing("~", with: "~0").replacing("/", with: "~1")
    return escaped.addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed) ?? escaped
  }

  /// What ``fragment(_:)`` was made from, or nil for no such text.
  static func step(_ fragment: String) -> String? {
    fragment.removingPercentEncoding?.replacing("~1", with: "/").replacing("~0", with: "~")
  }
}

extension GeneratedContent {
  /// A structure of members that have names of their own.
  fileprivate init(members: [(String, any ConvertibleToGeneratedContent)]) {
    self.init(properties: members, uniquingKeysWith: { _, last in last })
  }
}

extension [String: String] {
  /// The name of a text, byte by byte: canonically equivalent texts are not copies of each other.
  fileprivate func name(of text: String) -> String? {
    first { $0.value.utf8.elementsEqual(text.utf8) }?.key
  }
}

extension StringSchema.Verbatim {
  fileprivate var text: String? {
    if case .source(let text) = self { text } else { nil }
  }
}

extension SchemaNode {
  /// Where the strings of this node are copied from, references not followed.
  fileprivate var verbatims: [StringSchema.Verbatim] {
    switch shape {
    case .any, .never, .null, .boolean, .number, .reference, .type: []
    case .string(let string): string.verbatim.map { [$0] } ?? []
    case .array(let array): array.element.verbatims
    case .object(let object): object.properties.flatMap(\.node.verbatims)
    case .anyOf(let choices): choices.flatMap(\.verbatims)
    }
  }
}
