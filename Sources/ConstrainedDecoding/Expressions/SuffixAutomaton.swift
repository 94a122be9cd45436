/// All substrings of a text as the smallest automaton that has them (Blumer and others, 1985).
///
/// For spans of whole words the text is augmented with a mark at every place where one may begin,
/// and one at its end. Whether a mark stands between two characters depends on those alone, so
/// following a span may step over marks without ever having a choice.
final class SuffixAutomaton: Sendable {
  /// The mark, as a symbol after the bytes.
  private static let mark: Int32 = 256

  /// One edge, in the list of its state.
  fileprivate struct Edge {
    var symbol: Int32
    var target: Int32
    /// The next edge of the list, or -1.
    var next: Int32
  }

  fileprivate struct State {
    var firstEdge: Int32 = -1
    /// Where some occurrence of the spans that lead here ends in the text.
    var end: Int32
    /// Bits of the symbols (modulo 64) that have an edge: most misses are seen without the list.
    var symbols: UInt64 = 0
  }

  private let edges: ContiguousArray<Edge>
  private let states: ContiguousArray<State>
  /// By symbol: where the edge of state 0 leads, which has more of them than any list should.
  private let rootTargets: ContiguousArray<Int32>
  let text: [UInt8]
  let wholeWords: Bool
  /// The bytes of the text.
  let alphabet: ByteSet

  /// - Complexity: O(n) states and edges.
  init(_ text: [UInt8], wholeWords: Bool) {
    var builder = SuffixAutomatonBuilder(capacity: text.count * 2 + 2)
    for index in text.indices {
      if wholeWords && Self.mayStart(text, index) { builder.append(Self.mark, end: index) }
      builder.append(Int32(text[index]), end: index + 1)
    }
    if wholeWords { builder.append(Self.mark, end: text.count) }
    self.text = text
    self.wholeWords = wholeWords
    edges = builder.edges
    states = builder.states
    rootTargets = builder.rootTargets
    alphabet = ByteSet(text)
  }

  /// The state before any byte, -1 if there is no span.
  var start: Int32 {
    if text.isEmpty { return -1 }
    return wholeWords ? rootTargets[Int(Self.mark)] : 0
  }

  // MARK: Words

  enum CharacterClass { case space, word, free }

  /// The class of a character by its first byte.
  ///
  /// Scripts written without spaces are free: between their characters a span may be cut anywhere.
  static func characterClass(_ lead: UInt8) -> CharacterClass {
    switch lead {
    case 0x09...0x0D, 0x20: .space
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: .word
    case 0xC3...0xDF, 0xE0, 0xE1, 0xEA...0xED: .word
    default: .free
    }
  }

  static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// The class of the character that ends before `index`.
  private static func classBefore(_ text: [UInt8], _ index: Int) -> CharacterClass {
    var lead = index - 1
    while lead > 0 && isContinuation(text[lead]) { lead -= 1 }
    return lead < 0 ? .free : characterClass(text[lead])
  }

  private static func mayStart(_ text: [UInt8], _ index: Int) -> Bool {
    if isContinuation(text[index]) { return false }
    let next = characterClass(text[index])
    if next == .space { return false }
    return !(next == .word && classBefore(text, index) == .word)
  }

  /// Whether a span that leads to `state` may end there: after a whole character, and where words
  /// are whole neither inside one nor after white space.
  func mayEnd(_ state: Int32) -> Bool {
    let position = Int(states[Int(state)].end)
    guard state != start, position > 0 else { return false }
    if position < text.count && Self.isContinuation(text[position]) { return false }
    guard wholeWords else { return true }
    if Self.classBefore(text, position) == .space { return false }
    if target(state, Self.mark) >= 0 { return true }
    var edge = states[Int(state)].firstEdge
    while edge >= 0 {
      let symbol = edges[Int(edge)].symbol
      if symbol < 128 && Self.characterClass(UInt8(symbol)) == .space { return true }
      edge = edges[Int(edge)].next
    }
    return false
  }

  // MARK: Following

  /// The state after one more byte of a span, or -1.
  func follow(_ state: Int32, _ byte: UInt8) -> Int32 {
    if state == start && Self.isContinuation(byte) { return -1 }
    let next = target(state, Int32(byte))
    if next >= 0 || !wholeWords || state == 0 { return next }
    let marked = target(state, Self.mark)
    return marked < 0 ? -1 : target(marked, Int32(byte))
  }

  /// The bytes by which a span goes on.
  func bytes(after state: Int32) -> ByteSet {
    if state == 0 { return alphabet.subtracting(Self.continuations) }
    var result = ByteSet()
    for state in [state, wholeWords ? target(state, Self.mark) : -1] where state >= 0 {
      var edge = states[Int(state)].firstEdge
      while edge >= 0 {
        if let byte = UInt8(exactly: edges[Int(edge)].symbol) { result.insert(byte) }
        edge = edges[Int(edge)].next
      }
    }
    return result
  }

  private static let continuations = ByteSet(0x80...0xBF)

  private func target(_ state: Int32, _ symbol: Int32) -> Int32 {
    if state == 0 { return rootTargets[Int(symbol)] }
    let known = states[Int(state)]
    guard known.symbols & (1 << UInt64(symbol & 63)) != 0 else { return -1 }
    var edge = known.firstEdge
    while edge >= 0 {
      let candidate = edges[Int(edge)]
      if candidate.symbol == symbol { return candidate.target }
      edge = candidate.next
    }
    return -1
  }
}

/// Adds one symbol after the other, keeping the automaton of what was read smallest.
private struct SuffixAutomatonBuilder {
  var edges = ContiguousArray<SuffixAutomaton.Edge>()
  var states: ContiguousArray<SuffixAutomaton.State> = [SuffixAutomaton.State(end: 0)]
  var rootTargets = ContiguousArray<Int32>(repeating: -1, count: 257)
  /// By state: the state of its longest suffix that occurs elsewhere, and its own longest length.
  private var links: ContiguousArray<(state: Int32, length: Int32)> = [(-1, 0)]
  private var last: Int32 = 0

  init(capacity: Int) {
    edges.reserveCapacity(capacity)
    states.reserveCapacity(capacity)
    links.reserveCapacity(capacity)
  }

  /// The number of the edge, or -1; of state 0 the target itself.
  private func edge(_ state: Int32, _ symbol: Int32) -> Int32 {
    if state == 0 { return rootTargets[Int(symbol)] }
    let known = states[Int(state)]
    guard known.symbols & (1 << UInt64(symbol & 63)) != 0 else { return -1 }
    var edge = known.firstEdge
    while edge >= 0 && edges[Int(edge)].symbol != symbol { edge = edges[Int(edge)].next }
    return edge
  }

  private mutating func addEdge(_ state: Int32, _ symbol: Int32, _ target: Int32) {
    if state == 0 {
      rootTargets[Int(symbol)] = target
      return
    }
    edges.append(
      SuffixAutomaton.Edge(symbol: symbol, target: target, next: states[Int(state)].firstEdge))
    states[Int(state)].firstEdge = Int32(edges.count - 1)
    states[Int(state)].symbols |= 1 << UInt64(symbol & 63)
  }

  private mutating func addState(length: Int32, end: Int32) -> Int32 {
    states.append(SuffixAutomaton.State(end: end))
    links.append((-1, length))
    return Int32(states.count - 1)
  }

  mutating func append(_ symbol: Int32, end position: Int) {
    let current = addState(length: links[Int(last)].length + 1, end: Int32(position))
    var state = last
    var found: Int32 = -1
    while state >= 0 {
      found = edge(state, symbol)
      if found >= 0 { break }
      addEdge(state, symbol, current)
      state = links[Int(state)].state
    }
    last = current
    guard state >= 0 else {
      links[Int(current)].state = 0
      return
    }
    let target = state == 0 ? found : edges[Int(found)].target
    if links[Int(state)].length + 1 == links[Int(target)].length {
      links[Int(current)].state = target
      return
    }
    let copy = addState(length: links[Int(state)].length + 1, end: states[Int(target)].end)
    var copied = states[Int(target)].firstEdge
    while copied >= 0 {
      addEdge(copy, edges[Int(copied)].symbol, edges[Int(copied)].target)
      copied = edges[Int(copied)].next
    }
    links[Int(copy)].state = links[Int(target)].state
    links[Int(target)].state = copy
    links[Int(current)].state = copy
    redirect(state, symbol, from: target, to: copy)
  }

  private mutating func redirect(
    _ first: Int32, _ symbol: Int32, from target: Int32, to copy: Int32
  ) {
    var state = first
    while state > 0 {
      let edge = edge(state, symbol)
      guard edge >= 0, edges[Int(edge)].target == target else { return }
      edges[Int(edge)].target = copy
      state = links[Int(state)].state
    }
    if state == 0 && rootTargets[Int(symbol)] == target { rootTargets[Int(symbol)] = copy }
  }
}
