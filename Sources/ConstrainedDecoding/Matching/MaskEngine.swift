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
  private var steps: [StepKey: [Expression]?] = [:]
  private let characters: CharacterSymbols
  /// Row starts by depth of the walk; reused between walks.
  private var stack: ContiguousArray<Int>

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

  private struct Border: Sendable {
    var group: UInt8
    var node: Int32
  }

  private struct StepKey: Hashable, Sendable {
    var state: Expression
    var group: UInt8
    var stopsAtEnds: Bool
  }

  private static let mostBorders = 2048
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
    default:
      walkAll(&mask, state)
    }
  }

  private mutating func fillSequence(
    _ mask: inout TokenMask, _ state: Expression, _ node: ExpressionNode, depth: Int
  ) {
    // A fixed byte leaves so little of the trie that splitting would only cost.
    if automaton.pool.nodes[Int(node.a)].kind == .bytes { return walkAll(&mask, state) }
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
    for group in TokenTable.Group.allCases {
      let run = freeRun(head, group, stopsAtEnds: true)
      let trie = table.tries[group.rawValue]
      allow(&result.mask, group, run)
      if run >= trie.longest && group != .other { continue }
      stack[0] = automaton.row(head)
      walk(&result.mask, group, 0, trie.nodes.count, skip: run, borders: &result.borders)
      if result.borders.count > Self.mostBorders {
        result.isUseful = false
        result.borders = []
        break
      }
    }
    makeRoom(result.mask.words.count * 8 + result.borders.count * 8)
    heads[head] = result
    return result
  }

  private mutating func walkAll(_ mask: inout TokenMask, _ state: Expression) {
    for group in TokenTable.Group.allCases {
      let run = freeRun(state, group, stopsAtEnds: false)
      let trie = table.tries[group.rawValue]
      allow(&mask, group, run)
      if run >= trie.longest && group != .other { continue }
      stack[0] = automaton.row(state)
      var none: [Border]?
      walk(&mask, group, 0, trie.nodes.count, skip: run, borders: &none)
    }
  }

  private mutating func walkBranch(
    _ mask: inout TokenMask, _ group: Int, below node: Int, _ row: Int
  ) {
    guard let kind = TokenTable.Group(rawValue: group) else { return }
    let start = table.tries[group].nodes[node]
    let depth = Int(start.depth) + 1
    stack[depth] = row
    var none: [Border]?
    walk(&mask, kind, node + 1, Int(start.end), skip: 0, borders: &none)
  }

  private mutating func walk(
    _ mask: inout TokenMask, _ group: TokenTable.Group, _ start: Int, _ end: Int, skip: Int,
    borders: inout [Border]
  ) {
    var some: [Border]? = []
    walk(&mask, group, start, end, skip: skip, borders: &some)
    borders.append(contentsOf: some ?? [])
  }

  /// Sets the tokens among trie nodes `start..<end` whose bytes lead on; the row to begin with lies
  /// in the stack at their depth.
  ///
  /// Branches of at most `skip` characters are known to be allowed.
  private mutating func walk(
    _ mask: inout TokenMask, _ group: TokenTable.Group, _ start: Int, _ end: Int, skip: Int,
    borders: inout [Border]?
  ) {
    let trie = table.tries[group.rawValue]
    let skipsBranches = skip > 0
    let seeksBorders = borders != nil
    var index = start
    while index < end {
      let node = trie.nodes[index]
      if skipsBranches && Int(node.longest) <= skip {
        index = Int(node.end)
        continue
      }
      let row = stack[Int(node.depth)]
      let next = automaton.rows[row + Int(automaton.classOfByte[Int(node.byte)])]
      if next == .never {
        index = Int(node.end)
        continue
      }
      if node.token >= 0 { insert(&mask, node.token, trie) }
      if Int(node.end) > index + 1 {
        if seeksBorders && automaton.pool.isNullable(next) {
          borders?.append(Border(group: UInt8(group.rawValue), node: Int32(index)))
          if (borders?.count ?? 0) > Self.mostBorders { return }
        }
        stack[Int(node.depth) + 1] = automaton.row(next)
      }
      index += 1
    }
  }

  private func insert(_ mask: inout TokenMask, _ token: Int32, _ trie: TokenTrie) {
    mask.insert(Int(token))
    guard !trie.sameText.isEmpty, let others = trie.sameText[token] else { return }
    for other in others { mask.insert(Int(other)) }
  }

  private mutating func addTokensByNumber(_ mask: inout TokenMask, _ state: Expression) {
    guard automaton.pool.nodes[Int(state)].flags.contains(.tokens) else { return }
    let row = automaton.row(state)
    let ends = Set(table.endTokens)
    for (id, symbol) in automaton.symbolOfToken
    where automaton.rows[row + symbol] != .never && id < table.tokenCount && !ends.contains(id) {
      mask.insert(id)
    }
    guard automaton.rows[row + automaton.symbolCount - 1] != .never else { return }
    for id in 0..<table.tokenCount
    where automaton.symbolOfToken[id] == nil && !table.isControl[id] {
      mask.insert(id)
    }
  }

  // MARK: Runs of characters a state takes whatever they are

  private func allow(_ mask: inout TokenMask, _ group: TokenTable.Group, _ run: Int) {
    let masks = table.maskByLength[group.rawValue]
    guard run > 0 && group != .other && masks.count > 1 else { return }
    let longest = table.tries[group.rawValue].longest
    if run >= longest {
      mask.formUnion(masks[masks.count - 1])
    } else {
      mask.formUnion(masks[min(run, min(longest, 40))])
    }
  }

  /// How many characters of a group may follow whichever they are, 0 to 255 (255: any number).
  ///
  /// With `stopsAtEnds`, a state in which the region may end stops the run: borders lie there.
  private mutating func freeRun(
    _ state: Expression, _ group: TokenTable.Group, stopsAtEnds: Bool
  ) -> Int {
    if group == .other { return 0 }
    var frontier = [state]
    var seen: Set<Expression> = [state]
    var level = 0
    while level < 255 {
      var next: [Expression] = []
      for e in frontier {
        guard let successors = successors(e, group, stopsAtEnds) else { return min(level, 254) }
        for successor in successors where seen.insert(successor).inserted {
          next.append(successor)
        }
      }
      level += 1
      if next.isEmpty { return 255 }
      if seen.count > 128 { return min(level, 254) }
      frontier = next
    }
    return 254
  }

  /// The states after one character of a group, nil if some character is not taken.
  private mutating func successors(
    _ e: Expression, _ group: TokenTable.Group, _ stopsAtEnds: Bool
  ) -> [Expression]? {
    let key = StepKey(state: e, group: UInt8(group.rawValue), stopsAtEnds: stopsAtEnds)
    if let known = steps[key] { return known }
    var result: Set<Expression> = []
    let symbols = group == .alphanumeric ? characters.alphanumeric : characters.plain
    let isComplete = follow(e, symbols, stopsAtEnds, &result)
    let answer: [Expression]? = isComplete ? result.sorted() : nil
    if steps.count > 100_000 { steps.removeAll(keepingCapacity: true) }
    steps[key] = .some(answer)
    return answer
  }

  private mutating func follow(
    _ e: Expression, _ symbols: [CharacterSymbols.Step], _ stopsAtEnds: Bool,
    _ result: inout Set<Expression>
  ) -> Bool {
    let row = automaton.row(e)
    for step in symbols {
      let next = automaton.rows[row + step.symbol]
      if next == .never || (stopsAtEnds && automaton.pool.isNullable(next)) { return false }
      if step.rest.isEmpty {
        result.insert(next)
      } else if !follow(next, step.rest, stopsAtEnds, &result) {
        return false
      }
    }
    return true
  }

  // MARK: Long counts

  /// The same state for the length of one token: counts that no token can exhaust are dropped, so
  /// that positions inside a long bounded string share one mask.
  private mutating func clamped(_ e: Expression, levels: Int) -> Expression {
    let node = automaton.pool.nodes[Int(e)]
    let reach = Int32(table.longestToken)
    switch node.kind {
    case .unit:
      let inner = clamped(node.a, levels: levels)
      return inner == node.a ? e : automaton.pool.unit(inner)
    case .concatenation where levels > 0:
      let head = clamped(node.a, levels: levels - 1)
      let tail =
        automaton.pool.isNullable(node.a) || automaton.pool.nodes[Int(node.a)].kind == .bytes
          || automaton.pool.nodes[Int(node.b)].kind == .repetition
          || automaton.pool.nodes[Int(node.b)].kind == .concatenation
        ? clamped(node.b, levels: levels - 1) : node.b
      return head == node.a && tail == node.b ? e : automaton.pool.concatenation(head, tail)
    case .repetition where !automaton.pool.isNullable(node.a):
      let low = min(node.b, reach + 1)
      let high = node.c > reach ? -1 : node.c
      if low == node.b && high == node.c { return e }
      return automaton.pool.repetition(node.a, Int(low), high < 0 ? nil : Int(high))
    default:
      return e
    }
  }
}

/// How the characters of a token group read as symbols of an automaton.
struct CharacterSymbols: Sendable {
  /// A symbol, and what may follow it within the character.
  struct Step: Sendable {
    var symbol: Int
    var rest: [Step]
  }

  let alphanumeric: [Step]
  let plain: [Step]

  init(_ automaton: Automaton) {
    func symbols(_ range: ClosedRange<UInt8>) -> [Int] {
      Set(range.map { Int(automaton.classOfByte[Int($0)]) }).sorted()
    }
    func steps(_ ranges: [ClosedRange<UInt8>]) -> [Step] {
      guard let first = ranges.first else { return [] }
      let rest = steps(Array(ranges.dropFirst()))
      return symbols(first).map { Step(symbol: $0, rest: rest) }
    }
    let letters: [ClosedRange<UInt8>] = [0x30...0x39, 0x41...0x5A, 0x61...0x7A]
    alphanumeric = Set(letters.flatMap(symbols)).sorted().map { Step(symbol: $0, rest: []) }
    let ascii: [ClosedRange<UInt8>] = [0x20...0x21, 0x23...0x5B, 0x5D...0x7E]
    let tail: ClosedRange<UInt8> = 0x80...0xBF
    plain =
      Set(ascii.flatMap(symbols)).sorted().map { Step(symbol: $0, rest: []) }
      + steps([0xC2...0xDF, tail]) + steps([0xE0...0xE0, 0xA0...0xBF, tail])
      + steps([0xE1...0xEC, tail, tail]) + steps([0xED...0xED, 0x80...0x9F, tail])
      + steps([0xEE...0xEF, tail, tail]) + steps([0xF0...0xF0, 0x90...0xBF, tail, tail])
      + steps([0xF1...0xF3, tail, tail, tail]) + steps([0xF4...0xF4, 0x80...0x8F, tail, tail])
  }
}
