internal import Foundation
internal import Synchronization

/// Who answers the next pass of a request, and with what.
struct RequestPlan: Sendable {
  var model: any LanguageModel
  var toolbox: Toolbox
  /// Instructions that are not in the transcript because they change.
  var instructions: PromptContent?
  /// What holds where the request says nothing.
  var options = GenerationOptions()
  var reasoningLevel: ContextOptions.ReasoningLevel?
  var transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy?
  var hooks = ProfileHooks()

  /// The options of a request, and what holds where it says nothing.
  func options(for request: SessionRequest) -> GenerationOptions {
    let asked = request.options
    return GenerationOptions(
      samplingMode: asked.samplingMode ?? options.samplingMode,
      temperature: asked.temperature ?? options.temperature,
      maximumResponseTokens: asked.maximumResponseTokens ?? options.maximumResponseTokens,
      toolCallingMode: asked.toolCallingMode ?? options.toolCallingMode)
  }

  func contextOptions(for request: SessionRequest) -> ContextOptions {
    ContextOptions(
      includeSchemaInPrompt: request.contextOptions.includeSchemaInPrompt,
      reasoningLevel: request.contextOptions.reasoningLevel ?? reasoningLevel)
  }

  /// The entry that stands before the history, where the transcript has none.
  var instructionsEntry: Transcript.Entry? {
    guard let instructions, !instructions.parts.isEmpty || !toolbox.definitions.isEmpty else {
      return nil
    }
    return .instructions(
      .init(segments: instructions.segments, toolDefinitions: toolbox.definitions))
  }
}

/// Where the plans of a session come from.
enum PlanSource: Sendable {
  /// Always the same.
  case fixed(RequestPlan)
  /// A profile, asked anew each time.
  case profile(ProfileStore)

  func plan() -> RequestPlan {
    switch self {
    case .fixed(let plan): plan
    case .profile(let store): store.plan()
    }
  }

  /// A plan for which all is done that a profile wants done when it begins or ceases to hold.
  func activatedPlan() async -> RequestPlan {
    switch self {
    case .fixed(let plan): plan
    case .profile(let store): await store.activatedPlan()
    }
  }
}

/// A profile, which is nobody's but the session's, and what of it holds at the moment.
final class ProfileStore: Sendable {
  private let profile: Mutex<any LanguageModelSession.DynamicProfile & SendableMetatype>
  /// Who answers where the profile does not say.
  private let model: any LanguageModel
  private let active = Mutex(ProfileHooks())

  init<Profile: LanguageModelSession.DynamicProfile & SendableMetatype>(
    _ profile: sending Profile, model: any LanguageModel
  ) {
    self.profile = Mutex(profile)
    self.model = model
  }

  func plan() -> RequestPlan {
    profile.withLock { profile in
      var resolved = ResolvedProfile()
      resolved.add(profile)
      return RequestPlan(
        model: resolved.model ?? model, toolbox: Toolbox(resolved.instructions.tools),
        instructions: resolved.instructions.content, options: resolved.options,
        reasoningLevel: resolved.reasoningLevel,
        transcriptErrorHandlingPolicy: resolved.transcriptErrorHandlingPolicy,
        hooks: resolved.hooks)
    }
  }

  func activatedPlan() async -> RequestPlan {
    let plan = plan()
    let before = active.withLock { active in
      defer { active = plan.hooks }
      return active
    }
    for (place, action) in before.onDeactivate where plan.hooks.onDeactivate[place] == nil {
      await action()
    }
    for (place, action) in plan.hooks.onActivate where before.onActivate[place] == nil {
      await action()
    }
    return plan
  }
}
