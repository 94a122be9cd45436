extension LanguageModelSession {
  /// How the context window is filled, in tokens, as the engine counts them.
  public struct ContextUsage: Sendable, Equatable {
    /// Tokens that fit the window.
    public var contextSize: Int
    /// The instructions, with what the chat template puts around them.
    public var instructions: Int
    /// The definitions of the tools.
    public var tools: Int
    /// The schema of the response, where the model reads it.
    public var schema: Int
    /// The prompts, with the marks that the chat template puts between entries.
    public var prompts: Int
    /// The outputs of tools.
    public var toolOutput: Int
    /// The responses, also the one being generated, with calls of tools and thoughts.
    public var responses: Int

    /// A window that holds what is given and nothing else.
    public init(
      contextSize: Int, instructions: Int = 0, tools: Int = 0, schema: Int = 0, prompts: Int = 0,
      toolOutput: Int = 0, responses: Int = 0
    ) {
      self.contextSize = contextSize
      self.instructions = instructions
      self.tools = tools
      self.schema = schema
      self.prompts = prompts
      self.toolOutput = toolOutput
      self.responses = responses
    }

    /// All tokens in the window.
    public var used: Int { instructions + tools + schema + prompts + toolOutput + responses }

    /// Tokens that are left.
    public var free: Int { contextSize - used }
  }
}
