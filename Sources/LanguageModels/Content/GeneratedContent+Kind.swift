extension GeneratedContent {
  /// A JSON value.
  public enum Kind: Sendable, Equatable {
    /// No value.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number.
    case number(Double)
    /// A text.
    case string(String)
    /// Values in order.
    case array([GeneratedContent])
    /// Values by name, and the names in order.
    case structure(properties: [String: GeneratedContent], orderedKeys: [String])

    /// The values directly inside this one, in no certain order.
    var parts: [GeneratedContent] {
      switch self {
      case .null, .bool, .number, .string: []
      case .array(let elements): elements
      case .structure(let properties, _): Array(properties.values)
      }
    }

    /// What a message calls a value of this kind.
    var name: String {
      switch self {
      case .null: "null"
      case .bool: "a boolean"
      case .number: "a number"
      case .string: "a string"
      case .array: "an array"
      case .structure: "a structure"
      }
    }
  }
}
