// The way out of a state: what must come next, and the shortest text that ends.
extension Automaton {
  static let unreachable = Int32.max / 4

  /// The symbol that must come next in `e`, if the text may not end and only one can.
  mutating func onlySymbol(_ e: Expression) -> Int? {
    if pool.isNullable(e) { return nil }
    let start = row(e)
    var only: Int?
    for symbol in 0..<symbolCount where rows[start + symbol] != .never {
      if only != nil { return nil }
      only = symbol
    }
    return only
  }

  /// Length of the shortest text of `e`; a lower bound where Boolean operators are in play.
  mutating func shortestLength(_ e: Expression) -> Int32 {
    if ruleShortest.count != pool.ruleBodies.count { findShortestOfRules() }
    while shortest.count < pool.nodes.count {
      shortest.append(lengthOf(pool.nodes[shortest.count]))
    }
    return shortest[Int(e)]
  }

  /// Shortest texts of rules: the greatest fixed point from above.
  private mutating func findShortestOfRules() {
    ruleShortest = Array(repeating: Self.unreachable, count: pool.ruleBodies.count)
    var changed = true
    while changed {
      changed = false
      shortest = []
      for node in pool.nodes { shortest.append(lengthOf(node)) }
      for (rule, body) in pool.ruleBodies.enumerated()
      where shortest[Int(body)] < ruleShortest[rule] {
        ruleShortest[rule] = shortest[Int(body)]
        changed = true
      }
    }
  }

  private func lengthOf(_ node: ExpressionNode) -> Int32 {
    func of(_ operand: Expression) -> Int32 { shortest[Int(operand)] }
    func sum(_ a: Int32, _ b: Int32) -> Int32 { min(a &+ b, Self.unreachable) }
    switch node.kind {
    case .never: return Self.unreachable
    case .empty: return 0
    case .bytes, .token: return 1
    case .concatenation: return sum(of(node.a), of(node.b))
    case .union: return pool.members(node).reduce(Self.unreachable) { min($0, of($1)) }
    case .intersection: return pool.members(node).reduce(0) { max($0, of($1)) }
    case .repetition:
      return Int32(min(Int64(of(node.a)) * Int64(node.b), Int64(Self.unreachable)))
    case .call: return ruleShortest[Int(node.a)]
    case .unit: return of(node.a)
    case .nonEmpty: return max(1, of(node.a))
    case .complement, .automaton, .verbatim: return node.flags.contains(.nullable) ? 0 : 1
    }
  }

  /// The symbols of a shortest text of `e`, nil if a search passes the limit on work.
  ///
  /// Best first by the length so far plus the bound on what is left (A*): without Boolean operators
  /// the bound is exact and the search goes straight.
  mutating func shortestPath(_ start: Expression) -> [Int]? {
    struct Visit {
      var state: Expression
      var from: Int
      var symbol: Int
      var length: Int32
    }
    var visits = [Visit(state: start, from: -1, symbol: -1, length: 0)]
    var buckets: [Int32: [Int]] = [shortestLength(start): [0]]
    var bound = shortestLength(start)
    var best: [Expression: Int32] = [start: 0]
    while let highest = buckets.keys.min() {
      bound = max(bound, highest)
      guard let index = buckets[highest]?.popLast() else {
        buckets[highest] = nil
        continue
      }
      let visit = visits[index]
      if pool.isNullable(visit.state) {
        var symbols: [Int] = []
        var step = index
        while visits[step].from >= 0 {
          symbols.append(visits[step].symbol)
          step = visits[step].from
        }
        return symbols.reversed()
      }
      let row = row(visit.state)
      for symbol in 0..<symbolCount where rows[row + symbol] != .never {
        let next = rows[row + symbol]
        let length = visit.length + 1
        if let known = best[next], known <= length { continue }
        let left = shortestLength(next)
        if left >= Self.unreachable { continue }
        best[next] = length
        visits.append(Visit(state: next, from: index, symbol: symbol, length: length))
        buckets[length + left, default: []].append(visits.count - 1)
      }
      if visits.count > pool.limits.maximumWork {
        pool.exceeded = pool.exceeded ?? .work
        return nil
      }
    }
    return nil
  }
}
