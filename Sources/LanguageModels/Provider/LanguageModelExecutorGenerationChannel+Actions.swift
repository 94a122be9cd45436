public import Foundation

// The actions that events carry. Token counts add up to the usage of a response until totals
// replace them.

extension LanguageModelExecutorGenerationChannel.Response.Action {
  /// More text, for the segment of that name or the last one.
  public static func appendText(
    _ text: String, segmentID: String? = nil, tokenCount: Int
  ) -> Self {
    Self(kind: .append(.init(text: text, segmentID: segmentID, tokenCount: tokenCount)))
  }

  /// Other text in the place of that of a segment.
  public static func replaceTextSegment(
    _ text: String, segmentID: String? = nil, tokenCount: Int
  ) -> Self {
    Self(kind: .replace(.init(text: text, segmentID: segmentID, tokenCount: tokenCount)))
  }

  /// An attachment behind what is there.
  public static func addAttachmentSegment(_ segment: Transcript.AttachmentSegment) -> Self {
    Self(kind: .addAttachment(segment))
  }

  /// Takes an attachment back.
  public static func removeAttachmentSegment(id: String) -> Self {
    Self(kind: .removeAttachment(id: id))
  }

  /// Notes in the place of those before.
  public static func updateMetadata(_ values: [String: any ConvertibleToGeneratedContent]) -> Self {
    Self(kind: .metadata(values.mapValues(\.generatedContent)))
  }

  /// Totals in the place of those before.
  public static func updateUsage(
    input: LanguageModelExecutorGenerationChannel.Usage.Input,
    output: LanguageModelExecutorGenerationChannel.Usage.Output,
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> Self {
    Self(
      kind: .usage(
        .init(input: input, output: output, metadata: metadata.mapValues(\.generatedContent))))
  }
}

extension LanguageModelExecutorGenerationChannel.Reasoning.Action {
  /// More text, for the segment of that name or the last one.
  public static func appendText(
    _ text: String, segmentID: String? = nil, tokenCount: Int
  ) -> Self {
    Self(kind: .append(.init(text: text, segmentID: segmentID, tokenCount: tokenCount)))
  }

  /// Other text in the place of that of a segment.
  public static func replaceTextSegment(
    _ text: String, segmentID: String? = nil, tokenCount: Int
  ) -> Self {
    Self(kind: .replace(.init(text: text, segmentID: segmentID, tokenCount: tokenCount)))
  }

  /// What the provider needs to take the thoughts up again.
  public static func updateSignature(_ signature: Data, tokenCount: Int) -> Self {
    Self(kind: .signature(signature, tokenCount: tokenCount))
  }

  /// Notes in the place of those before.
  public static func updateMetadata(_ values: [String: any ConvertibleToGeneratedContent]) -> Self {
    Self(kind: .metadata(values.mapValues(\.generatedContent)))
  }

  /// Totals in the place of those before.
  public static func updateUsage(
    input: LanguageModelExecutorGenerationChannel.Usage.Input,
    output: LanguageModelExecutorGenerationChannel.Usage.Output,
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> Self {
    Self(
      kind: .usage(
        .init(input: input, output: output, metadata: metadata.mapValues(\.generatedContent))))
  }
}

extension LanguageModelExecutorGenerationChannel.ToolCalls.Action {
  /// Something of one call; the first event of an identifier begins it.
  public static func toolCall(
    id: String, name: String,
    action: LanguageModelExecutorGenerationChannel.ToolCalls.ToolCall.Action
  ) -> Self {
    Self(kind: .call(id: id, name: name, action.kind))
  }

  /// Takes a call back.
  public static func removeToolCall(id: String) -> Self { Self(kind: .remove(id: id)) }

  /// Notes in the place of those before.
  public static func updateMetadata(_ values: [String: any ConvertibleToGeneratedContent]) -> Self {
    Self(kind: .metadata(values.mapValues(\.generatedContent)))
  }

  /// Totals in the place of those before.
  public static func updateUsage(
    input: LanguageModelExecutorGenerationChannel.Usage.Input,
    output: LanguageModelExecutorGenerationChannel.Usage.Output,
    metadata: [String: any ConvertibleToGeneratedContent] = [:]
  ) -> Self {
    Self(
      kind: .usage(
        .init(input: input, output: output, metadata: metadata.mapValues(\.generatedContent))))
  }
}

extension LanguageModelExecutorGenerationChannel.ToolCalls.ToolCall.Action {
  /// More of the arguments, which are JSON in the end.
  public static func appendArguments(_ content: String, tokenCount: Int) -> Self {
    Self(kind: .appendArguments(content, tokenCount: tokenCount))
  }

  /// Notes in the place of those before.
  public static func updateMetadata(_ values: [String: any ConvertibleToGeneratedContent]) -> Self {
    Self(kind: .metadata(values.mapValues(\.generatedContent)))
  }
}
