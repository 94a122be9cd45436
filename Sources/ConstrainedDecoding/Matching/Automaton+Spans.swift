/// A span of a source text, under a condition that the whole span must meet.
struct SpanState: Hashable, Sendable {
  /// Number of the source in the pool.
  var source: Int32
  var position: VerbatimSource.Position
  var condition: Expression

  func hash(into hasher: inout Hasher) {
    hasher.combine(Int64(position.state) << 32 | Int64(condition))
    hasher.combine(Int64(source) << 32 | Int64(position.escape))
  }
}

/// A state that begins with a span, taken apart.
struct SpanRegion: Sendable {
  var span: SpanState
  /// What follows the span.
  var tail: Expression
}

// Spans are followed in the suffix automaton itself: as expressions every place of the source
// would be a state with a row as wide as the alphabet.
extension Automaton {
  /// Most remembered answers about spans.
  private static let mostKnown = 200_000

  /// The state `e` as a span and what follows it; nil if it is anything else.
  mutating func spanRegion(beginning e: Expression) -> SpanRegion? {
    guard pool.nodes[Int(e)].flags.contains(.spans) else { return nil }
    var head = withoutUnits(e)
    var tails: [Expression] = []
    while pool.nodes[Int(head)].kind == .concatenation {
      tails.append(pool.nodes[Int(head)].b)
      head = withoutUnits(pool.nodes[Int(head)].a)
    }
    guard let span = spanState(head) else { return nil }
    // Outer tails come last.
    var tail = Expression.empty
    for part in tails { tail = pool.concatenation(part, tail) }
    return SpanRegion(span: span, tail: tail)
  }

  /// A span, or the intersection of one with regular conditions; nil if `e` is anything else.
  mutating func spanState(_ e: Expression) -> SpanState? {
    let node = pool.nodes[Int(withoutUnits(e))]
    func position(_ node: ExpressionNode) -> VerbatimSource.Position {
      VerbatimSource.Position(state: node.b, escape: node.c)
    }
    switch node.kind {
    case .verbatim:
      return SpanState(source: node.a, position: position(node), condition: pool.anything)
    case .intersection:
      let members = Array(pool.members(node))
      let spans = members.filter { pool.nodes[Int($0)].kind == .verbatim }
      guard spans.count == 1 else { return nil }
      let span = pool.nodes[Int(spans[0])]
      return SpanState(
        source: span.a, position: position(span),
        condition: pool.intersection(members.filter { $0 != spans[0] }))
    default: return nil
    }
  }

  private func withoutUnits(_ e: Expression) -> Expression {
    var e = e
    while pool.nodes[Int(e)].kind == .unit { e = pool.nodes[Int(e)].a }
    return e
  }

  /// The span as an expression.
  mutating func expression(_ span: SpanState) -> Expression {
    pool.intersection([pool.verbatimState(span.source, span.position), span.condition])
  }

  /// The span after one more byte, nil if no text is left.
  mutating func next(_ span: SpanState, _ byte: UInt8) -> SpanState? {
    let condition = rows[row(span.condition) + Int(classOfByte[Int(byte)])]
    guard condition != .never,
      let position = pool.sources[Int(span.source)].step(span.position, byte)
    else { return nil }
    return SpanState(source: span.source, position: position, condition: condition)
  }

  /// Whether the span may end here.
  func isWhole(_ span: SpanState) -> Bool {
    pool.sources[Int(span.source)].mayEnd(span.position) && pool.isNullable(span.condition)
  }

  /// Whether some text of the span is left.
  ///
  /// A search depth first; the source has no cycles, so a state that was left without success has
  /// no text.
  mutating func isLive(_ start: SpanState) -> Bool {
    // Every place of a source leads to an end of a span.
    if start.condition == pool.anything { return true }
    if let known = spanLiveness[start] { return known }
    if spanLiveness.count > Self.mostKnown { spanLiveness.removeAll(keepingCapacity: true) }
    var path = [(span: start, bytes: bytes(after: start))]
    var steps = 0
    while let top = path.last {
      if isWhole(top.span) {
        for step in path { spanLiveness[step.span] = true }
        return true
      }
      guard let byte = path[path.count - 1].bytes.popFirst() else {
        spanLiveness[top.span] = false
        path.removeLast()
        continue
      }
      steps += 1
      if steps > pool.limits.maximumWork || pool.exceeded != nil {
        pool.exceeded = pool.exceeded ?? .work
        return false
      }
      guard let next = next(top.span, byte) else { continue }
      switch spanLiveness[next] {
      case true?:
        for step in path { spanLiveness[step.span] = true }
        return true
      case false?: continue
      case nil: path.append((next, bytes(after: next)))
      }
    }
    return false
  }

  private func bytes(after span: SpanState) -> ByteSet {
    pool.sources[Int(span.source)].bytes(after: span.position)
  }
}
