internal import LanguageModels
internal import Tokenization

/// What a part of a prompt is for.
enum PromptShare: Sendable {
  case instructions, tools, schema, prompts, toolOutput, responses
}

/// A transcript as the messages that a chat template reads.
struct PromptMessages {
  /// One message; its content is the texts of its sections in a row.
  struct Message {
    var role: String
    var sections: [(share: PromptShare, text: String)]
    var members: [OrderedJSON.Member] = []
    /// The entries of the transcript that it stands for, and what they say.
    var entryIDs: [String] = []
    var contents: [GeneratedContent] = []
    /// How the model wrote it, where that is known.
    var written: WrittenResponse?

    var content: String { written?.text ?? sections.map(\.text).joined() }

    var json: OrderedJSON {
      .object(
        [.init("role", .string(role)), .init("content", .string(content))] + members)
    }
  }

  private(set) var messages: [Message] = []
  /// The definitions of tools for the template, nil where it is not given any.
  private(set) var tools: [OrderedJSON]?

  private let format: ToolCallFormat

  /// - Parameters:
  ///   - entries: the transcript.
  ///   - definitions: the tools that may be called now.
  ///   - format: how the model calls tools and is told of them.
  ///   - foldsInstructions: whether instructions open the first prompt.
  ///   - written: how responses were written.
  init(
    _ entries: [Transcript.Entry], tools definitions: [Transcript.ToolDefinition],
    format: ToolCallFormat, foldsInstructions: Bool, written: WrittenResponses
  ) {
    self.format = format
    if !definitions.isEmpty, format.isOfTemplate { tools = definitions.map(\.json) }
    addInstructions(entries, definitions)
    for entry in entries {
      switch entry {
      // Thoughts are not shown again: models are trained to see their own answers only.
      case .instructions, .reasoning: break
      case .prompt(let prompt): add(prompt)
      case .toolCalls(let calls): add(calls)
      case .toolOutput(let output): add(output)
      case .response(let response):
        addToAssistant(
          [(.responses, text(of: response.segments))], [], response.id, response.writtenContent)
      }
    }
    if foldsInstructions { foldInstructions() }
    for index in messages.indices where messages[index].members.isEmpty {
      messages[index].written = written.response(
        ofEntries: messages[index].entryIDs, contents: messages[index].contents)
    }
  }

  var json: [OrderedJSON] { messages.map(\.json) }

  private func text(of segments: [Transcript.Segment]) -> String {
    segments.compactMap(\.text).joined(separator: "\n")
  }

  private mutating func addInstructions(
    _ entries: [Transcript.Entry], _ definitions: [Transcript.ToolDefinition]
  ) {
    var texts: [String] = []
    for case .instructions(let instructions) in entries {
      let text = text(of: instructions.segments)
      if !text.isEmpty { texts.append(text) }
    }
    var sections: [(share: PromptShare, text: String)] = []
    if !texts.isEmpty { sections.append((.instructions, texts.joined(separator: "\n"))) }
    if !definitions.isEmpty, !format.isOfTemplate {
      let lead = sections.isEmpty ? "" : "\n\n"
      sections.append((.tools, lead + ToolCallFormat.explanation(of: definitions)))
    }
    if !sections.isEmpty { messages.append(Message(role: "system", sections: sections)) }
  }

  /// Puts the instructions at the beginning of the first prompt.
  private mutating func foldInstructions() {
    guard messages.first?.role == "system" else { return }
    if messages.count > 1, messages[1].role == "user" {
      let lead = messages.removeFirst()
      messages[0].sections[0].text = "\n\n" + messages[0].sections[0].text
      messages[0].sections = lead.sections + messages[0].sections
    } else {
      messages[0].role = "user"
    }
  }

  /// Makes one message of neighbours that have the same role.
  mutating func joinNeighbours() {
    var joined: [Message] = []
    for message in messages {
      guard let last = joined.last, last.role == message.role, last.role != "tool",
        last.members.isEmpty, message.members.isEmpty, var first = message.sections.first
      else {
        joined.append(message)
        continue
      }
      first.text = "\n\n" + first.text
      joined[joined.count - 1].sections += [first] + message.sections.dropFirst()
      joined[joined.count - 1].written = nil
    }
    messages = joined
  }

  private mutating func add(_ prompt: Transcript.Prompt) {
    var sections: [(share: PromptShare, text: String)] = [(.prompts, text(of: prompt.segments))]
    if case .schema(let schema)? = prompt.responseFormat?.kind,
      prompt.contextOptions.includeSchemaInPrompt != false
    {
      sections.append((.schema, Self.text(of: schema)))
    }
    messages.append(Message(role: "user", sections: sections))
  }

  /// What the model is told of the schema of its answer, behind the prompt.
  static func text(of schema: GenerationSchema) -> String {
    let outline =
      (try? OrderedJSON(parsing: schema.promptText)).map(SchemaOutline.text) ?? schema.promptText
    return "\n\nAnswer with JSON of this form:\n" + outline
  }

  private mutating func add(_ calls: Transcript.ToolCalls) {
    if format.isOfTemplate {
      addToAssistant([], calls.map(\.json), calls.id, calls.writtenContent)
    } else {
      let text = ToolCallFormat.standard.text(of: calls)
      addToAssistant([(.responses, text)], [], calls.id, calls.writtenContent)
    }
  }

  /// Adds to what the model said last, where nobody else has spoken since.
  private mutating func addToAssistant(
    _ sections: [(share: PromptShare, text: String)], _ calls: [OrderedJSON], _ entryID: String,
    _ content: GeneratedContent
  ) {
    if messages.last?.role != "assistant" {
      messages.append(Message(role: "assistant", sections: []))
    }
    let last = messages.count - 1
    messages[last].sections += sections
    messages[last].entryIDs.append(entryID)
    messages[last].contents.append(content)
    guard !calls.isEmpty else { return }
    if let index = messages[last].members.firstIndex(where: { $0.name == "tool_calls" }) {
      let before = messages[last].members[index].value.arrayValue ?? []
      messages[last].members[index].value = .array(before + calls)
    } else {
      messages[last].members.append(.init("tool_calls", .array(calls)))
    }
  }

  private mutating func add(_ output: Transcript.ToolOutput) {
    let text = text(of: output.segments)
    guard !format.isOfTemplate else {
      messages.append(
        Message(
          role: "tool", sections: [(.toolOutput, text)],
          members: [
            .init("name", .string(output.toolName)), .init("tool_call_id", .string(output.id)),
          ]))
      return
    }
    let wrapped = ToolCallFormat.text(ofOutput: text)
    // Outputs that belong together come in one message: some templates want roles to alternate.
    if let last = messages.last, last.role == "user", last.sections[0].share == .toolOutput {
      messages[messages.count - 1].sections.append((.toolOutput, "\n" + wrapped))
    } else {
      messages.append(Message(role: "user", sections: [(.toolOutput, wrapped)]))
    }
  }
}

extension Transcript.ToolDefinition {
  /// The definition as chat templates read it.
  var json: OrderedJSON {
    let parameters =
      includesSchemaInInstructions ? try? OrderedJSON(parsing: parameters.promptText) : nil
    return [
      "type": "function",
      "function": [
        "name": .string(name), "description": .string(description),
        "parameters": parameters ?? ["type": "object", "properties": [:]],
      ],
    ]
  }
}

extension Transcript.ToolCall {
  /// The arguments, keys in the order in which they were generated.
  var argumentsJSON: OrderedJSON { (try? OrderedJSON(parsing: arguments.jsonString)) ?? [:] }

  /// The call as chat templates read it.
  fileprivate var json: OrderedJSON {
    [
      "id": .string(id), "type": "function",
      "function": ["name": .string(toolName), "arguments": argumentsJSON],
    ]
  }
}
