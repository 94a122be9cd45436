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

  func plan() async -> RequestPlan {
    switch self {
    case .fixed(let plan): plan
    case .profile(let store): await store.plan()
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

/// A profile, and what of it holds at the moment.
///
/// The profile was sent to the session and is nobody else's. It is asked on the actor on which the
/// session was made, because its conformance may be that actor's, and under a lock.
final class ProfileStore: @unchecked Sendable {
  private let profile: any LanguageModelSession.DynamicProfile
  private let isolation: (any Actor)?
  private let lock = NSLock()
  /// Who answers where the profile does not say.
  private let model: any LanguageModel
  private let active = Mutex(ProfileHooks())

  init(
    _ profile: any LanguageModelSession.DynamicProfile, model: any LanguageModel,
    isolation: (any Actor)?
  ) {
    self.profile = profile
    self.model = model
    self.isolation = isolation
  }

  func plan() async -> RequestPlan { await plan(isolation: isolation) }

  private func plan(isolation: isolated (any Actor)?) async -> RequestPlan {
    let resolved = lock.withLock {
      var resolved = ResolvedProfile()
      resolved.add(profile)
      return resolved
    }
    return RequestPlan(
      model: resolved.model ?? model, toolbox: Toolbox(resolved.instructions.tools),
      instructions: resolved.instructions.content, options: resolved.options,
      reasoningLevel: resolved.reasoningLevel,
      transcriptErrorHandlingPolicy: resolved.transcriptErrorHandlingPolicy,
      hooks: resolved.hooks)
  }

  func activatedPlan() async -> RequestPlan {
    let plan = await plan()
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
