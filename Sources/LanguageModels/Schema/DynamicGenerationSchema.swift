/// A part of a schema that is put together at run time.
public struct DynamicGenerationSchema: Sendable {
  let node: SchemaNode

  private init(_ node: SchemaNode) {
    self.node = node
  }

  /// The value null, for choices that may be nothing.
  public static var null: DynamicGenerationSchema {
    DynamicGenerationSchema(SchemaNode(.null))
  }

  /// A structure.
  /// - Parameters:
  ///   - name: The name that references use.
  ///   - description: What the model is told about the structure.
  ///   - properties: In the order they are generated in.
  public init(name: String, description: String? = nil, properties: [Property]) {
    self.init(
      name: name, description: description, representNilExplicitlyInGeneratedContent: false,
      properties: properties)
  }

  /// A structure.
  /// - Parameters:
  ///   - name: The name that references use.
  ///   - description: What the model is told about the structure.
  ///   - representNil: Whether optional properties without a value are there as null.
  ///   - properties: In the order they are generated in.
  public init(
    name: String, description: String? = nil,
    representNilExplicitlyInGeneratedContent representNil: Bool, properties: [Property]
  ) {
    let object = ObjectSchema(properties.map(\.schema), representingNil: representNil)
    self.init(SchemaNode(.object(object), name: name, description: description))
  }

  /// A value that follows one of `choices`.
  public init(name: String, description: String? = nil, anyOf choices: [DynamicGenerationSchema]) {
    self.init(SchemaNode(.anyOf(choices.map(\.node)), name: name, description: description))
  }

  /// One of the texts `choices`.
  public init(name: String, description: String? = nil, anyOf choices: [String]) {
    self.init(
      SchemaNode(.string(StringSchema(choices: choices)), name: name, description: description))
  }

  /// An array.
  /// - Parameters:
  ///   - element: What its elements look like.
  ///   - minimum: The least number of elements; nil for any.
  ///   - maximum: The greatest number of elements; nil for any.
  public init(
    arrayOf element: DynamicGenerationSchema, minimumElements minimum: Int? = nil,
    maximumElements maximum: Int? = nil
  ) {
    let array = ArraySchema(element: element.node, minimumCount: minimum, maximumCount: maximum)
    self.init(SchemaNode(.array(array)))
  }

  /// The values of a type, which follow `guides`.
  public init<Value: Generable>(type: Value.Type, guides: [GenerationGuide<Value>] = []) {
    self.init(SchemaNode(type: type, guides: guides.flatMap(\.guides)))
  }

  /// What the schema called `name` says; it may be one that this is a part of.
  public init(referenceTo name: String) {
    self.init(SchemaNode(.reference(name)))
  }

  /// A property of a structure.
  public struct Property: Sendable {
    fileprivate let schema: ObjectSchema.Property

    /// A property.
    /// - Parameters:
    ///   - name: Its name.
    ///   - description: What the model is told about it.
    ///   - schema: What its values look like.
    ///   - isOptional: Whether it may be missing.
    public init(
      name: String, description: String? = nil, schema: DynamicGenerationSchema,
      isOptional: Bool = false
    ) {
      self.schema = ObjectSchema.Property(
        name: name, description: description, node: schema.node, isOptional: isOptional)
    }
  }
}
