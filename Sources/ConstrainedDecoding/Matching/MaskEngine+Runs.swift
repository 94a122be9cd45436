// Runs of characters that a state takes whatever they are, and counts no token can exhaust.
extension MaskEngine {
  func allow(_ mask: inout TokenMask, _ group: TokenTable.Group, _ run: Int) {
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
  mutating func freeRun(
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
    stepsTaken += symbols.count
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

  /// The same state for the length of one token: counts that no token can exhaust are dropped, so
  /// that positions inside a long bounded string share one mask.
  mutating func clamped(_ e: Expression, levels: Int) -> Expression {
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
    case .union where levels > 0 && node.b <= 8:
      let members = Array(automaton.pool.members(node))
      var result: [Expression] = []
      for member in members { result.append(clamped(member, levels: levels - 1)) }
      return result == members ? e : automaton.pool.union(result)
    default:
      return e
    }
  }
}
