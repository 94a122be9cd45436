/// What one value of a schema must look like.
struct SchemaNode: Sendable, Equatable {
  var shape: Shape
  /// Named nodes stand among a schema's definitions, and others refer to them.
  var name: String?
  /// What a schema is called whose root is this node, where the shape does not tell.
  var title: String?
  var description: String?

  /// The kinds of values.
  indirect enum Shape: Sendable, Equatable {
    case any
    case never
    case null
    case boolean
    case string(StringSchema)
    case number(NumberSchema)
    case array(ArraySchema)
    case object(ObjectSchema)
    case anyOf([SchemaNode])
    /// The node of this name.
    case reference(String)
    /// What the schema of the type says, with guides on top.
    case type(SchemaType, [Guide])
  }

  init(
    _ shape: Shape, name: String? = nil, title: String? = nil, description: String? = nil
  ) {
    self.shape = shape
    self.name = name
    self.title = title
    self.description = description
  }

  /// The values of a type; its schema is asked for only when the whole is put together, so that
  /// types may contain themselves.
  init(type: any Generable.Type, guides: [Guide] = []) {
    self.init(.type(SchemaType(type: type), guides))
  }

  /// This or null.
  var orNull: SchemaNode { SchemaNode(.anyOf([self, SchemaNode(.null)])) }
}

/// A type, compared by identity.
struct SchemaType: Sendable, Equatable {
  let type: any Generable.Type

  var identifier: ObjectIdentifier { ObjectIdentifier(type) }

  static func == (a: SchemaType, b: SchemaType) -> Bool { a.identifier == b.identifier }
}

struct StringSchema: Sendable, Equatable {
  /// The only texts there are; nil allows all.
  var choices: [String]?
  /// A regular expression that matches the whole text.
  var pattern: String?
  var verbatim: Verbatim?

  /// Where a text must occur.
  enum Verbatim: Sendable, Equatable {
    /// In the text of the prompt.
    case prompt
    /// In this text.
    case source(String)
  }
}

struct NumberSchema: Sendable, Equatable {
  var isInteger: Bool
  /// The only numbers there are; nil allows all.
  var choices: [JSONNumber]?
  var minimum: JSONNumber?
  var maximum: JSONNumber?
}

struct ArraySchema: Sendable, Equatable {
  var element: SchemaNode
  var minimumCount: Int?
  var maximumCount: Int?
}

struct ObjectSchema: Sendable, Equatable {
  /// In the order they are generated in.
  var properties: [Property]

  struct Property: Sendable, Equatable {
    var name: String
    var description: String?
    var node: SchemaNode
    /// Whether the property may be missing.
    var isOptional: Bool
  }
  /// Properties of which the optional ones are either missing or, on request, null.
  init(_ properties: [Property], representingNil: Bool = false) {
    self.properties = properties.map { property in
      guard representingNil, property.isOptional else { return property }
      var required = property
      required.node = property.node.orNull
      required.isOptional = false
      return required
    }
  }
}
