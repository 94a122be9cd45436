/// Rewrites left-recursive rules so that following a byte never asks for itself.
///
/// Every rule `X` of a left-recursive group is a system on the left: a non-empty text of `X` starts
/// with something else (`C_X`) or with a text of another member `Y` that a suffix follows. Climbing
/// from `Y` to `X` through suffixes is itself a right-recursive rule `W(Y, X)`, so
/// `X = C_Y · W(Y, X)` over all `Y`. Suffixes that may be empty, which is where hidden left
/// recursion sits, are closed over first; unit cycles vanish in that closure.
struct LeftRecursionRemoval {
  let rules: [Int]
  let limit: Int

  private struct Split {
    /// Texts that do not begin with a member, each without the empty text.
    var constants: [Expression] = []
    var calls: [(rule: Int, suffix: Expression)] = []
  }

  init(rules: [Int], limit: Int) {
    self.rules = rules
    self.limit = limit
  }

  mutating func run(_ pool: inout ExpressionPool) throws(GrammarError) {
    let all = Set(rules)
    var leftCalls: [Int: [Int]] = [:]
    for rule in rules {
      leftCalls[rule] = split(pool.ruleBodies[rule], all, &pool).calls.map(\.rule)
    }
    for group in stronglyConnected(from: rules, { leftCalls[$0] ?? [] }) {
      let loops = group.count > 1 || leftCalls[group[0]]?.contains(group[0]) == true
      if loops { try remove(group, &pool) }
    }
  }

  private func remove(_ group: [Int], _ pool: inout ExpressionPool) throws(GrammarError) {
    guard group.count * group.count <= limit else {
      throw .limit(.items, maximum: limit)
    }
    let members = Set(group)
    var constants: [Int: Expression] = [:]
    // By rule Y: the rules that begin with it, and what then follows.
    var climbs: [Int: [(rule: Int, suffix: Expression)]] = [:]
    for rule in group {
      let parts = split(pool.ruleBodies[rule], members, &pool)
      constants[rule] = pool.union(parts.constants)
      for call in parts.calls { climbs[call.rule, default: []].append((rule, call.suffix)) }
    }
    var climb: [Int: [Int: Int]] = [:]
    for from in group {
      for to in group { climb[from, default: [:]][to] = pool.newRule() }
    }
    let closure = closures(group, climbs, pool)
    for from in group {
      for to in group {
        guard let rule = climb[from]?[to] else { continue }
        pool.ruleIsNullable[rule] = closure[from]?.contains(to) == true
      }
    }
    for from in group {
      for to in group {
        guard let rule = climb[from]?[to] else { continue }
        var parts: [Expression] = closure[from]?.contains(to) == true ? [.empty] : []
        for step in closure[from] ?? [] {
          for (next, suffix) in climbs[step] ?? [] {
            guard let rest = climb[next]?[to] else { continue }
            parts.append(pool.concatenation(pool.nonEmpty(suffix), pool.call(rest)))
          }
        }
        pool.ruleBodies[rule] = pool.union(parts)
      }
    }
    for rule in group {
      var parts: [Expression] = pool.ruleIsNullable[rule] ? [.empty] : []
      for start in group {
        guard let rest = climb[start]?[rule], let constant = constants[start] else { continue }
        parts.append(pool.concatenation(constant, pool.call(rest)))
      }
      pool.ruleBodies[rule] = pool.union(parts)
    }
    try pool.checkLimits()
  }

  /// By rule: the rules reachable through suffixes that may be empty, itself included.
  private func closures(
    _ group: [Int], _ climbs: [Int: [(rule: Int, suffix: Expression)]], _ pool: ExpressionPool
  ) -> [Int: [Int]] {
    var result: [Int: [Int]] = [:]
    for rule in group {
      var seen: Set<Int> = [rule]
      var stack = [rule]
      while let step = stack.popLast() {
        for (next, suffix) in climbs[step] ?? [] where pool.isNullable(suffix) {
          if seen.insert(next).inserted { stack.append(next) }
        }
      }
      result[rule] = seen.sorted()
    }
    return result
  }

  /// Sorts the non-empty texts of `e` by whether they begin with a member of the group.
  private func split(
    _ e: Expression, _ group: Set<Int>, _ pool: inout ExpressionPool
  ) -> Split {
    let node = pool.nodes[Int(e)]
    guard node.flags.contains(.calls) else {
      return Split(constants: [pool.nonEmpty(e)].filter { $0 != .never })
    }
    var result = Split()
    switch node.kind {
    case .call where group.contains(Int(node.a)):
      result.calls = [(Int(node.a), .empty)]
    case .union:
      for member in Array(pool.members(node)) {
        let inner = split(member, group, &pool)
        result.constants += inner.constants
        result.calls += inner.calls
      }
    case .concatenation:
      var rest = e
      while true {
        let step = pool.nodes[Int(rest)]
        let isPair = step.kind == .concatenation
        let (head, tail) = isPair ? (step.a, step.b) : (rest, Expression.empty)
        let inner = split(head, group, &pool)
        result.constants += inner.constants.map { pool.concatenation($0, tail) }
        result.calls += inner.calls.map { ($0.rule, pool.concatenation($0.suffix, tail)) }
        guard isPair && pool.isNullable(head) else { break }
        rest = tail
      }
    case .repetition:
      let rest = pool.repetition(
        node.a, max(Int(node.b) - 1, 0), node.c < 0 ? nil : Int(node.c) - 1)
      let inner = split(node.a, group, &pool)
      result.constants = inner.constants.map { pool.concatenation($0, rest) }
      result.calls = inner.calls.map { ($0.rule, pool.concatenation($0.suffix, rest)) }
    case .nonEmpty, .unit:
      result = split(node.a, group, &pool)
    default:
      result.constants = [pool.nonEmpty(e)]
    }
    return result
  }
}
