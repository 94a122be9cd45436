/// Instructions and tools that are asked for anew at each request, so that they can change.
///
/// A conforming type says in its ``body`` what holds now: ``Instructions``, tools, conditions and
/// other dynamic instructions. Properties marked ``LanguageModelSession/SessionProperty`` are those
/// of the session that asks.
@_typeEraser(AnyDynamicInstructions)
public protocol DynamicInstructions {
  /// What the instructions are made of.
  associatedtype Body: DynamicInstructions

  /// What holds now.
  @DynamicInstructionsBuilder var body: Body { get }

  /// Loops in a body.
  typealias ForEach = DynamicInstructionsForEach
}

/// What dynamic instructions come to at some moment.
struct ResolvedInstructions {
  var content = PromptContent()
  var tools: [any Tool] = []

  mutating func add<Added: DynamicInstructions>(_ instructions: Added) {
    if let part = instructions as? any InstructionsPart {
      part.add(to: &self)
    } else {
      add(instructions.body)
    }
  }
}

/// Instructions that are not made of others.
protocol InstructionsPart {
  func add(to resolved: inout ResolvedInstructions)
}

extension Never: DynamicInstructions {
  /// Cannot be asked for.
  public var body: Never { self }
}

extension DynamicInstructions where Body == Never {
  /// Not there: these instructions are not made of others.
  public var body: Never { preconditionFailure("\(Self.self) has no body") }
}

extension Instructions: DynamicInstructions, InstructionsPart {
  /// There is none.
  public typealias Body = Never

  func add(to resolved: inout ResolvedInstructions) { resolved.content.append(content) }
}

extension Optional: DynamicInstructions where Wrapped: DynamicInstructions {
  /// There is none.
  public typealias Body = Never
}

extension Optional: InstructionsPart where Wrapped: DynamicInstructions {
  func add(to resolved: inout ResolvedInstructions) {
    if let self { resolved.add(self) }
  }
}

/// No instructions.
public struct EmptyDynamicInstructions: DynamicInstructions, InstructionsPart, Sendable {
  /// There is none.
  public typealias Body = Never

  /// No instructions.
  public init() {}

  func add(to resolved: inout ResolvedInstructions) {}
}

/// Instructions of any type.
public struct AnyDynamicInstructions: DynamicInstructions, InstructionsPart {
  /// There is none.
  public typealias Body = Never

  private let instructions: any DynamicInstructions

  /// Forgets the type of instructions.
  public init(_ dynamicInstructions: any DynamicInstructions) {
    instructions = dynamicInstructions
  }

  /// Forgets the type of instructions.
  public init(erasing dynamicInstructions: some DynamicInstructions) {
    self.init(dynamicInstructions)
  }

  func add(to resolved: inout ResolvedInstructions) { resolved.add(instructions) }
}

/// Several instructions, one below the other.
public struct TupleDynamicInstructions<each Content: DynamicInstructions>: DynamicInstructions,
  InstructionsPart
{
  /// There is none.
  public typealias Body = Never

  private let contents: (repeat each Content)

  /// Puts instructions below each other.
  public init(_ contents: repeat each Content) { self.contents = (repeat each contents) }

  func add(to resolved: inout ResolvedInstructions) {
    for content in repeat each contents { resolved.add(content) }
  }
}

/// One of two instructions.
public struct ConditionalDynamicInstructions<
  TrueContent: DynamicInstructions, FalseContent: DynamicInstructions
>: DynamicInstructions, InstructionsPart {
  /// There is none.
  public typealias Body = Never

  /// Which of the two.
  public enum Branch {
    /// Those of a condition that holds.
    case trueContent(TrueContent)
    /// Those of a condition that does not hold.
    case falseContent(FalseContent)
  }

  private let branch: Branch

  /// One of two instructions.
  public init(_ branch: Branch) { self.branch = branch }

  func add(to resolved: inout ResolvedInstructions) {
    switch branch {
    case .trueContent(let content): resolved.add(content)
    case .falseContent(let content): resolved.add(content)
    }
  }
}

/// Instructions for each element of some data, one below the other.
public struct DynamicInstructionsForEach<
  Data: RandomAccessCollection, ID: Hashable, Content: DynamicInstructions
>: DynamicInstructions, InstructionsPart {
  /// There is none.
  public typealias Body = Never

  private let data: Data
  private let content: (Data.Element) -> Content

  /// Instructions for each element.
  ///
  /// - Parameters:
  ///   - data: the elements.
  ///   - id: what tells elements apart.
  ///   - content: the instructions for one.
  public init(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) {
    self.data = data
    self.content = content
  }

  func add(to resolved: inout ResolvedInstructions) {
    for element in data { resolved.add(content(element)) }
  }
}

extension DynamicInstructionsForEach where Data.Element: Identifiable, ID == Data.Element.ID {
  /// Instructions for each element.
  public init(
    _ data: Data, @DynamicInstructionsBuilder content: @escaping (Data.Element) -> Content
  ) {
    self.init(data, id: \.id, content: content)
  }
}

/// Tools among instructions.
struct ToolInstructions: DynamicInstructions, InstructionsPart {
  typealias Body = Never

  let tools: [any Tool]

  func add(to resolved: inout ResolvedInstructions) { resolved.tools += tools }
}
