/// An expression of a pool, by number.
///
/// Operands always have smaller numbers than what uses them.
package typealias Expression = Int32

extension Expression {
  /// The empty language.
  package static let never: Expression = 0
  /// The language of the empty text.
  package static let empty: Expression = 1
}

/// One node: an operator and up to three numbers whose meaning depends on it.
struct ExpressionNode: Sendable {
  enum Kind: UInt8, Sendable {
    case never, empty
    /// One byte out of set `a`.
    case bytes
    /// One token out of token set `a`, whatever its text.
    case token
    /// `a` then `b`.
    case concatenation
    /// Any of the `b` members listed from `a` on, ascending.
    case union
    /// `a`, at least `b` and at most `c` times; `c < 0` is no bound.
    case repetition
    /// All of the `b` members listed from `a` on, ascending.
    case intersection
    /// Every text that `a` does not have.
    case complement
    /// The body of rule `a`.
    case call
    /// `a`, kept whole when something follows it, so that its masks are shared between places.
    case unit
    /// `a` without the empty text.
    case nonEmpty
    /// State `b` of explicit automaton `a`.
    case automaton
    /// A span of source `a` in state `b`, escape state `c`.
    case verbatim
  }

  struct Flags: OptionSet, Sendable {
    let rawValue: UInt8
    /// Has the empty text.
    static let nullable = Flags(rawValue: 1)
    /// Mentions a rule.
    static let calls = Flags(rawValue: 2)
    /// Mentions an operator whose result may be empty without being `never`.
    static let uncertain = Flags(rawValue: 4)
    /// Mentions tokens by number.
    static let tokens = Flags(rawValue: 8)
    /// Mentions spans of a source.
    static let spans = Flags(rawValue: 16)
    static let inherited: Flags = [.calls, .uncertain, .tokens, .spans]
  }

  var kind: Kind
  var flags: Flags
  var a: Int32 = 0
  var b: Int32 = 0
  var c: Int32 = 0
}

/// A set of tokens by number, or every ordinary token outside it.
package struct TokenSet: Hashable, Sendable {
  package enum Member: Hashable, Sendable {
    case id(Int)
    /// A token by its text, resolved when the vocabulary is known.
    case text(String)
  }
  package var member: Member
  package var isNegated: Bool
}

/// Expressions over bytes, each stored once: equal expressions have equal numbers.
///
/// This is the one representation behind every front end and every automaton. Following one byte
/// gives another expression (a derivative, Brzozowski 1964), so the states of the lazily built
/// automata are expressions too; because equal ones share a number, a state is met again rather
/// than built again. What follows a region is the tail of a concatenation, which makes a state of
/// a recursive grammar its own stack, with equal stack tops merged.
package struct ExpressionPool: Sendable {
  var nodes: ContiguousArray<ExpressionNode> = []
  var lists: ContiguousArray<Int32> = []
  private var slots = ContiguousArray<Int32>(repeating: -1, count: 1024)
  var byteSets: [ByteSet] = []
  var tokenSets: [TokenSet] = []
  var automata: [ExplicitAutomaton] = []
  /// By divisor: the texts of its multiples.
  var knownMultiples: [DecimalNumber: Expression] = [:]
  /// Any character of a JSON string, once it was asked for.
  var knownJSONCharacter: Expression?
  var sources: [VerbatimSource] = []
  /// By rule: its body, and whether it is known to have the empty text.
  package var ruleBodies: [Expression] = []
  var ruleIsNullable: [Bool] = []
  let limits: GrammarLimits
  /// The first limit that was passed; results after that are meaningless and callers must throw.
  var exceeded: GrammarLimits.Kind?

  package init(limits: GrammarLimits = GrammarLimits()) {
    self.limits = limits
    nodes.append(ExpressionNode(kind: .never, flags: []))
    nodes.append(ExpressionNode(kind: .empty, flags: .nullable))
  }

  /// - Throws: The limit that was passed, if one was.
  func checkLimits() throws(GrammarError) {
    guard let exceeded else { return }
    throw .limit(exceeded, maximum: limits.maximum(exceeded))
  }

  func isNullable(_ e: Expression) -> Bool { nodes[Int(e)].flags.contains(.nullable) }

  func members(_ node: ExpressionNode) -> ArraySlice<Int32> {
    ArraySlice(lists[Int(node.a)..<Int(node.a + node.b)])
  }

  // MARK: Storing each node once

  mutating func intern(_ node: ExpressionNode) -> Expression {
    var slot = Self.hash(node) & (slots.count - 1)
    while slots[slot] >= 0 {
      let other = nodes[Int(slots[slot])]
      if other.kind == node.kind && other.a == node.a && other.b == node.b && other.c == node.c {
        return slots[slot]
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return add(node, at: slot)
  }

  /// One byte out of `set`.
  mutating func intern(_ set: ByteSet) -> Expression {
    var slot = Self.hash(set) & (slots.count - 1)
    while slots[slot] >= 0 {
      let other = nodes[Int(slots[slot])]
      if other.kind == .bytes && byteSets[Int(other.a)] == set { return slots[slot] }
      slot = (slot + 1) & (slots.count - 1)
    }
    byteSets.append(set)
    return add(ExpressionNode(kind: .bytes, flags: [], a: Int32(byteSets.count - 1)), at: slot)
  }

  /// A node over sorted members: a union or an intersection.
  mutating func intern(
    _ kind: ExpressionNode.Kind, members: [Int32], flags: ExpressionNode.Flags
  ) -> Expression {
    var slot = Self.hash(kind, members) & (slots.count - 1)
    while slots[slot] >= 0 {
      let other = nodes[Int(slots[slot])]
      if other.kind == kind && Int(other.b) == members.count
        && lists[Int(other.a)..<Int(other.a + other.b)].elementsEqual(members)
      {
        return slots[slot]
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    if lists.count + members.count > limits.maximumStates * 8 {
      exceeded = exceeded ?? .items
      return .never
    }
    let start = Int32(lists.count)
    lists.append(contentsOf: members)
    return add(
      ExpressionNode(kind: kind, flags: flags, a: start, b: Int32(members.count)), at: slot)
  }

  private mutating func add(_ node: ExpressionNode, at slot: Int) -> Expression {
    guard nodes.count < limits.maximumStates else {
      exceeded = exceeded ?? .states
      return .never
    }
    let number = Int32(nodes.count)
    nodes.append(node)
    slots[slot] = number
    if nodes.count * 2 > slots.count { grow() }
    return number
  }

  private mutating func grow() {
    slots = ContiguousArray(repeating: -1, count: slots.count * 2)
    for (number, node) in nodes.enumerated() where number > 1 {
      let hash =
        switch node.kind {
        case .union, .intersection: Self.hash(node.kind, members(node))
        case .bytes: Self.hash(byteSets[Int(node.a)])
        default: Self.hash(node)
        }
      var slot = hash & (slots.count - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(number)
    }
  }

  private static func hash(_ node: ExpressionNode) -> Int {
    var hash = Int(node.kind.rawValue) &* 0x9E37_79B9
    hash = (hash ^ Int(node.a)) &* 0x1_0000_01B3
    hash = (hash ^ Int(node.b)) &* 0x5_1A2B_4C35
    hash = (hash ^ Int(node.c)) &* 0x1_0000_01B3
    return finish(hash)
  }

  private static func hash(
    _ kind: ExpressionNode.Kind, _ members: some Sequence<Int32>
  ) -> Int {
    var hash = Int(kind.rawValue) &* 0x9E37
    for member in members { hash = (hash ^ Int(member)) &* 0x1_0000_01B3 }
    return finish(hash)
  }

  private static func hash(_ set: ByteSet) -> Int { finish(set.mixed) }

  private static func finish(_ hash: Int) -> Int {
    let mixed = UInt64(bitPattern: Int64(hash)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32)
  }
}

extension GrammarLimits {
  func maximum(_ kind: Kind) -> Int {
    switch kind {
    case .states: maximumStates
    case .tableBytes: maximumTableBytes
    case .nesting: maximumNesting
    case .items: maximumItems
    case .work: maximumWork
    }
  }
}

/// A small automaton given state by state, for conditions that have no short expression
/// (divisibility).
///
/// State 0 is the start.
struct ExplicitAutomaton: Sendable {
  /// By state: where each listed byte leads; other bytes lead nowhere.
  var transitions: [[(byte: UInt8, state: Int32)]]
  var isAccepting: [Bool]
}
