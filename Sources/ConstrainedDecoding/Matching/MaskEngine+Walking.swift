// Walks along a trie of tokens and the states of an automaton at once.
extension MaskEngine {
  mutating func walkAll(_ mask: inout TokenMask, _ state: Expression) {
    var none: [Border]?
    let region = automaton.spanRegion(beginning: state)
    for group in TokenTable.Group.allCases {
      walk(&mask, group, state, region, borders: &none)
    }
  }

  /// The tokens of one group that are legal in `state`; with `borders`, those of a region by itself.
  mutating func walk(
    _ mask: inout TokenMask, _ group: TokenTable.Group, _ state: Expression,
    _ region: SpanRegion?, borders: inout [Border]?
  ) {
    let trie = table.tries[group.rawValue]
    if let region { return walk(&mask, group, 0, trie.nodes.count, region, borders: &borders) }
    let run = freeRun(state, group, stopsAtEnds: borders != nil)
    allow(&mask, group, run)
    if run >= trie.longest && group != .other { return }
    stack[0] = automaton.row(state)
    walk(&mask, group, 0, trie.nodes.count, skip: run, borders: &borders)
  }

  mutating func walkBranch(
    _ mask: inout TokenMask, _ group: Int, below node: Int, _ row: Int
  ) {
    guard let kind = TokenTable.Group(rawValue: group) else { return }
    let start = table.tries[group].nodes[node]
    let depth = Int(start.depth) + 1
    stack[depth] = row
    var none: [Border]?
    walk(&mask, kind, node + 1, Int(start.end), skip: 0, borders: &none)
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
    var taken = 0
    defer { stepsTaken += taken }
    while index < end {
      taken += 1
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
        if automaton.pool.nodes[Int(next)].flags.contains(.spans),
          let region = automaton.spanRegion(beginning: next)
        {
          walk(&mask, group, index + 1, Int(node.end), region, borders: &borders)
          index = Int(node.end)
          continue
        }
        stack[Int(node.depth) + 1] = automaton.row(next)
      }
      index += 1
    }
  }

  /// The same for a state that begins with a span.
  private mutating func walk(
    _ mask: inout TokenMask, _ group: TokenTable.Group, _ start: Int, _ end: Int,
    _ region: SpanRegion, borders: inout [Border]?
  ) {
    guard start < end else { return }
    let trie = table.tries[group.rawValue]
    let tailMayBeEmpty = automaton.pool.isNullable(region.tail)
    let tail = automaton.row(region.tail)
    let firstDepth = Int(trie.nodes[start].depth)
    // By depth of the walk: the span, and whether it may end there.
    var spans = [(span: region.span, mayEnd: automaton.isWhole(region.span))]
    var index = start
    while index < end {
      stepsTaken += 1
      let node = trie.nodes[index]
      let level = Int(node.depth) - firstDepth
      spans.removeLast(spans.count - level - 1)
      let (span, mayEnd) = spans[level]
      let symbol = Int(automaton.classOfByte[Int(node.byte)])
      let after = mayEnd ? automaton.rows[tail + symbol] : .never
      let next = automaton.next(span, node.byte).flatMap { automaton.isLive($0) ? $0 : nil }
      guard let next, after == .never else {
        if after != .never {
          walkBranch(&mask, group, index, after, beside: next, region.tail, &borders)
        }
        index = Int(node.end)
        continue
      }
      if node.token >= 0 { insert(&mask, node.token, trie) }
      if Int(node.end) > index + 1 {
        let mayEnd = automaton.isWhole(next)
        if mayEnd && tailMayBeEmpty {
          borders?.append(Border(group: UInt8(group.rawValue), node: Int32(index)))
        }
        spans.append((next, mayEnd))
      }
      index += 1
    }
  }

  /// The branch of trie node `index`, which leads behind the span and perhaps also further in it.
  private mutating func walkBranch(
    _ mask: inout TokenMask, _ group: TokenTable.Group, _ index: Int, _ after: Expression,
    beside span: SpanState?, _ tail: Expression, _ borders: inout [Border]?
  ) {
    let trie = table.tries[group.rawValue]
    let node = trie.nodes[index]
    var state = after
    if let span {
      let inside = automaton.pool.concatenation(automaton.expression(span), tail)
      state = automaton.pool.union([after, inside])
    }
    if node.token >= 0 { insert(&mask, node.token, trie) }
    guard Int(node.end) > index + 1 else { return }
    if automaton.pool.isNullable(state) {
      borders?.append(Border(group: UInt8(group.rawValue), node: Int32(index)))
    }
    stack[Int(node.depth) + 1] = automaton.row(state)
    walk(&mask, group, index + 1, Int(node.end), skip: 0, borders: &borders)
  }

  private func insert(_ mask: inout TokenMask, _ token: Int32, _ trie: TokenTrie) {
    mask.insert(Int(token))
    guard !trie.sameText.isEmpty, let others = trie.sameText[token] else { return }
    for other in others { mask.insert(Int(other)) }
  }

  mutating func addTokensByNumber(_ mask: inout TokenMask, _ state: Expression) {
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
}
