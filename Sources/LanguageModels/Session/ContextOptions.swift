/// How a prompt is put before the model.
public struct ContextOptions: Sendable, Equatable {
  /// Whether the model reads the schema of the response, which it follows in any case.
  ///
  /// Nil leaves that to the model; models on this device read it.
  public var includeSchemaInPrompt: Bool?
  /// How long the model thinks before it answers; nil leaves that to the model.
  public var reasoningLevel: ReasoningLevel?

  /// Options.
  public init(includeSchemaInPrompt: Bool? = nil, reasoningLevel: ReasoningLevel? = nil) {
    self.includeSchemaInPrompt = includeSchemaInPrompt
    self.reasoningLevel = reasoningLevel
  }

  /// How long a model thinks before it answers.
  public enum ReasoningLevel: Sendable, Equatable {
    /// Hardly.
    case light
    /// For a while.
    case moderate
    /// As long as it takes.
    case deep
    /// A level that only some models have.
    case custom(String)

    init(_ name: String) {
      switch name {
      case "light": self = .light
      case "moderate": self = .moderate
      case "deep": self = .deep
      default: self = .custom(name)
      }
    }

    var name: String {
      switch self {
      case .light: "light"
      case .moderate: "moderate"
      case .deep: "deep"
      case .custom(let name): name
      }
    }
  }
}
