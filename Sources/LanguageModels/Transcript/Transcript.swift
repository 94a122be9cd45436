/// All that was said in a session, in order: instructions, prompts, calls of tools, responses.
public struct Transcript: Sendable, Equatable {
  private var entries: [Entry]

  /// A transcript of some entries.
  public init(entries: some Sequence<Entry> = []) { self.entries = Array(entries) }

  /// One thing that was said.
  public enum Entry: Sendable, Identifiable, Equatable {
    /// What the model was told about its task, and the tools it may call.
    case instructions(Instructions)
    /// What the model was asked.
    case prompt(Prompt)
    /// Tools the model wants called.
    case toolCalls(ToolCalls)
    /// What one call of a tool gave.
    case toolOutput(ToolOutput)
    /// What the model answered.
    case response(Response)
    /// What the model thought before it answered.
    case reasoning(Reasoning)

    /// The identifier of the entry inside.
    public var id: String {
      switch self {
      case .instructions(let entry): entry.id
      case .prompt(let entry): entry.id
      case .toolCalls(let entry): entry.id
      case .toolOutput(let entry): entry.id
      case .response(let entry): entry.id
      case .reasoning(let entry): entry.id
      }
    }

    /// The parts of the entry inside; calls of tools have none.
    package var segments: [Segment] {
      switch self {
      case .instructions(let entry): entry.segments
      case .prompt(let entry): entry.segments
      case .toolCalls: []
      case .toolOutput(let entry): entry.segments
      case .response(let entry): entry.segments
      case .reasoning(let entry): entry.segments
      }
    }
  }
}

extension Transcript: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  /// A transcript of nothing.
  public init() { entries = [] }

  /// Zero.
  public var startIndex: Int { entries.startIndex }

  /// The number of entries.
  public var endIndex: Int { entries.endIndex }

  /// One entry.
  public subscript(index: Int) -> Entry {
    get { entries[index] }
    set { entries[index] = newValue }
  }

  /// Puts other entries in the place of some.
  public mutating func replaceSubrange<Entries: Collection>(
    _ subrange: Range<Int>, with newElements: Entries
  ) where Entries.Element == Entry {
    entries.replaceSubrange(subrange, with: newElements)
  }
}

extension Transcript {
  /// The entries behind the instructions that begin the transcript.
  public var history: ArraySlice<Entry> {
    get { entries[historyStart...] }
    set { entries.replaceSubrange(historyStart..., with: newValue) }
  }

  private var historyStart: Int {
    entries.firstIndex { entry in
      if case .instructions = entry { false } else { true }
    } ?? entries.endIndex
  }
}
