/// Rewrites the rules of a front end for matching: rules that do not recurse are put in place,
/// rules without any text are removed, left recursion is turned into right recursion.
///
/// Rules are handled in groups that call each other, callees first, so every step is a loop over
/// nodes in ascending order and no depth of rules can exhaust the stack.
struct GrammarCompiler {
  let source: ExpressionPool
  var target: ExpressionPool
  /// By source rule: the rule of `target` that replaces it, if it recurses.
  private var recursiveRule: [Int?]
  /// By source rule: its whole text, if it does not recurse.
  private var inlined: [Expression?]
  private var rewritten: [Expression]
  /// By source node: the last walk over nodes that saw it.
  private var visited: [Int32]
  private var visit: Int32 = 0
  private var nullable: [Bool]

  init(_ source: ExpressionPool) {
    self.source = source
    target = ExpressionPool(limits: source.limits)
    target.tokenSets = source.tokenSets
    target.automata = source.automata
    target.sources = source.sources
    rewritten = [Expression](repeating: -1, count: source.nodes.count)
    recursiveRule = [Int?](repeating: nil, count: source.ruleBodies.count)
    inlined = [Expression?](repeating: nil, count: source.ruleBodies.count)
    visited = [Int32](repeating: 0, count: source.nodes.count)
    nullable = [Bool](repeating: false, count: source.ruleBodies.count)
  }

  /// The rewritten grammar and the expression that replaces `root`.
  static func compile(
    _ source: ExpressionPool, root: Expression
  ) throws(GrammarError) -> (pool: ExpressionPool, root: Expression) {
    try source.checkLimits()
    var compiler = GrammarCompiler(source)
    let groups = compiler.groupsOfRules(from: root)
    for group in groups {
      try compiler.compile(group)
      try compiler.target.checkLimits()
    }
    let result = compiler.rewrite(root)
    try compiler.target.checkLimits()
    if result == .never {
      throw .unsatisfiable(
        pointer: "", reason: "every alternative contradicts itself or recurses for ever")
    }
    return (compiler.target, result)
  }

  // MARK: Groups of rules

  /// The nodes under `root` in ascending order; the bodies of called rules are not entered.
  private mutating func nodesUnder(_ roots: [Expression]) -> [Expression] {
    visit += 1
    var found: [Expression] = []
    func reach(_ e: Expression) {
      if visited[Int(e)] == visit { return }
      visited[Int(e)] = visit
      found.append(e)
    }
    for root in roots { reach(root) }
    var next = 0
    while next < found.count {
      source.forEachOperand(found[next], reach)
      next += 1
    }
    found.sort()
    return found
  }

  private mutating func callees(_ e: Expression) -> [Int] {
    nodesUnder([e]).compactMap {
      let node = source.nodes[Int($0)]
      return node.kind == .call ? Int(node.a) : nil
    }
  }

  /// Rules reachable from `root`, grouped by mutual recursion, callees before callers.
  private mutating func groupsOfRules(from root: Expression) -> [[Int]] {
    var calls = [[Int]?](repeating: nil, count: source.ruleBodies.count)
    var pending = callees(root)
    let roots = pending
    while let rule = pending.popLast() {
      guard calls[rule] == nil else { continue }
      let called = callees(source.ruleBodies[rule])
      calls[rule] = called
      pending.append(contentsOf: called)
    }
    return stronglyConnected(from: roots) { calls[$0] ?? [] }
  }

  // MARK: One group

  private mutating func compile(_ group: [Int]) throws(GrammarError) {
    let under = nodesUnder(group.map { source.ruleBodies[$0] })
    let recurses =
      group.count > 1
      || under.contains {
        let node = source.nodes[Int($0)]
        return node.kind == .call && Int(node.a) == group[0]
      }
    guard recurses else {
      let text = rewrite(source.ruleBodies[group[0]])
      inlined[group[0]] = target.nodes[Int(text)].flags.contains(.calls) ? text : target.unit(text)
      return
    }
    findNullable(group, under)
    for rule in group {
      recursiveRule[rule] = target.newRule()
      target.ruleIsNullable[recursiveRule[rule] ?? 0] = nullable[rule]
    }
    for rule in group { setBody(rule) }
    let dead = unproductive(group)
    if !dead.isEmpty {
      for rule in dead {
        recursiveRule[rule] = nil
        inlined[rule] = .never
      }
      for e in under { rewritten[Int(e)] = -1 }
      for rule in group where !dead.contains(rule) { setBody(rule) }
    }
    var removal = LeftRecursionRemoval(
      rules: group.compactMap { recursiveRule[$0] }, limit: source.limits.maximumItems)
    try removal.run(&target)
  }

  private mutating func setBody(_ rule: Int) {
    guard let new = recursiveRule[rule] else { return }
    target.ruleBodies[new] = rewrite(source.ruleBodies[rule])
  }

  /// Which rules of a group have the empty text: the least fixed point.
  private mutating func findNullable(_ group: [Int], _ under: [Expression]) {
    var isNullable = [Expression: Bool](minimumCapacity: under.count)
    var changed = true
    while changed {
      changed = false
      for e in under { isNullable[e] = nodeIsNullable(e, isNullable) }
      for rule in group where !nullable[rule] && isNullable[source.ruleBodies[rule]] == true {
        nullable[rule] = true
        changed = true
      }
    }
  }

  private func nodeIsNullable(_ e: Expression, _ known: [Expression: Bool]) -> Bool {
    let node = source.nodes[Int(e)]
    func of(_ operand: Expression) -> Bool { known[operand] ?? false }
    switch node.kind {
    case .concatenation: return of(node.a) && of(node.b)
    case .union: return source.members(node).contains(where: of)
    case .intersection: return source.members(node).allSatisfy(of)
    case .repetition: return node.b == 0 || of(node.a)
    case .complement: return !of(node.a)
    case .unit: return of(node.a)
    case .nonEmpty: return false
    case .call:
      if let text = inlined[Int(node.a)] { return target.isNullable(text) }
      return nullable[Int(node.a)]
    default: return node.flags.contains(.nullable)
    }
  }

  /// Rules of a group that no finite text satisfies.
  private func unproductive(_ group: [Int]) -> Set<Int> {
    var productive = Set<Int>()
    let bodies = group.compactMap { rule in recursiveRule[rule].map { (rule, $0) } }
    var changed = true
    while changed {
      changed = false
      for (rule, new) in bodies where !productive.contains(new) {
        if isProductive(target.ruleBodies[new], productive, groupRules: Set(bodies.map(\.1))) {
          productive.insert(new)
          changed = true
          _ = rule
        }
      }
    }
    return Set(bodies.filter { !productive.contains($0.1) }.map(\.0))
  }

  private func isProductive(
    _ root: Expression, _ productive: Set<Int>, groupRules: Set<Int>
  ) -> Bool {
    var seen: Set<Expression> = [root]
    var stack = [root]
    while let e = stack.popLast() {
      target.forEachOperand(e) { if seen.insert($0).inserted { stack.append($0) } }
    }
    var result: [Expression: Bool] = [:]
    for e in seen.sorted() {
      let node = target.nodes[Int(e)]
      func of(_ operand: Expression) -> Bool { result[operand] ?? true }
      result[e] =
        switch node.kind {
        case .never: false
        case .concatenation: of(node.a) && of(node.b)
        case .union: target.members(node).contains(where: of)
        case .repetition: node.b == 0 || of(node.a)
        case .unit, .nonEmpty: of(node.a)
        case .call: productive.contains(Int(node.a)) || !groupRules.contains(Int(node.a))
        default: true
        }
    }
    return result[root] ?? true
  }

  // MARK: Rewriting

  /// The same expression in `target`, with called rules put in place where they do not recurse.
  private mutating func rewrite(_ root: Expression) -> Expression {
    for e in nodesUnder([root]) where rewritten[Int(e)] < 0 {
      rewritten[Int(e)] = rewriteNode(source.nodes[Int(e)])
    }
    return rewritten[Int(root)]
  }

  private mutating func rewriteNode(_ node: ExpressionNode) -> Expression {
    func of(_ operand: Expression) -> Expression { rewritten[Int(operand)] }
    switch node.kind {
    case .never: return .never
    case .empty: return .empty
    case .bytes: return target.bytes(source.byteSets[Int(node.a)])
    case .concatenation: return target.concatenation(of(node.a), of(node.b))
    case .union: return target.union(source.members(node).map(of))
    case .repetition:
      return target.repetition(of(node.a), Int(node.b), node.c < 0 ? nil : Int(node.c))
    case .intersection: return target.intersection(source.members(node).map(of))
    case .complement: return target.complement(of(node.a))
    case .unit: return target.unit(of(node.a))
    case .nonEmpty: return target.nonEmpty(of(node.a))
    case .call:
      if let text = inlined[Int(node.a)] { return text }
      guard let rule = recursiveRule[Int(node.a)] else { return .never }
      return target.call(rule)
    case .token, .automaton, .verbatim: return target.intern(node)
    }
  }
}

extension ExpressionPool {
  /// Calls `body` with each operand of `e`.
  func forEachOperand(_ e: Expression, _ body: (Expression) -> Void) {
    let node = nodes[Int(e)]
    switch node.kind {
    case .never, .empty, .bytes, .token, .call, .automaton, .verbatim: break
    case .concatenation:
      body(node.a)
      body(node.b)
    case .repetition, .complement, .unit, .nonEmpty: body(node.a)
    case .union, .intersection: for member in members(node) { body(member) }
    }
  }
}

/// Strongly connected groups of a graph, successors first (Tarjan 1972, without recursion).
func stronglyConnected(from roots: [Int], _ successors: (Int) -> [Int]) -> [[Int]] {
  var index: [Int: Int] = [:]
  var low: [Int: Int] = [:]
  var onStack = Set<Int>()
  var stack: [Int] = []
  var groups: [[Int]] = []
  var frames: [(node: Int, successors: [Int], next: Int)] = []

  func open(_ node: Int) {
    index[node] = index.count
    low[node] = index[node]
    stack.append(node)
    onStack.insert(node)
    frames.append((node, successors(node), 0))
  }
  for root in roots where index[root] == nil {
    open(root)
    while let frame = frames.last {
      if frame.next < frame.successors.count {
        frames[frames.count - 1].next += 1
        let successor = frame.successors[frame.next]
        if index[successor] == nil {
          open(successor)
        } else if onStack.contains(successor) {
          low[frame.node] = min(low[frame.node] ?? 0, index[successor] ?? 0)
        }
        continue
      }
      frames.removeLast()
      if let parent = frames.last?.node {
        low[parent] = min(low[parent] ?? 0, low[frame.node] ?? 0)
      }
      guard low[frame.node] == index[frame.node] else { continue }
      var group: [Int] = []
      while let node = stack.popLast() {
        onStack.remove(node)
        group.append(node)
        if node == frame.node { break }
      }
      groups.append(group)
    }
  }
  return groups
}
