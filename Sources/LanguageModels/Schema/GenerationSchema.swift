/// What generated values look like: properties in the order of their generation, and the rules they
/// follow.
public struct GenerationSchema: Sendable {
  let root: SchemaNode
  /// What references in `root` lead to, put together already; types add theirs later.
  let definitions: [String: SchemaNode]

  init(_ root: SchemaNode, definitions: [String: SchemaNode] = [:]) {
    self.root = root
    self.definitions = definitions
  }

  /// The name of the type that the schema describes.
  public var name: String {
    switch root.shape {
    case .type(let type, _): type.type.generationSchema.name
    case .array(let array):
      "Array<\(GenerationSchema(array.element, definitions: definitions).name)>"
    case .reference(let name): name
    default: root.name ?? root.title ?? root.shape.typeName
    }
  }

  /// A structure.
  /// - Parameters:
  ///   - type: The type of its values.
  ///   - description: What the model is told about the structure.
  ///   - properties: In the order they are generated in.
  public init(
    type: any Generable.Type, description: String? = nil, properties: [Property]
  ) {
    self.init(
      type: type, description: description, representNilExplicitlyInGeneratedContent: false,
      properties: properties)
  }

  /// A structure.
  /// - Parameters:
  ///   - type: The type of its values.
  ///   - description: What the model is told about the structure.
  ///   - representNil: Whether optional properties without a value are there as null.
  ///   - properties: In the order they are generated in.
  public init(
    type: any Generable.Type, description: String? = nil,
    representNilExplicitlyInGeneratedContent representNil: Bool, properties: [Property]
  ) {
    self.init(
      type: type, name: String(describing: type), description: description,
      representNilExplicitlyInGeneratedContent: representNil, properties: properties)
  }

  /// A structure under a name of its own.
  /// - Parameters:
  ///   - type: The type of its values.
  ///   - name: What the model sees as the name of the type.
  ///   - description: What the model is told about the structure.
  ///   - representNil: Whether optional properties without a value are there as null.
  ///   - properties: In the order they are generated in.
  public init(
    type: any Generable.Type, name: String, description: String? = nil,
    representNilExplicitlyInGeneratedContent representNil: Bool = false, properties: [Property]
  ) {
    let object = ObjectSchema(properties.map(\.schema), representingNil: representNil)
    self.init(SchemaNode(.object(object), name: name, description: description))
  }

  /// One of some texts.
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - description: What the model is told about them.
  ///   - choices: The texts.
  public init(type: any Generable.Type, description: String? = nil, anyOf choices: [String]) {
    self.init(
      type: type, name: String(describing: type), description: description, anyOf: choices)
  }

  /// One of some texts, under a name of its own.
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - name: What the model sees as the name of the type.
  ///   - description: What the model is told about the values.
  ///   - choices: The texts.
  public init(
    type: any Generable.Type, name: String, description: String? = nil, anyOf choices: [String]
  ) {
    self.init(
      SchemaNode(.string(StringSchema(choices: choices)), name: name, description: description))
  }

  /// A value of one of some types.
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - description: What the model is told about them.
  ///   - types: The types.
  public init(
    type: any Generable.Type, description: String? = nil, anyOf types: [any Generable.Type]
  ) {
    self.init(
      SchemaNode(
        .anyOf(types.map { SchemaNode(type: $0) }), name: String(describing: type),
        description: description))
  }

  /// A schema put together at run time.
  /// - Parameters:
  ///   - root: What the values look like.
  ///   - dependencies: What references in `root` lead to.
  /// - Throws: ``SchemaError`` for names that are given twice or not at all.
  public init(root: DynamicGenerationSchema, dependencies: [DynamicGenerationSchema]) throws {
    var builder = SchemaBuilder()
    for dependency in dependencies { _ = builder.add(dependency.node) }
    self.init(builder.add(root.node), definitions: builder.definitions)
    builder.checkReferences()
    if let error = builder.errors.first { throw error }
  }
}

extension GenerationSchema: CustomDebugStringConvertible {
  /// The schema as JSON.
  public var debugDescription: String { SchemaWriter(self).content(for: .exchange).jsonString }
}

extension SchemaNode.Shape {
  /// The name of the type that most values of this kind have.
  fileprivate var typeName: String {
    switch self {
    case .any, .array, .object, .anyOf, .reference, .type: "GeneratedContent"
    case .never: "Never"
    case .null: "Null"
    case .boolean: "Bool"
    case .string: "String"
    case .number(let number): number.isInteger ? "Int" : "Double"
    }
  }
}
