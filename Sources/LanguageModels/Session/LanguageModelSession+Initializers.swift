// The sessions that can be made: with the model of the device, as in version 26, or with any model.

extension LanguageModelSession {
  /// A session with instructions that are one text.
  @_disfavoredOverload
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], instructions: String? = nil
  ) {
    self.init(model, tools, instructions: instructions.map { Instructions($0) })
  }

  /// A session with instructions.
  ///
  /// - Parameters:
  ///   - model: who answers.
  ///   - tools: what the model may have done for it.
  ///   - instructions: what the model is told about its task.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    instructions: Instructions? = nil
  ) {
    self.init(model, tools, instructions: instructions)
  }

  /// A session with instructions that are put together in a closure.
  ///
  /// - Throws: what the closure throws.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws -> Instructions
  ) rethrows {
    self.init(model, tools, instructions: try instructions())
  }

  /// A session that goes on where another one was.
  ///
  /// - Parameters:
  ///   - model: who answers.
  ///   - tools: what the model may have done for it; a transcript only describes tools.
  ///   - transcript: what was said.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.init(.fixed(RequestPlan(model: model, toolbox: Toolbox(tools))), transcript)
  }
}

extension LanguageModelSession {
  /// A session with instructions that are one text, with any model.
  @_disfavoredOverload
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], instructions: String? = nil
  ) {
    self.init(model, tools, instructions: instructions.map { Instructions($0) })
  }

  /// A session with instructions, with any model.
  ///
  /// - Parameters:
  ///   - model: who answers.
  ///   - tools: what the model may have done for it.
  ///   - instructions: what the model is told about its task.
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], instructions: Instructions? = nil
  ) {
    self.init(model, tools, instructions: instructions)
  }

  /// A session with instructions that are put together in a closure, with any model.
  ///
  /// - Throws: what the closure throws.
  public convenience init<Failure: Swift.Error>(
    model: some LanguageModel, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws(Failure) -> Instructions
  ) throws(Failure) {
    self.init(model, tools, instructions: try instructions())
  }

  /// A session that goes on where another one was, with any model.
  ///
  /// - Parameters:
  ///   - model: who answers.
  ///   - tools: what the model may have done for it; a transcript only describes tools.
  ///   - transcript: what was said.
  public convenience init(
    model: some LanguageModel, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.init(.fixed(RequestPlan(model: model, toolbox: Toolbox(tools))), transcript)
  }
}

extension LanguageModelSession {
  /// A session whose instructions and tools are asked for anew at each request.
  ///
  /// - Parameters:
  ///   - model: who answers.
  ///   - dynamicInstructions: says what holds at each request.
  ///   - history: what was said before.
  ///   - isolation: where the instructions are asked.
  public convenience init(
    model: some LanguageModel = SystemLanguageModel.default,
    dynamicInstructions: sending some DynamicInstructions,
    history: some Collection<Transcript.Entry> = [], isolation: (any Actor)? = #isolation
  ) {
    let profile = InstructionsProfile(instructions: dynamicInstructions)
    self.init(
      .profile(ProfileStore(profile, model: model, isolation: isolation)),
      Transcript(entries: Array(history)))
  }

  /// A session whose model, instructions, tools and options are asked for anew at each request.
  ///
  /// - Parameters:
  ///   - profile: says what holds at each request; without a model it is that of the device.
  ///   - history: what was said before.
  ///   - isolation: where the profile is asked.
  public convenience init(
    profile: sending some DynamicProfile, history: some Collection<Transcript.Entry> = [],
    isolation: (any Actor)? = #isolation
  ) {
    self.init(
      .profile(
        ProfileStore(profile, model: SystemLanguageModel.default, isolation: isolation)),
      Transcript(entries: Array(history)))
  }
}
