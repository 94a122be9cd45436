public import LanguageModels

extension Transcript {
  /// The kinds of the entries, for short.
  public var kinds: [String] {
    map { entry in
      switch entry {
      case .instructions: "instructions"
      case .prompt: "prompt"
      case .toolCalls: "toolCalls"
      case .toolOutput: "toolOutput"
      case .response: "response"
      case .reasoning: "reasoning"
      }
    }
  }
}
