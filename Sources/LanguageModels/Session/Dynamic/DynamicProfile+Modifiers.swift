extension LanguageModelSession {
  /// Changes a profile.
  public protocol DynamicProfileModifier {
    /// What the changed profile is made of.
    associatedtype Body: DynamicProfile

    /// The changed profile.
    @DynamicProfileBuilder func body(content: Content) -> Body

    /// The profile as it was.
    typealias Content = DynamicProfileModifierContent<Self>
    /// A profile that changes.
    typealias DynamicProfile = LanguageModelSession.DynamicProfile
  }

  /// The profile that a modifier changes.
  public struct DynamicProfileModifierContent<Modifier: DynamicProfileModifier>: DynamicProfile,
    ProfilePart
  {
    /// There is none.
    public typealias Body = Never

    let content: any DynamicProfile

    func add(to resolved: inout ResolvedProfile) { resolved.add(content) }
  }

  /// A profile with a modifier.
  public struct ModifiedDynamicProfile<Content: DynamicProfile, Modifier: DynamicProfileModifier>:
    DynamicProfile, ProfilePart
  {
    /// There is none.
    public typealias Body = Never

    let content: Content
    let modifier: Modifier

    func add(to resolved: inout ResolvedProfile) {
      resolved.add(modifier.body(content: DynamicProfileModifierContent(content: content)))
    }
  }

  /// A profile with one thing set.
  struct ChangedProfile<Content: DynamicProfile>: DynamicProfile, ProfilePart {
    typealias Body = Never

    let content: Content
    let change: (inout ResolvedProfile) -> Void

    func add(to resolved: inout ResolvedProfile) {
      change(&resolved)
      resolved.add(content)
    }
  }
}

extension LanguageModelSession.DynamicProfile {
  private func changed(
    _ change: @escaping (inout ResolvedProfile) -> Void
  ) -> LanguageModelSession.ChangedProfile<Self> {
    LanguageModelSession.ChangedProfile(content: self, change: change)
  }

  /// Changes the profile with a modifier.
  public func modifier<Modifier: LanguageModelSession.DynamicProfileModifier>(
    _ modifier: Modifier
  ) -> some LanguageModelSession.DynamicProfile {
    LanguageModelSession.ModifiedDynamicProfile(content: self, modifier: modifier)
  }

  /// Sets who answers.
  public func model(_ model: any LanguageModel) -> some LanguageModelSession.DynamicProfile {
    changed { $0.model = model }
  }

  /// Sets who answers.
  public func model(_ model: some LanguageModel) -> some LanguageModelSession.DynamicProfile {
    changed { $0.model = model }
  }

  /// Sets the temperature of requests that have none.
  public func temperature(_ temperature: Double?) -> some LanguageModelSession.DynamicProfile {
    changed { $0.options.temperature = temperature }
  }

  /// Sets the sampling mode of requests that have none.
  public func samplingMode(
    _ samplingMode: GenerationOptions.SamplingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.options.samplingMode = samplingMode }
  }

  /// Sets the limit of responses to requests that have none.
  public func maximumResponseTokens(
    _ maximumResponseTokens: Int?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.options.maximumResponseTokens = maximumResponseTokens }
  }

  /// Sets how long the model thinks for requests that do not say.
  public func reasoningLevel(
    _ reasoningLevel: ContextOptions.ReasoningLevel?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.reasoningLevel = reasoningLevel }
  }

  /// Sets whether tools are called for requests that do not say.
  public func toolCallingMode(
    _ toolCallingMode: GenerationOptions.ToolCallingMode?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.options.toolCallingMode = toolCallingMode }
  }

  /// Changes what of the history the model is shown; the transcript stays whole.
  public func historyTransform(
    _ transform: @escaping ([Transcript.Entry]) -> [Transcript.Entry]
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.historyTransforms.append(transform) }
  }

  /// Sets what becomes of the transcript when a request fails, where the session does not say.
  public func transcriptErrorHandlingPolicy(
    _ transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy?
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.transcriptErrorHandlingPolicy = transcriptErrorHandlingPolicy }
  }
}

// MARK: Events

extension LanguageModelSession.DynamicProfile {
  /// Does something when a request begins; an error ends the request.
  public func onPrompt(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping () async throws
      -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onPrompt.append { _ in try await action() } }
  }

  /// Does something when a request begins; an error ends the request.
  public func onPrompt(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping (
        Transcript.Prompt
      ) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onPrompt.append(action) }
  }

  /// Does something when a response is whole; an error ends the request.
  public func onResponse(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping () async throws
      -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onResponse.append { _ in try await action() } }
  }

  /// Does something when a response is whole; an error ends the request.
  public func onResponse(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping (
        Transcript.Response
      ) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onResponse.append(action) }
  }

  /// Does something when the model has thought; an error ends the request.
  public func onReasoning(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping () async throws
      -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onReasoning.append { _ in try await action() } }
  }

  /// Does something when the model has thought; an error ends the request.
  public func onReasoning(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping (
        Transcript.Reasoning
      ) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onReasoning.append(action) }
  }

  /// Does something before a tool is called; an error ends the request.
  public func onToolCall(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping () async throws
      -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onToolCall.append { _ in try await action() } }
  }

  /// Does something before a tool is called; an error ends the request.
  public func onToolCall(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping (
        Transcript.ToolCall
      ) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onToolCall.append(action) }
  }

  /// Does something when a tool has been called; an error ends the request.
  public func onToolOutput(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping () async throws
      -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onToolOutput.append { _ in try await action() } }
  }

  /// Does something when a tool has been called; an error ends the request.
  public func onToolOutput(
    @_inheritActorContext perform action:
      nonisolated(nonsending) sending @escaping (
        Transcript.ToolCall, Transcript.ToolOutput
      ) async throws -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onToolOutput.append { try await action($0.0, $0.1) } }
  }

  /// Does something at the first request for which this profile holds.
  public func onActivate(
    @_inheritActorContext perform action: sending @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onActivate[$0.path.joined(separator: "/")] = action }
  }

  /// Does something at the first request for which this profile no longer holds.
  public func onDeactivate(
    @_inheritActorContext perform action: sending @escaping @isolated(any) () async -> Void
  ) -> some LanguageModelSession.DynamicProfile {
    changed { $0.hooks.onDeactivate[$0.path.joined(separator: "/")] = action }
  }
}
