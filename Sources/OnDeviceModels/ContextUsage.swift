/// How the context window is filled, in tokens.
public struct ContextUsage: Sendable, Equatable {
  /// Tokens that fit the window.
  public var contextSize: Int
  /// Tokens of the instructions, with what the chat template puts around them.
  public var instructions: Int
  /// Tokens of the instructions that the chat template has of its own where none are given.
  public var templateInstructions: Int
  /// Tokens of all else that was given: prompts, earlier responses and the marks around them.
  public var prompt: Int
  /// Tokens of the response so far.
  public var response: Int
  /// Tokens that are left.
  public var free: Int { contextSize - instructions - templateInstructions - prompt - response }

  /// A window with nothing in it but what is given.
  public init(
    contextSize: Int, instructions: Int = 0, templateInstructions: Int = 0, prompt: Int = 0,
    response: Int = 0
  ) {
    self.contextSize = contextSize
    self.instructions = instructions
    self.templateInstructions = templateInstructions
    self.prompt = prompt
    self.response = response
  }
}
