/// The lazily built automaton of a compiled grammar.
///
/// A state is an expression; its row lists, for each class of symbols, the expression that is left
/// after one such symbol. Bytes that no part of the grammar tells apart share a class. Tokens that
/// the grammar names by number are symbols too, after the byte classes.
struct Automaton: Sendable {
  var pool: ExpressionPool
  let root: Expression
  /// By byte: its class.
  let classOfByte: [UInt8]
  /// By class: one byte of it.
  let byteOfClass: [UInt8]
  let byteClassCount: Int
  /// By token the grammar names: its symbol.
  ///
  /// The last symbol stands for all other tokens.
  let symbolOfToken: [Int: Int]
  /// Symbols of a row: byte classes, then named tokens, then "any other token" where used.
  let symbolCount: Int
  /// By token set of the pool, then by token symbol: whether the set has it.
  private let tokenMembership: [[Bool]]

  /// Entries of rows computed since the present step began, times the alternatives behind them.
  private var stepWork = 0
  /// Rows one after the other; row r starts at r × symbolCount.
  var rows: ContiguousArray<Expression> = []
  /// By expression: where its row starts, or -1.
  ///
  /// States that may be dead have a second row in which transitions into dead states are removed;
  /// `liveRow` is the one to walk.
  private var rawRow: ContiguousArray<Int32> = []
  private var liveRow: ContiguousArray<Int32> = []
  /// By expression: 0 unknown, 1 live, 2 dead.
  private var liveness: ContiguousArray<UInt8> = []
  /// By expression: length of its shortest text (a lower bound below Boolean operators).
  var shortest: ContiguousArray<Int32> = []
  /// Whether some text is left of a span under a condition.
  var spanLiveness: [SpanState: Bool] = [:]
  var ruleShortest: [Int32] = []

  init(
    pool: ExpressionPool, root: Expression, namedTokens: [Int],
    resolve: (TokenSet.Member) -> Int?
  ) throws(GrammarError) {
    self.pool = pool
    self.root = root
    (classOfByte, byteOfClass) = Self.byteClasses(pool)
    byteClassCount = byteOfClass.count
    var symbols: [Int: Int] = [:]
    for id in namedTokens where symbols[id] == nil {
      symbols[id] = byteOfClass.count + symbols.count
    }
    symbolOfToken = symbols
    symbolCount = byteOfClass.count + (pool.tokenSets.isEmpty ? 0 : symbols.count + 1)
    var membership: [[Bool]] = []
    for set in pool.tokenSets {
      guard let id = resolve(set.member), let symbol = symbols[id] else {
        if case .text(let text) = set.member { throw .unknownToken(text: text) }
        throw .unknownToken(text: "<[...]>")
      }
      var row = [Bool](repeating: set.isNegated, count: symbols.count + 1)
      row[symbol - byteOfClass.count] = !set.isNegated
      membership.append(row)
    }
    tokenMembership = membership
  }

  /// Entries that take about as long as one step of a search.
  private static let entriesOfWork = 100

  /// Bytes that every set of the grammar treats alike share a class.
  private static func byteClasses(_ pool: ExpressionPool) -> (of: [UInt8], byte: [UInt8]) {
    var classes = [ByteSet.all]
    func split(by set: ByteSet) {
      for index in classes.indices {
        let inside = classes[index].intersection(set)
        if inside.isEmpty || inside == classes[index] { continue }
        classes[index] = classes[index].subtracting(set)
        classes.append(inside)
      }
    }
    for set in pool.byteSets { split(by: set) }
    var single = ByteSet()
    for automaton in pool.automata {
      for state in automaton.transitions { for edge in state { single.insert(edge.byte) } }
    }
    for source in pool.sources { single = single.union(source.symbols) }
    for byte in single.bytes { split(by: ByteSet(byte...byte)) }
    var classOf = [UInt8](repeating: 0, count: 256)
    var byteOf = [UInt8](repeating: 0, count: classes.count)
    for (number, members) in classes.enumerated() {
      let bytes = members.bytes
      byteOf[number] = bytes[0]
      for byte in bytes { classOf[Int(byte)] = UInt8(number) }
    }
    return (classOf, byteOf)
  }

  // MARK: Following symbols

  /// Where the row of `e` starts in `rows`; transitions into states without any text are `never`.
  mutating func row(_ e: Expression) -> Int {
    if Int(e) < liveRow.count && liveRow[Int(e)] >= 0 { return Int(liveRow[Int(e)]) }
    return makeRow(e)
  }

  private mutating func makeRow(_ e: Expression) -> Int {
    let raw = makeRawRow(e)
    guard pool.nodes[Int(e)].flags.contains(.uncertain) else {
      growTables()
      liveRow[Int(e)] = Int32(raw)
      return raw
    }
    var kept = [Expression](repeating: .never, count: symbolCount)
    for symbol in 0..<symbolCount {
      let next = rows[raw + symbol]
      if next != .never && isLive(next) { kept[symbol] = next }
    }
    let start = append(kept)
    growTables()
    liveRow[Int(e)] = Int32(start)
    return start
  }

  /// The state after `byte`, or `never`.
  mutating func next(_ e: Expression, _ byte: UInt8) -> Expression {
    rows[row(e) + Int(classOfByte[Int(byte)])]
  }

  /// The state after `bytes`, or `never`.
  mutating func next(_ e: Expression, _ bytes: some Sequence<UInt8>) -> Expression {
    var state = e
    for byte in bytes {
      state = next(state, byte)
      if state == .never { break }
    }
    return state
  }

  /// The state after a token taken by number, or `never`.
  mutating func next(_ e: Expression, tokenNumber id: Int) -> Expression {
    guard pool.nodes[Int(e)].flags.contains(.tokens) else { return .never }
    return rows[row(e) + (symbolOfToken[id] ?? symbolCount - 1)]
  }

  /// Begins a step of matching, whose work is limited by itself.
  mutating func beginStep() { stepWork = 0 }

  // MARK: Rows

  private mutating func growTables() {
    while rawRow.count < pool.nodes.count {
      rawRow.append(-1)
      liveRow.append(-1)
      liveness.append(0)
    }
  }

  private mutating func append(_ row: [Expression]) -> Int {
    if (rows.count + symbolCount) * 4 > pool.limits.maximumTableBytes {
      pool.exceeded = pool.exceeded ?? .tableBytes
      if rows.count < symbolCount { rows.append(contentsOf: row) }
      return 0
    }
    let start = rows.count
    rows.append(contentsOf: row)
    return start
  }

  /// The row of `e` before dead states are removed.
  ///
  /// Works through operands with its own stack.
  private mutating func makeRawRow(_ e: Expression) -> Int {
    growTables()
    if rawRow[Int(e)] >= 0 { return Int(rawRow[Int(e)]) }
    var stack = [e]
    while let top = stack.last {
      if rawRow[Int(top)] >= 0 {
        stack.removeLast()
        continue
      }
      let before = stack.count
      pushMissingOperands(of: top, &stack)
      if stack.count > pool.limits.maximumStates {
        pool.exceeded = pool.exceeded ?? .work
        return append([Expression](repeating: .never, count: symbolCount))
      }
      guard stack.count == before else { continue }
      let computed = computeRow(top)
      let start = append(computed)
      growTables()
      rawRow[Int(top)] = Int32(start)
      stack.removeLast()
    }
    return Int(rawRow[Int(e)])
  }

  private func pushMissingOperands(of e: Expression, _ stack: inout [Expression]) {
    let node = pool.nodes[Int(e)]
    func need(_ operand: Expression) {
      if rawRow[Int(operand)] < 0 { stack.append(operand) }
    }
    switch node.kind {
    case .never, .empty, .bytes, .token, .automaton, .verbatim: break
    case .concatenation:
      need(node.a)
      if pool.isNullable(node.a) { need(node.b) }
    case .union, .intersection: for member in pool.members(node) { need(member) }
    case .repetition, .complement, .unit, .nonEmpty: need(node.a)
    case .call: need(pool.ruleBodies[Int(node.a)])
    }
  }

  private mutating func computeRow(_ e: Expression) -> [Expression] {
    let node = pool.nodes[Int(e)]
    var row = [Expression](repeating: .never, count: symbolCount)
    stepWork += symbolCount * (node.kind == .union || node.kind == .intersection ? Int(node.b) : 1)
    if stepWork > pool.limits.maximumWork * Self.entriesOfWork {
      pool.exceeded = pool.exceeded ?? .work
      return row
    }
    func source(_ operand: Expression) -> Int { Int(rawRow[Int(operand)]) }
    switch node.kind {
    case .never, .empty: break
    case .bytes:
      let set = pool.byteSets[Int(node.a)]
      for i in 0..<byteClassCount where set.contains(byteOfClass[i]) { row[i] = .empty }
    case .token:
      for (i, isMember) in tokenMembership[Int(node.a)].enumerated() where isMember {
        row[byteClassCount + i] = .empty
      }
    case .concatenation: concatenationRow(node, &row)
    case .repetition:
      let rest = pool.repetition(
        node.a, max(Int(node.b) - 1, 0), node.c < 0 ? nil : Int(node.c) - 1)
      map(source(node.a), &row) { $0.concatenation($1, rest) }
    case .unit: map(source(node.a), &row) { $0.unit($1) }
    case .nonEmpty:
      let start = source(node.a)
      for i in 0..<symbolCount { row[i] = rows[start + i] }
    case .call:
      let start = source(pool.ruleBodies[Int(node.a)])
      for i in 0..<symbolCount { row[i] = rows[start + i] }
    case .complement:
      let everything = pool.anything
      for i in 0..<symbolCount where i < byteClassCount { row[i] = everything }
      map(source(node.a), &row) { $0.complement($1) }
    case .union: unionRow(Array(pool.members(node)), &row)
    case .intersection: intersectionRow(Array(pool.members(node)), &row)
    case .automaton:
      for edge in pool.automata[Int(node.a)].transitions[Int(node.b)] {
        row[Int(classOfByte[Int(edge.byte)])] = pool.automatonState(node.a, edge.state)
      }
    case .verbatim:
      let source = pool.sources[Int(node.a)]
      let position = VerbatimSource.Position(state: node.b, escape: node.c)
      for byte in source.bytes(after: position).bytes {
        guard let next = source.step(position, byte) else { continue }
        row[Int(classOfByte[Int(byte)])] = pool.verbatimState(node.a, next)
      }
    }
    return row
  }

  /// `row[i] = transform(rows[start + i])` for live entries; equal neighbours are done once.
  private mutating func map(
    _ start: Int, _ row: inout [Expression],
    _ transform: (inout ExpressionPool, Expression) -> Expression
  ) {
    var (last, lastResult): (Expression, Expression) = (.never, .never)
    for i in 0..<symbolCount {
      let inner = rows[start + i]
      if inner == .never { continue }
      if inner != last {
        last = inner
        lastResult = transform(&pool, inner)
      }
      row[i] = lastResult
    }
  }

  private mutating func concatenationRow(_ node: ExpressionNode, _ row: inout [Expression]) {
    let tail = node.b
    map(Int(rawRow[Int(node.a)]), &row) { $0.concatenation($1, tail) }
    guard pool.isNullable(node.a) else { return }
    let start = Int(rawRow[Int(tail)])
    var (lastA, lastB, lastResult): (Expression, Expression, Expression) = (.never, .never, .never)
    for i in 0..<symbolCount {
      let other = rows[start + i]
      if other == .never { continue }
      if row[i] == .never {
        row[i] = other
        continue
      }
      if row[i] != lastA || other != lastB {
        (lastA, lastB) = (row[i], other)
        lastResult = pool.union([lastA, lastB])
      }
      row[i] = lastResult
    }
  }

  private mutating func unionRow(_ members: [Expression], _ row: inout [Expression]) {
    // By symbol: the members' results, gathered before one union each.
    var gathered = [[Expression]](repeating: [], count: symbolCount)
    for member in members {
      let start = Int(rawRow[Int(member)])
      for i in 0..<symbolCount where rows[start + i] != .never {
        gathered[i].append(rows[start + i])
      }
    }
    var last: [Expression] = []
    var lastResult = Expression.never
    for i in 0..<symbolCount where !gathered[i].isEmpty {
      if gathered[i] != last {
        last = gathered[i]
        lastResult = pool.union(last)
      }
      row[i] = lastResult
    }
  }

  private mutating func intersectionRow(_ members: [Expression], _ row: inout [Expression]) {
    let starts = members.map { Int(rawRow[Int($0)]) }
    var parts = [Expression](repeating: .never, count: members.count)
    var last: [Expression] = []
    var lastResult = Expression.never
    for i in 0..<byteClassCount {
      for (k, start) in starts.enumerated() { parts[k] = rows[start + i] }
      if parts.contains(.never) { continue }
      if parts != last {
        last = parts
        lastResult = pool.intersection(parts)
      }
      row[i] = lastResult
    }
  }

  // MARK: States without any text

  /// Whether some text is left in `e`.
  ///
  /// Only Boolean operators need a search.
  mutating func isLive(_ e: Expression) -> Bool {
    guard pool.nodes[Int(e)].flags.contains(.uncertain) else { return e != .never }
    growTables()
    if liveness[Int(e)] != 0 { return liveness[Int(e)] == 1 }
    let node = pool.nodes[Int(e)]
    let result: Bool
    switch node.kind {
    case .concatenation: result = isLiveSequence(e)
    case .nonEmpty:
      let start = makeRawRow(node.a)
      result = (0..<symbolCount).contains { isLive(rows[start + $0]) }
    case .union: result = Array(pool.members(node)).contains { isLive($0) }
    case .repetition: result = node.b == 0 || isLive(node.a)
    case .unit: result = isLive(node.a)
    case .intersection:
      guard let span = spanState(e) else { return searchForText(e) }
      result = isLive(span)
    default: return searchForText(e)
    }
    liveness[Int(e)] = result ? 1 : 2
    return result
  }

  /// A sequence is live when each part is; long ones are walked, not recursed into.
  private mutating func isLiveSequence(_ e: Expression) -> Bool {
    var rest = e
    while pool.nodes[Int(rest)].kind == .concatenation {
      let node = pool.nodes[Int(rest)]
      if !isLive(node.a) { return false }
      rest = node.b
      if Int(rest) < liveness.count && liveness[Int(rest)] != 0 {
        return liveness[Int(rest)] == 1
      }
    }
    return isLive(rest)
  }

  /// Looks for a text of `e` depth first; every state on the way to one is live, and where there is
  /// none every state seen is dead.
  private mutating func searchForText(_ start: Expression) -> Bool {
    var path: [(state: Expression, row: Int, symbol: Int)] = []
    var seen: Set<Expression> = [start]
    var current = start
    var steps = 0
    while true {
      growTables()
      if liveness[Int(current)] == 1 || pool.isNullable(current) {
        liveness[Int(current)] = 1
        for step in path { liveness[Int(step.state)] = 1 }
        return true
      }
      let row = makeRawRow(current)
      path.append((current, row, 0))
      // An end one step away spares a descent through long counts.
      if let near = (0..<symbolCount).first(where: { isKnownLive(rows[row + $0]) }) {
        current = rows[row + near]
        continue
      }
      guard let next = nextUnseen(&path, &seen) else { break }
      current = next
      steps += 1
      if steps > pool.limits.maximumWork || pool.exceeded != nil {
        pool.exceeded = pool.exceeded ?? .work
        return false
      }
    }
    growTables()
    for state in seen { liveness[Int(state)] = 2 }
    return false
  }

  private func isKnownLive(_ e: Expression) -> Bool {
    guard e != .never else { return false }
    return pool.isNullable(e) || (Int(e) < liveness.count && liveness[Int(e)] == 1)
  }

  private mutating func nextUnseen(
    _ path: inout [(state: Expression, row: Int, symbol: Int)], _ seen: inout Set<Expression>
  ) -> Expression? {
    while let top = path.last {
      var symbol = top.symbol
      while symbol < symbolCount {
        let next = rows[top.row + symbol]
        symbol += 1
        growTables()
        if next != .never && liveness[Int(next)] != 2 && seen.insert(next).inserted {
          path[path.count - 1].symbol = symbol
          return next
        }
      }
      path.removeLast()
    }
    return nil
  }
}

extension ExpressionPool {
  mutating func automatonState(_ number: Int32, _ state: Int32) -> Expression {
    let accepts = automata[Int(number)].isAccepting[Int(state)]
    return intern(
      ExpressionNode(kind: .automaton, flags: accepts ? .nullable : [], a: number, b: state))
  }

  mutating func verbatimState(
    _ source: Int32, _ position: VerbatimSource.Position
  ) -> Expression {
    let ends = sources[Int(source)].mayEnd(position)
    return intern(
      ExpressionNode(
        kind: .verbatim, flags: ends ? [.spans, .nullable] : .spans, a: source, b: position.state,
        c: position.escape))
  }
}
