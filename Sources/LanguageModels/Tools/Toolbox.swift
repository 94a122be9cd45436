/// The tools of a session by their names.
struct Toolbox: Sendable {
  private let tools: [String: any Tool]
  /// The tools as a model sees them; made once, since a schema may cost something to make.
  let definitions: [Transcript.ToolDefinition]

  /// Of several tools with one name the first one counts, and the model knows of that one only.
  init(_ tools: [any Tool]) {
    var known: [String: any Tool] = [:]
    var definitions: [Transcript.ToolDefinition] = []
    for tool in tools where known[tool.name] == nil {
      known[tool.name] = tool
      definitions.append(Transcript.ToolDefinition(tool: tool))
    }
    self.tools = known
    self.definitions = definitions
  }

  /// Calls tools, all at the same time.
  ///
  /// - Parameters:
  ///   - calls: the calls.
  ///   - hooks: who is told of calls and outputs.
  /// - Returns: the outputs in the order of the calls.
  /// - Throws: `ToolCallError` for the first tool that throws, after all others have ended;
  ///   `GeneratedContent.ParsingError` for a tool that does not exist.
  func outputs(
    of calls: [Transcript.ToolCall], _ hooks: ProfileHooks
  ) async throws -> [Transcript.ToolOutput] {
    for call in calls { try await hooks.tell(call) }
    return try await withThrowingTaskGroup(of: (index: Int, output: Transcript.ToolOutput).self) {
      group in
      for (index, call) in calls.enumerated() {
        let tool = try tool(for: call)
        group.addTask { (index, try await tool.output(of: call)) }
      }
      var outputs = [Transcript.ToolOutput?](repeating: nil, count: calls.count)
      for try await (index, output) in group {
        outputs[index] = output
        try await hooks.tell(calls[index], output)
      }
      return outputs.compactMap(\.self)
    }
  }

  private func tool(for call: Transcript.ToolCall) throws -> any Tool {
    guard let tool = tools[call.toolName] else {
      throw GeneratedContent.ParsingError(
        rawContent: call.description,
        debugDescription: "the model called “\(call.toolName)”, and no tool has this name")
    }
    return tool
  }
}

extension Tool {
  @concurrent
  fileprivate func output(of call: Transcript.ToolCall) async throws -> Transcript.ToolOutput {
    do {
      let output = try await self.call(arguments: Arguments(call.arguments))
      return Transcript.ToolOutput(
        id: call.id, toolName: call.toolName, segments: output.promptRepresentation.segments)
    } catch {
      if Task.isCancelled { throw error }
      throw LanguageModelSession.ToolCallError(tool: self, underlyingError: error)
    }
  }
}
