// Constructors keep expressions in a normal form: without it the automata would not be finite.
extension ExpressionPool {
  package mutating func bytes(_ set: ByteSet) -> Expression {
    if set.isEmpty { return .never }
    return intern(set)
  }

  package mutating func literal(_ text: some BidirectionalCollection<UInt8>) -> Expression {
    var result = Expression.empty
    for byte in text.reversed() {
      result = concatenation(bytes(ByteSet(byte...byte)), result)
    }
    return result
  }

  package mutating func literal(_ text: String) -> Expression { literal(Array(text.utf8)) }

  package mutating func token(_ set: TokenSet) -> Expression {
    let number = tokenSets.firstIndex(of: set) ?? tokenSets.count
    if number == tokenSets.count { tokenSets.append(set) }
    return intern(ExpressionNode(kind: .token, flags: .tokens, a: Int32(number)))
  }

  package mutating func call(_ rule: Int) -> Expression {
    intern(
      ExpressionNode(
        kind: .call, flags: ruleIsNullable[rule] ? [.calls, .nullable] : .calls, a: Int32(rule)))
  }

  /// A new rule whose body is set later.
  package mutating func newRule() -> Int {
    ruleBodies.append(.never)
    ruleIsNullable.append(false)
    return ruleBodies.count - 1
  }

  package mutating func unit(_ e: Expression) -> Expression {
    let node = nodes[Int(e)]
    switch node.kind {
    case .never, .empty, .bytes, .unit: return e
    default: return intern(ExpressionNode(kind: .unit, flags: node.flags, a: e))
    }
  }

  package mutating func nonEmpty(_ e: Expression) -> Expression {
    if e == .empty { return .never }
    let flags = nodes[Int(e)].flags
    guard flags.contains(.nullable) else { return e }
    return intern(
      ExpressionNode(kind: .nonEmpty, flags: flags.subtracting(.nullable).union(.uncertain), a: e))
  }

  // MARK: Sequences

  /// `a` then `b`, nested to the right unless `a` is a unit.
  package mutating func concatenation(_ a: Expression, _ b: Expression) -> Expression {
    if a == .never || b == .never { return .never }
    if a == .empty { return b }
    if b == .empty { return a }
    guard nodes[Int(a)].kind == .concatenation else { return pair(a, b) }
    var spine: [Expression] = []
    var rest = a
    while nodes[Int(rest)].kind == .concatenation {
      spine.append(nodes[Int(rest)].a)
      rest = nodes[Int(rest)].b
    }
    var result = pair(rest, b)
    for head in spine.reversed() { result = pair(head, result) }
    return result
  }

  private mutating func pair(_ a: Expression, _ b: Expression) -> Expression {
    // After a limit was passed a part may be `never`.
    if a == .never || b == .never { return .never }
    let (left, right) = (nodes[Int(a)].flags, nodes[Int(b)].flags)
    var flags = left.union(right).intersection(.inherited)
    if left.contains(.nullable) && right.contains(.nullable) { flags.insert(.nullable) }
    return intern(ExpressionNode(kind: .concatenation, flags: flags, a: a, b: b))
  }

  package mutating func sequence(_ parts: [Expression]) -> Expression {
    var result = Expression.empty
    for part in parts.reversed() { result = concatenation(part, result) }
    return result
  }

  /// `e` at least `minimum` and at most `maximum` times (nil: any number).
  package mutating func repetition(
    _ e: Expression, _ minimum: Int, _ maximum: Int?
  ) -> Expression {
    if e == .empty || maximum == 0 { return .empty }
    if e == .never { return minimum == 0 ? .empty : .never }
    if minimum == 1 && maximum == 1 { return e }
    let node = nodes[Int(e)]
    let low = node.flags.contains(.nullable) ? 0 : Int32(clamping: minimum)
    let high = maximum.map { Int32(clamping: $0) } ?? -1
    if node.kind == .repetition && node.b == 0 && node.c < 0 && low == 0 { return e }
    if high == 1 && node.flags.contains(.nullable) { return e }
    var flags = node.flags.intersection(.inherited)
    if low == 0 { flags.insert(.nullable) }
    return intern(ExpressionNode(kind: .repetition, flags: flags, a: e, b: low, c: high))
  }

  package mutating func optional(_ e: Expression) -> Expression { union([e, .empty]) }

  // MARK: Choices

  /// Any of the members.
  ///
  /// Members with equal tails or equal heads are joined.
  package mutating func union(_ parts: [Expression]) -> Expression {
    if parts.count == 1 { return parts[0] }
    var flat = flattened(parts)
    if flat.count > 1 {
      flat = joined(flat, byTail: true)
      flat = joined(flat, byTail: false)
      flat = flattened(flat)
    }
    return unionNode(flat)
  }

  /// A union without joining heads or tails; its derivatives are joined instead.
  private mutating func plainUnion(_ parts: [Expression]) -> Expression {
    unionNode(flattened(parts))
  }

  private mutating func unionNode(_ flat: [Expression]) -> Expression {
    if flat.isEmpty { return .never }
    if flat.count == 1 { return flat[0] }
    if flat.count > limits.maximumItems {
      exceeded = exceeded ?? .items
      return .never
    }
    var flags: ExpressionNode.Flags = []
    for member in flat { flags.formUnion(nodes[Int(member)].flags) }
    return intern(.union, members: flat, flags: flags)
  }

  /// Sorted members without inner unions or repeats, single bytes gathered in one set.
  private mutating func flattened(_ parts: [Expression]) -> [Expression] {
    var flat: [Expression] = []
    flat.reserveCapacity(parts.count)
    for part in parts where part != .never {
      let node = nodes[Int(part)]
      if node.kind == .union {
        flat.append(contentsOf: members(node))
      } else {
        flat.append(part)
      }
    }
    guard flat.count > 1 else { return flat }
    flat.sort()
    var kept: [Expression] = []
    kept.reserveCapacity(flat.count)
    var single = ByteSet()
    var (singles, units, repetitions) = (0, 0, 0)
    var hasOtherNullable = false
    var covered: [Expression] = []
    for member in flat where kept.last != member {
      let node = nodes[Int(member)]
      // `h·t` has all texts of `t` where `h` may be empty; long rows of optional parts collapse.
      if node.kind == .concatenation && nodes[Int(node.a)].flags.contains(.nullable) {
        covered.append(node.b)
      }
      if node.kind == .bytes {
        single = single.union(byteSets[Int(node.a)])
        singles += 1
      }
      if node.kind == .unit { units += 1 }
      if node.kind == .repetition { repetitions += 1 }
      if member != .empty && node.flags.contains(.nullable) { hasOtherNullable = true }
      kept.append(member)
    }
    if hasOtherNullable && kept[0] == .empty { kept.removeFirst() }
    if !covered.isEmpty {
      if covered.count < 8 {
        kept.removeAll { covered.contains($0) }
      } else {
        let covered = Set(covered)
        kept.removeAll { covered.contains($0) }
      }
    }
    if singles > 1 {
      kept.removeAll { nodes[Int($0)].kind == .bytes }
      kept.append(bytes(single))
      kept.sort()
    }
    if repetitions > 1 { joinRepetitions(in: &kept) }
    if units > 1 {
      let inner = kept.filter { nodes[Int($0)].kind == .unit }.map { nodes[Int($0)].a }
      kept.removeAll { nodes[Int($0)].kind == .unit }
      kept.append(unit(plainUnion(inner)))
      kept.sort()
    }
    return kept
  }

  /// `e{m,n} | e{k,l}` becomes one repetition where the counts touch; else a text that several parts
  /// may take leaves a state with one alternative for every place where it can be divided.
  private mutating func joinRepetitions(in members: inout [Expression]) {
    var byOperand: [Expression: [(number: Expression, low: Int, high: Int)]] = [:]
    for member in members {
      let node = nodes[Int(member)]
      guard node.kind == .repetition else { continue }
      let high = node.c < 0 ? Int.max : Int(node.c)
      byOperand[node.a, default: []].append((member, Int(node.b), high))
    }
    for (operand, counts) in byOperand.sorted(by: { $0.key < $1.key }) where counts.count > 1 {
      var joined: [(low: Int, high: Int)] = []
      for count in counts.sorted(by: { ($0.low, $0.high) < ($1.low, $1.high) }) {
        if let last = joined.last, last.high == .max || count.low <= last.high + 1 {
          joined[joined.count - 1].high = max(last.high, count.high)
        } else {
          joined.append((count.low, count.high))
        }
      }
      guard joined.count < counts.count else { continue }
      let numbers = Set(counts.map(\.number))
      members.removeAll { numbers.contains($0) }
      for count in joined {
        members.append(repetition(operand, count.low, count.high == .max ? nil : count.high))
      }
    }
    members.sort()
  }

  /// `h·t | g·t` becomes `(h|g)·t`; `h·t | h·u` becomes `h·(t|u)`, where a lone `h` is `h·""`.
  private mutating func joined(_ flat: [Expression], byTail: Bool) -> [Expression] {
    if flat.count == 2 {
      // The common case, without a table.
      let (x, y) = (parts(flat[0]), parts(flat[1]))
      let same = byTail ? x.tail == y.tail : x.head == y.head
      guard same && !(byTail && x.tail == .empty) else { return flat }
      return byTail
        ? [concatenation(plainUnion([x.head, y.head]), x.tail)]
        : [concatenation(x.head, plainUnion([x.tail, y.tail]))]
    }
    var groups: [Expression: [Expression]] = [:]
    var order: [Expression] = []
    for member in flat {
      let split = parts(member)
      let key = byTail ? split.tail : split.head
      if groups[key]?.append(byTail ? split.head : split.tail) == nil {
        groups[key] = [byTail ? split.head : split.tail]
        order.append(key)
      }
    }
    if order.count == flat.count || (byTail && order.count == 1 && order[0] == .empty) {
      return flat
    }
    var result: [Expression] = []
    for key in order {
      guard let group = groups[key] else { continue }
      if byTail {
        // Texts that nothing follows stay apart: joining them would only wrap them.
        if key == .empty {
          result.append(contentsOf: group)
        } else {
          result.append(concatenation(plainUnion(group), key))
        }
      } else {
        result.append(
          group.count == 1 && group[0] == .empty
            ? key : concatenation(key, plainUnion(group)))
      }
    }
    return flattened(result)
  }

  private func parts(_ e: Expression) -> (head: Expression, tail: Expression) {
    let node = nodes[Int(e)]
    return node.kind == .concatenation ? (node.a, node.b) : (e, .empty)
  }

  // MARK: Boolean operators, over regular operands only

  package mutating func intersection(_ parts: [Expression]) -> Expression {
    var flat: [Expression] = []
    let everything = anything
    for part in parts {
      if part == .never { return .never }
      let node = nodes[Int(part)]
      if node.kind == .intersection {
        flat.append(contentsOf: members(node))
      } else if part != everything {
        flat.append(part)
      }
    }
    flat.sort()
    var kept: [Expression] = []
    for member in flat where kept.last != member { kept.append(member) }
    if kept.isEmpty { return everything }
    if kept.count == 1 { return kept[0] }
    var flags: ExpressionNode.Flags = [.uncertain, .nullable]
    for member in kept {
      let inner = nodes[Int(member)].flags
      flags.formUnion(inner.intersection(.inherited))
      if !inner.contains(.nullable) { flags.remove(.nullable) }
    }
    if kept[0] == .empty { return flags.contains(.nullable) ? .empty : .never }
    return intern(.intersection, members: kept, flags: flags)
  }

  package mutating func complement(_ e: Expression) -> Expression {
    if e == .never { return anything }
    let node = nodes[Int(e)]
    if node.kind == .complement { return node.a }
    if e == anything { return .never }
    var flags = node.flags.intersection(.inherited).union(.uncertain)
    if !node.flags.contains(.nullable) { flags.insert(.nullable) }
    return intern(ExpressionNode(kind: .complement, flags: flags, a: e))
  }

  /// `a` without the texts of `b`.
  package mutating func difference(_ a: Expression, _ b: Expression) -> Expression {
    if b == .never { return a }
    return intersection([a, complement(b)])
  }

  /// Every byte string.
  package var anything: Expression {
    mutating get { repetition(bytes(.all), 0, nil) }
  }

  /// A choice of texts that share prefixes and suffixes, whatever their number.
  package mutating func choice(ofLiterals texts: [[UInt8]]) -> Expression {
    let sorted = texts.sorted { $0.lexicographicallyPrecedes($1) }
    if sorted.isEmpty { return .never }
    // A trie along the current text; a branch is closed when the next text leaves it.
    var levels = [LiteralLevel()]
    var current: [UInt8] = []
    for text in sorted {
      var common = 0
      while common < min(text.count, current.count) && text[common] == current[common] {
        common += 1
      }
      closeBranch(to: common, &levels, &current)
      for byte in text[common...] {
        current.append(byte)
        levels.append(LiteralLevel())
      }
      levels[levels.count - 1].ends = true
    }
    closeBranch(to: 0, &levels, &current)
    return close(levels[0])
  }

  private struct LiteralLevel {
    var alternatives: [(byte: UInt8, rest: Expression)] = []
    var ends = false
  }

  private mutating func closeBranch(
    to depth: Int, _ levels: inout [LiteralLevel], _ current: inout [UInt8]
  ) {
    while current.count > depth {
      let rest = close(levels.removeLast())
      levels[levels.count - 1].alternatives.append((current.removeLast(), rest))
    }
  }

  private mutating func close(_ level: LiteralLevel) -> Expression {
    // Bytes with the same continuation become one set.
    var parts: [Expression] = []
    var alternatives = level.alternatives.sorted { $0.rest < $1.rest }[...]
    while let rest = alternatives.first?.rest {
      let same = alternatives.prefix { $0.rest == rest }
      parts.append(concatenation(bytes(ByteSet(same.map(\.byte))), rest))
      alternatives = alternatives.dropFirst(same.count)
    }
    if level.ends { parts.append(.empty) }
    return plainUnion(parts)
  }
}
