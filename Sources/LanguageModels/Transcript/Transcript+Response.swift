public import Foundation

extension Transcript {
  /// What a model answered.
  public struct Response: Sendable, Identifiable, Equatable {
    /// Tells the entry from others.
    public var id: String
    /// What the response was made with.
    public var assetIDs: [String]
    /// The response in parts.
    public var segments: [Segment]
    /// Notes of the model's provider.
    public var metadata: [String: GeneratedContent]

    /// A response.
    public init(id: String = UUID().uuidString, assetIDs: [String], segments: [Segment]) {
      self.id = id
      self.assetIDs = assetIDs
      self.segments = segments
      metadata = [:]
    }

    /// A response with notes.
    public init(
      id: String = UUID().uuidString, metadata: [String: any ConvertibleToGeneratedContent] = [:],
      segments: [Segment]
    ) {
      self.id = id
      assetIDs = []
      self.segments = segments
      self.metadata = metadata.mapValues(\.generatedContent)
    }
  }

  /// What a model thought before it answered.
  public struct Reasoning: Sendable, Identifiable, Equatable {
    /// Tells the entry from others.
    public var id: String
    /// The thoughts in parts.
    public var segments: [Segment]
    /// What the provider needs to take the thoughts up again.
    public var signature: Data?
    /// Notes of the model's provider.
    public var metadata: [String: GeneratedContent]

    /// Thoughts.
    public init(
      id: String = UUID().uuidString, metadata: [String: any ConvertibleToGeneratedContent] = [:],
      segments: [Segment], signature: Data? = nil
    ) {
      self.id = id
      self.segments = segments
      self.signature = signature
      self.metadata = metadata.mapValues(\.generatedContent)
    }
  }
}
