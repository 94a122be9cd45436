internal import Foundation

/// Puts the events of an executor together to the entries of a transcript.
struct ResponseAssembler {
  private typealias Channel = LanguageModelExecutorGenerationChannel

  /// The schema that responses follow; their text is then JSON.
  let schema: GenerationSchema?
  private(set) var usage = LanguageModelSession.Usage()
  private(set) var contextUsage: LanguageModelSession.ContextUsage?
  private var drafts: [Draft] = []

  init(schema: GenerationSchema?) { self.schema = schema }

  /// Whether nothing has come yet that a reader could have seen.
  var isEmpty: Bool { drafts.isEmpty }

  /// What a change is about.
  enum Change {
    case response, other
  }

  mutating func apply(_ event: LanguageModelExecutorGenerationChannel.Event) -> Change {
    switch event.kind {
    case .response(let id, let action):
      let index = draft(id, isSameKind: { $0.isResponse }, new: { .response(TextDraft(id: $0)) })
      guard case .response(var draft) = drafts[index] else { return .other }
      let isText = apply(action, to: &draft)
      drafts[index] = .response(draft)
      return isText ? .response : .other
    case .reasoning(let id, let action):
      let index = draft(id, isSameKind: { $0.isReasoning }, new: { .reasoning(TextDraft(id: $0)) })
      guard case .reasoning(var draft) = drafts[index] else { return .other }
      apply(action, to: &draft)
      drafts[index] = .reasoning(draft)
    case .toolCalls(let id, let action):
      let index = draft(id, isSameKind: { $0.isToolCalls }, new: { .toolCalls(CallsDraft(id: $0)) })
      guard case .toolCalls(var draft) = drafts[index] else { return .other }
      apply(action, to: &draft)
      drafts[index] = .toolCalls(draft)
    case .contextUsage(let usage):
      contextUsage = usage
    }
    return .other
  }

  /// The draft of that name and kind, else the last one if it is of that kind, else a new one.
  private mutating func draft(
    _ id: String?, isSameKind: (Draft) -> Bool, new: (String) -> Draft
  ) -> Int {
    let index =
      if let id {
        drafts.firstIndex { $0.id == id && isSameKind($0) }
      } else {
        drafts.indices.last.flatMap { isSameKind(drafts[$0]) ? $0 : nil }
      }
    if let index { return index }
    drafts.append(new(id ?? UUID().uuidString))
    return drafts.endIndex - 1
  }

  // MARK: Actions

  /// Whether the text of the response may have changed.
  private mutating func apply(
    _ action: Channel.Response.Action.Kind, to draft: inout TextDraft
  ) -> Bool {
    switch action {
    case .append(let fragment):
      usage.output.totalTokenCount += fragment.tokenCount
      draft.append(fragment.text, segmentID: fragment.segmentID)
      return !fragment.text.isEmpty
    case .replace(let fragment):
      usage.output.totalTokenCount += fragment.tokenCount
      draft.replace(fragment.text, segmentID: fragment.segmentID)
      return true
    case .addAttachment(let segment): draft.segments.append(.attachment(segment))
    case .removeAttachment(let id): draft.segments.removeAll { $0.isAttachment && $0.id == id }
    case .metadata(let metadata): draft.metadata = metadata
    case .usage(let totals): set(totals)
    }
    return false
  }

  private mutating func apply(
    _ action: Channel.Reasoning.Action.Kind, to draft: inout TextDraft
  ) {
    switch action {
    case .append(let fragment):
      countReasoning(fragment.tokenCount)
      draft.append(fragment.text, segmentID: fragment.segmentID)
    case .replace(let fragment):
      countReasoning(fragment.tokenCount)
      draft.replace(fragment.text, segmentID: fragment.segmentID)
    case .signature(let signature, let tokenCount):
      countReasoning(tokenCount)
      draft.signature = signature
    case .metadata(let metadata): draft.metadata = metadata
    case .usage(let totals): set(totals)
    }
  }

  private mutating func apply(
    _ action: Channel.ToolCalls.Action.Kind, to draft: inout CallsDraft
  ) {
    switch action {
    case .call(let id, let name, .appendArguments(let text, let tokenCount)):
      usage.output.totalTokenCount += tokenCount
      draft.update(id, name) { $0.arguments += text }
    case .call(let id, let name, .metadata(let metadata)):
      draft.update(id, name) { $0.metadata = metadata }
    case .remove(let id): draft.calls.removeAll { $0.id == id }
    case .metadata: break  // An entry of calls has no notes of its own in a transcript.
    case .usage(let totals): set(totals)
    }
  }

  private mutating func countReasoning(_ tokens: Int) {
    usage.output.totalTokenCount += tokens
    usage.output.reasoningTokenCount += tokens
  }

  private mutating func set(_ totals: Channel.Totals) {
    usage = LanguageModelSession.Usage(
      input: totals.input, output: totals.output, metadata: totals.metadata)
  }
}

// MARK: Results

extension ResponseAssembler {
  /// The text of the last response, which is JSON where there is a schema; nil before one begins.
  var responseText: String? {
    let response = drafts.last { $0.isResponse }
    guard case .response(let draft)? = response else { return nil }
    return draft.text(separator: schema == nil ? "\n" : "")
  }

  /// The response as content: as far as it is there, or nil where that says nothing yet.
  ///
  /// JSON is read once for each change.
  mutating func responseContent(id: GenerationID, hasEnded: Bool) -> GeneratedContent? {
    guard let index = drafts.lastIndex(where: \.isResponse),
      case .response(var draft) = drafts[index]
    else { return nil }
    guard schema != nil else {
      return GeneratedContent(kind: .string(draft.text(separator: "\n")), id: id)
    }
    let text = draft.text(separator: "")
    guard let content = try? GeneratedContent(json: text, id: id, hasEnded: hasEnded) else {
      return nil
    }
    draft.content = content
    drafts[index] = .response(draft)
    if case .null = content.kind, !content.isComplete { return nil }
    return content
  }

  /// The calls of tools that the model wants now.
  ///
  /// - Throws: `GeneratedContent.ParsingError` when arguments are no JSON.
  func toolCalls() throws -> [Transcript.ToolCall] {
    try drafts.flatMap { draft in
      guard case .toolCalls(let calls) = draft else { return [Transcript.ToolCall]() }
      return try calls.calls.map { try $0.call() }
    }
  }

  /// All entries; what is incomplete is in them as far as it goes.
  var entries: [Transcript.Entry] {
    drafts.compactMap { draft in
      switch draft {
      case .response(let draft):
        .response(response(draft))
      case .reasoning(let draft):
        .reasoning(
          .init(
            id: draft.id, metadata: draft.metadata, segments: draft.transcriptSegments,
            signature: draft.signature))
      case .toolCalls(let draft):
        draft.calls.isEmpty ? nil : .toolCalls(.init(id: draft.id, draft.calls.map(\.callSoFar)))
      }
    }
  }

  private func response(_ draft: TextDraft) -> Transcript.Response {
    var segments = draft.transcriptSegments
    if let schema,
      let content = draft.content ?? (try? GeneratedContent(json: draft.text(separator: "")))
    {
      let isText = { (segment: Transcript.Segment) in
        if case .text = segment { true } else { false }
      }
      let id = segments.first(where: isText)?.id ?? draft.id
      segments.removeAll(where: isText)
      segments.insert(
        .structure(.init(id: id, schemaName: schema.name, content: content)), at: 0)
    }
    return Transcript.Response(id: draft.id, metadata: draft.metadata, segments: segments)
  }
}
