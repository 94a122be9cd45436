/// What a model can do beside continuing text.
public struct LanguageModelCapabilities: Sendable {
  /// One thing that a model can or cannot do.
  public struct Capability: Sendable, Hashable {
    private let name: String

    /// Looking at images.
    public static var vision: Capability { Capability(name: "vision") }
    /// Following a schema, strictly.
    public static var guidedGeneration: Capability { Capability(name: "guidedGeneration") }
    /// Thinking before it answers.
    public static var reasoning: Capability { Capability(name: "reasoning") }
    /// Calling tools.
    public static var toolCalling: Capability { Capability(name: "toolCalling") }
  }

  private let capabilities: Set<Capability>

  /// Some capabilities.
  public init(_ capabilities: [Capability]) { self.capabilities = Set(capabilities) }

  /// Some capabilities.
  public init(capabilities: [Capability]) { self.init(capabilities) }

  /// Whether a model with these can do something.
  public func contains(_ capability: Capability) -> Bool { capabilities.contains(capability) }
}

extension LanguageModelCapabilities.Capability: CustomStringConvertible {
  /// The name of the capability.
  public var description: String { name }
}
