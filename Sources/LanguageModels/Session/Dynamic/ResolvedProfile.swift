/// What a profile comes to at some moment; what is nil is left to the request or the model.
struct ResolvedProfile {
  var instructions = ResolvedInstructions()
  var model: (any LanguageModel)?
  var options = GenerationOptions()
  var reasoningLevel: ContextOptions.ReasoningLevel?
  var transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy?
  var hooks = ProfileHooks()
  /// Where in the profile we are: which branches were taken, which modifiers passed.
  var path: [String] = []

  /// Modifiers come before what they modify, so the innermost one has the last word.
  mutating func add<Added: LanguageModelSession.DynamicProfile>(_ profile: Added) {
    path.append(String(describing: Added.self))
    if let part = profile as? any ProfilePart {
      part.add(to: &self)
    } else {
      add(profile.body)
    }
  }
}

/// What a profile wants to be told.
///
/// The closures were sent to the session, which has one request at a time, and are called by the task
/// of that request alone, one after another. So they may be kept across tasks although their types do
/// not say so.
struct ProfileHooks: @unchecked Sendable {
  /// Outermost first.
  var historyTransforms: [([Transcript.Entry]) -> [Transcript.Entry]] = []

  typealias Action<Event> = nonisolated(nonsending) (Event) async throws -> Void

  var onPrompt: [Action<Transcript.Prompt>] = []
  var onResponse: [Action<Transcript.Response>] = []
  var onReasoning: [Action<Transcript.Reasoning>] = []
  var onToolCall: [Action<Transcript.ToolCall>] = []
  var onToolOutput: [Action<(Transcript.ToolCall, Transcript.ToolOutput)>] = []
  /// By the place in the profile, so that only what changes is told.
  var onActivate: [String: @isolated(any) () async -> Void] = [:]
  var onDeactivate: [String: @isolated(any) () async -> Void] = [:]
}

extension ProfileHooks {
  func tell(_ prompt: Transcript.Prompt) async throws {
    for action in onPrompt { try await action(prompt) }
  }

  /// Tells of what a pass has given.
  func tell(_ entries: [Transcript.Entry], isLast: Bool) async throws {
    for entry in entries {
      switch entry {
      case .reasoning(let reasoning):
        for action in onReasoning { try await action(reasoning) }
      case .response(let response) where isLast:
        for action in onResponse { try await action(response) }
      default: break
      }
    }
  }

  func tell(_ call: Transcript.ToolCall) async throws {
    for action in onToolCall { try await action(call) }
  }

  func tell(_ call: Transcript.ToolCall, _ output: Transcript.ToolOutput) async throws {
    for action in onToolOutput { try await action((call, output)) }
  }
}
