internal import Foundation

extension LanguageModelExecutorGenerationChannel {
  /// One piece of what an executor generates, or a note about it.
  ///
  /// An entry is begun by the first event that names it. Events without a name go to the last
  /// entry if that is of their kind, else to a new one.
  public struct Event: Sendable {
    enum Kind {
      case response(String?, Response.Action.Kind)
      case reasoning(String?, Reasoning.Action.Kind)
      case toolCalls(String?, ToolCalls.Action.Kind)
      case contextUsage(LanguageModelSession.ContextUsage)
    }

    let kind: Kind

    /// Something of a response.
    public static func response(entryID: String? = nil, action: Response.Action) -> Event {
      Event(kind: .response(entryID, action.kind))
    }

    /// Something of the thoughts before a response.
    public static func reasoning(entryID: String? = nil, action: Reasoning.Action) -> Event {
      Event(kind: .reasoning(entryID, action.kind))
    }

    /// Something of calls of tools.
    public static func toolCalls(entryID: String? = nil, action: ToolCalls.Action) -> Event {
      Event(kind: .toolCalls(entryID, action.kind))
    }

    /// How the context window is filled now; each such event replaces the one before.
    public static func contextUsage(_ usage: LanguageModelSession.ContextUsage) -> Event {
      Event(kind: .contextUsage(usage))
    }
  }

  /// What the model has read and written for one request.
  public struct Usage: Sendable {
    /// What was read.
    public typealias Input = LanguageModelSession.Usage.Input
    /// What was written.
    public typealias Output = LanguageModelSession.Usage.Output
  }

  /// A text that is appended to a segment or replaces it.
  struct TextFragment {
    var text: String
    var segmentID: String?
    var tokenCount: Int
  }

  /// Totals that replace the ones before.
  struct Totals {
    var input: Usage.Input
    var output: Usage.Output
    var metadata: [String: GeneratedContent]
  }

  /// Events of a response.
  public enum Response {
    /// What happens to a response.
    public struct Action: Sendable {
      enum Kind {
        case append(TextFragment)
        case replace(TextFragment)
        case addAttachment(Transcript.AttachmentSegment)
        case removeAttachment(id: String)
        case metadata([String: GeneratedContent])
        case usage(Totals)
      }

      let kind: Kind
    }
  }

  /// Events of thoughts.
  public enum Reasoning {
    /// What happens to thoughts.
    public struct Action: Sendable {
      enum Kind {
        case append(TextFragment)
        case replace(TextFragment)
        case signature(Data, tokenCount: Int)
        case metadata([String: GeneratedContent])
        case usage(Totals)
      }

      let kind: Kind
    }
  }

  /// Events of calls of tools.
  public enum ToolCalls {
    /// What happens to calls.
    public struct Action: Sendable {
      enum Kind {
        case call(id: String, name: String, ToolCall.Action.Kind)
        case remove(id: String)
        case metadata([String: GeneratedContent])
        case usage(Totals)
      }

      let kind: Kind
    }

    /// Events of one call.
    public enum ToolCall {
      /// What happens to one call.
      public struct Action: Sendable {
        enum Kind {
          case appendArguments(String, tokenCount: Int)
          case metadata([String: GeneratedContent])
        }

        let kind: Kind
      }
    }
  }
}
