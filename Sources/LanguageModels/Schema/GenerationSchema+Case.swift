extension GenerationSchema {
  /// A case of an enumeration, with the values that come with it.
  ///
  /// It is generated as `{"case": "name"}`, one value as `{"case": "name", "value": …}`, several as
  /// `{"case": "name", "value": {"first": …, "second": …}}`.
  public struct Case: Sendable {
    let object: ObjectSchema

    private init(_ name: String, _ value: ObjectSchema.Property?) {
      let choice = SchemaNode(.string(StringSchema(choices: [name])))
      let properties = [
        ObjectSchema.Property(name: "case", node: choice, isOptional: false), value,
      ]
      object = ObjectSchema(properties.compactMap { $0 })
    }

    /// A case without a value.
    public init(_ name: String) {
      self.init(name, nil)
    }

    /// A case with one value.
    public init<Value: Generable>(_ name: String, value: Value.Type) {
      self.init(name, Property(name: "value", type: value).schema)
    }

    /// A case with one value that may be missing.
    public init<Value: Generable>(_ name: String, value: Value?.Type) {
      self.init(name, Property(name: "value", type: value).schema)
    }

    /// A case with several values.
    public init(_ name: String, values: [Property]) {
      let object = SchemaNode(.object(ObjectSchema(values.map(\.schema))))
      self.init(name, ObjectSchema.Property(name: "value", node: object, isOptional: false))
    }
  }

  /// One of the cases of an enumeration.
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - name: What the model sees as the name of the type; nil takes that of `type`.
  ///   - description: What the model is told about the values.
  ///   - cases: The cases.
  public init(
    type: any Generable.Type, name: String? = nil, description: String? = nil, cases: [Case]
  ) {
    self.init(
      SchemaNode(
        .anyOf(cases.map { SchemaNode(.object($0.object)) }),
        name: name ?? String(describing: type), description: description))
  }
}
