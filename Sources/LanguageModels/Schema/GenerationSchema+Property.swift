public import _StringProcessing

extension GenerationSchema {
  /// A property of a structure.
  public struct Property: Sendable {
    let schema: ObjectSchema.Property

    private init(
      _ name: String, _ description: String?, _ type: any Generable.Type, _ guides: [Guide],
      isOptional: Bool
    ) {
      schema = ObjectSchema.Property(
        name: name, description: description, node: SchemaNode(type: type, guides: guides),
        isOptional: isOptional)
    }

    /// A property that is always there.
    public init<Value: Generable>(
      name: String, description: String? = nil, type: Value.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      self.init(name, description, type, guides.flatMap(\.guides), isOptional: false)
    }

    /// A property that may be missing.
    public init<Value: Generable>(
      name: String, description: String? = nil, type: Value?.Type,
      guides: [GenerationGuide<Value>] = []
    ) {
      self.init(name, description, Value.self, guides.flatMap(\.guides), isOptional: true)
    }

    /// A text that the last of `guides` matches as a whole.
    public init<RegexOutput>(
      name: String, description: String? = nil, type: String.Type,
      guides: [Regex<RegexOutput>] = []
    ) {
      self.init(name, description, type, guides.map(Guide.init), isOptional: false)
    }

    /// A text that the last of `guides` matches as a whole, or nothing.
    public init<RegexOutput>(
      name: String, description: String? = nil, type: String?.Type,
      guides: [Regex<RegexOutput>] = []
    ) {
      self.init(name, description, String.self, guides.map(Guide.init), isOptional: true)
    }
  }
}
