/// The automaton of one grammar over one vocabulary, with everything learnt about it so far.
///
/// A state `h · t` is answered in two parts: what `h` alone allows, kept once for every place where
/// `h` occurs, and the branches of the trie in which `h` ends, walked from `t`. All strings of a
/// schema therefore share their masks whatever follows them, at whatever depth.
struct MaskEngine: Sendable {
  var automaton: Automaton
  let table: TokenTable
  private var masks: [Expression: StoredMask] = [:]
  private var heads: [Expression: HeadMask] = [:]
  var storedBytes = 0
  /// Trie nodes and characters looked at so far.
  var stepsTaken = 0
  var steps: [StepKey: [Expression]?] = [:]
  let characters: CharacterSymbols
  /// Row starts by depth of the walk; reused between walks.
  var stack: ContiguousArray<Int>

  private enum StoredMask: Sendable {
    case dense(TokenMask)
    case sparse([Int32])
  }

  /// What a region allows by itself.
  private struct HeadMask: Sendable {
    var mask: TokenMask
    /// Trie nodes after which the region may end; what follows it decides about their branches.
    var borders: [Border] = []
    /// False where the region may end nearly everywhere, so that a plain walk is cheaper.
    var isUseful = true
  }

  struct Border: Sendable {
    var group: UInt8
    var node: Int32
  }

  struct StepKey: Hashable, Sendable {
    var state: Expression
    var group: UInt8
    var stopsAtEnds: Bool
  }

  static let mostBorders = 2048
  private static let deepestSplit = 16

  init(automaton: Automaton, table: TokenTable) {
    self.automaton = automaton
    self.table = table
    characters = CharacterSymbols(automaton)
    let depth = table.tries.map(\.depth).max() ?? 0
    stack = ContiguousArray(repeating: 0, count: depth + 2)
  }

  /// The tokens legal in `state`, end tokens included where the grammar is complete.
  mutating func mask(of state: Expression) throws(GrammarError) -> TokenMask {
    let key = clamped(state, levels: 3)
    switch masks[key] {
    case .dense(let mask): return mask
    case .sparse(let ids):
      var mask = TokenMask(tokenCount: table.tokenCount)
      for id in ids { mask.insert(Int(id)) }
      return mask
    case nil: break
    }
    var mask = TokenMask(tokenCount: table.tokenCount)
    fill(&mask, key, depth: 0)
    addTokensByNumber(&mask, key)
    if automaton.pool.isNullable(key) { for id in table.endTokens { mask.insert(id) } }
    try automaton.pool.checkLimits()
    store(mask, key)
    return mask
  }

  private mutating func store(_ mask: TokenMask, _ key: Expression) {
    let count = mask.count
    let isSparse = count * 4 < mask.words.count
    makeRoom(isSparse ? count * 4 + 64 : mask.words.count * 8 + 64)
    masks[key] = isSparse ? .sparse(mask.tokens.map { Int32($0) }) : .dense(mask)
  }

  private mutating func makeRoom(_ bytes: Int) {
    storedBytes += bytes
    guard storedBytes > automaton.pool.limits.maskCacheBytes else { return }
    masks.removeAll(keepingCapacity: true)
    heads.removeAll(keepingCapacity: true)
    storedBytes = bytes
  }

  // MARK: Computing a mask

  private mutating func fill(_ mask: inout TokenMask, _ state: Expression, depth: Int) {
    // Long chains of parts that may all be empty are walked as a whole.
    guard depth < Self.deepestSplit else { return walkAll(&mask, state) }
    let node = automaton.pool.nodes[Int(state)]
    switch node.kind {
    case .union where node.b <= 8:
      for member in Array(automaton.pool.members(node)) {
        fill(&mask, member, depth: depth + 1)
      }
    case .concatenation:
      fillSequence(&mask, state, node, depth: depth)
    // Nothing follows the unit that it would have to be kept apart from.
    case .unit:
      fill(&mask, node.a, depth: depth)
    default:
      walkAll(&mask, state)
    }
  }

  private mutating func fillSequence(
    _ mask: inout TokenMask, _ state: Expression, _ node: ExpressionNode, depth: Int
  ) {
    // A fixed byte leaves so little of the trie that splitting would only cost; a span without its
    // end could end nearly everywhere.
    let isFixed = automaton.pool.nodes[Int(node.a)].kind == .bytes
    if isFixed || automaton.spanState(node.a) != nil { return walkAll(&mask, state) }
    let head = headMask(clamped(node.a, levels: 3))
    guard head.isUseful else { return walkAll(&mask, state) }
    mask.formUnion(head.mask)
    if !head.borders.isEmpty {
      let row = automaton.row(node.b)
      for border in head.borders {
        walkBranch(&mask, Int(border.group), below: Int(border.node), row)
      }
    }
    if automaton.pool.isNullable(node.a) { fill(&mask, node.b, depth: depth + 1) }
  }

  private mutating func headMask(_ head: Expression) -> HeadMask {
    if let known = heads[head] { return known }
    var result = HeadMask(mask: TokenMask(tokenCount: table.tokenCount))
    var borders: [Border]? = []
    let region = automaton.spanRegion(beginning: head)
    for group in TokenTable.Group.allCases {
      walk(&result.mask, group, head, region, borders: &borders)
      if (borders?.count ?? 0) > Self.mostBorders {
        result.isUseful = false
        break
      }
    }
    if result.isUseful { result.borders = borders ?? [] }
    makeRoom(result.mask.words.count * 8 + result.borders.count * 8)
    heads[head] = result
    return result
  }
}
