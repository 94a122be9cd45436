extension LanguageModelSession {
  /// What a model has read and written.
  public struct Usage: Sendable {
    /// What a model has read.
    public struct Input: Sendable, Equatable {
      /// Tokens of all prompts, each with all that stood before it.
      public var totalTokenCount: Int
      /// Those of them that were still in the KV cache and cost nothing.
      public var cachedTokenCount: Int

      /// Counts of tokens.
      public init(totalTokenCount: Int, cachedTokenCount: Int) {
        self.totalTokenCount = totalTokenCount
        self.cachedTokenCount = cachedTokenCount
      }
    }

    /// What a model has written.
    public struct Output: Sendable, Equatable {
      /// Tokens of responses, calls of tools and thoughts.
      public var totalTokenCount: Int
      /// Those of them that are thoughts.
      public var reasoningTokenCount: Int

      /// Counts of tokens.
      public init(totalTokenCount: Int, reasoningTokenCount: Int) {
        self.totalTokenCount = totalTokenCount
        self.reasoningTokenCount = reasoningTokenCount
      }
    }

    /// What was read.
    public var input: Input
    /// What was written.
    public var output: Output
    /// More that the provider says; of several requests the last one counts.
    public var metadata: [String: GeneratedContent]

    /// Usage of some requests.
    public init(
      input: Input, output: Output, metadata: [String: any ConvertibleToGeneratedContent] = [:]
    ) {
      self.input = input
      self.output = output
      self.metadata = metadata.mapValues(\.generatedContent)
    }

    /// Tokens read and written.
    public var totalTokenCount: Int { input.totalTokenCount + output.totalTokenCount }

    init() {
      self.init(
        input: Input(totalTokenCount: 0, cachedTokenCount: 0),
        output: Output(totalTokenCount: 0, reasoningTokenCount: 0))
    }

    static func + (a: Usage, b: Usage) -> Usage {
      Usage(
        input: Input(
          totalTokenCount: a.input.totalTokenCount + b.input.totalTokenCount,
          cachedTokenCount: a.input.cachedTokenCount + b.input.cachedTokenCount),
        output: Output(
          totalTokenCount: a.output.totalTokenCount + b.output.totalTokenCount,
          reasoningTokenCount: a.output.reasoningTokenCount + b.output.reasoningTokenCount),
        metadata: a.metadata.merging(b.metadata) { _, last in last })
    }
  }
}
