/// All substrings of a text as the smallest automaton that has them (Blumer and others, 1985).
///
/// The text is augmented with a mark at every place where a word-bounded span may begin, and one
/// at its end. Whether a mark stands between two characters depends on those alone, so following a
/// span may step over marks without ever having a choice.
final class SuffixAutomaton: Sendable {
  /// The mark, as a symbol after the bytes.
  static let mark: Int32 = 256

  private let edgeSymbol: ContiguousArray<Int16>
  private let edgeTarget: ContiguousArray<Int32>
  private let edgeNext: ContiguousArray<Int32>
  private let firstEdge: ContiguousArray<Int32>
  /// By symbol: the edge of state 0, which has more of them than any list should.
  private let rootEdges: ContiguousArray<Int32>
  /// By state: where some occurrence of its spans ends in the text.
  let end: ContiguousArray<Int32>
  let text: [UInt8]
  /// The bytes of the text, each once.
  let alphabet: [UInt8]

  var stateCount: Int { firstEdge.count }

  /// - Complexity: O(n) states and edges.
  init(_ text: [UInt8]) {
    var builder = Builder(capacity: text.count * 3)
    for index in text.indices {
      if Self.mayStart(text, index) { builder.append(Self.mark, end: index) }
      builder.append(Int32(text[index]), end: index + 1)
    }
    builder.append(Self.mark, end: text.count)
    self.text = text
    edgeSymbol = builder.edgeSymbol
    edgeTarget = builder.edgeTarget
    edgeNext = builder.edgeNext
    firstEdge = builder.firstEdge
    rootEdges = builder.rootEdges
    end = builder.end
    alphabet = ByteSet(text).bytes
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

  /// Whether a span that leads to `state` may end there: after a whole character, and in
  /// `wholeWords` mode neither inside a word nor after white space.
  func mayEnd(_ state: Int32, wholeWords: Bool) -> Bool {
    let position = Int(end[Int(state)])
    guard state > 0, position > 0 else { return false }
    if position < text.count && Self.isContinuation(text[position]) { return false }
    guard wholeWords else { return true }
    if Self.classBefore(text, position) == .space { return false }
    if follow(state, Self.mark) >= 0 { return true }
    var edge = firstEdge[Int(state)]
    while edge >= 0 {
      let symbol = edgeSymbol[Int(edge)]
      if symbol < 128 && Self.characterClass(UInt8(symbol)) == .space { return true }
      edge = edgeNext[Int(edge)]
    }
    return false
  }

  // MARK: Following

  /// The state after one symbol, or -1.
  func follow(_ state: Int32, _ symbol: Int32) -> Int32 {
    if state == 0 {
      let edge = rootEdges[Int(symbol)]
      return edge < 0 ? -1 : edgeTarget[Int(edge)]
    }
    var edge = firstEdge[Int(state)]
    while edge >= 0 {
      if Int32(edgeSymbol[Int(edge)]) == symbol { return edgeTarget[Int(edge)] }
      edge = edgeNext[Int(edge)]
    }
    return -1
  }

  /// Every byte that may follow a span, with the state it leads to.
  func forEachByte(_ state: Int32, _ body: (UInt8, Int32) -> Void) {
    var edge = firstEdge[Int(state)]
    var marked: Int32 = -1
    while edge >= 0 {
      let symbol = edgeSymbol[Int(edge)]
      if Int32(symbol) == Self.mark {
        marked = edgeTarget[Int(edge)]
      } else if !(state == 0 && Self.isContinuation(UInt8(symbol))) {
        body(UInt8(symbol), edgeTarget[Int(edge)])
      }
      edge = edgeNext[Int(edge)]
    }
    // At the root the marked beginnings are among the others already.
    guard marked >= 0 && state != 0 else { return }
    edge = firstEdge[Int(marked)]
    while edge >= 0 {
      let symbol = edgeSymbol[Int(edge)]
      if Int32(symbol) != Self.mark { body(UInt8(symbol), edgeTarget[Int(edge)]) }
      edge = edgeNext[Int(edge)]
    }
  }

  // MARK: Building

  private struct Builder {
    var edgeSymbol = ContiguousArray<Int16>()
    var edgeTarget = ContiguousArray<Int32>()
    var edgeNext = ContiguousArray<Int32>()
    var firstEdge: ContiguousArray<Int32> = [-1]
    var rootEdges = ContiguousArray<Int32>(repeating: -1, count: 257)
    var end: ContiguousArray<Int32> = [0]
    private var link: ContiguousArray<Int32> = [-1]
    private var length: ContiguousArray<Int32> = [0]
    private var last: Int32 = 0

    init(capacity: Int) {
      edgeSymbol.reserveCapacity(capacity)
      edgeTarget.reserveCapacity(capacity)
      edgeNext.reserveCapacity(capacity)
      firstEdge.reserveCapacity(capacity)
      end.reserveCapacity(capacity)
      link.reserveCapacity(capacity)
      length.reserveCapacity(capacity)
    }

    private func edge(_ state: Int32, _ symbol: Int32) -> Int32 {
      if state == 0 { return rootEdges[Int(symbol)] }
      var edge = firstEdge[Int(state)]
      while edge >= 0 && Int32(edgeSymbol[Int(edge)]) != symbol { edge = edgeNext[Int(edge)] }
      return edge
    }

    private mutating func addEdge(_ state: Int32, _ symbol: Int16, _ target: Int32) {
      edgeSymbol.append(symbol)
      edgeTarget.append(target)
      edgeNext.append(firstEdge[Int(state)])
      firstEdge[Int(state)] = Int32(edgeSymbol.count - 1)
      if state == 0 { rootEdges[Int(symbol)] = Int32(edgeSymbol.count - 1) }
    }

    private mutating func addState(length: Int32, end: Int32) -> Int32 {
      firstEdge.append(-1)
      link.append(-1)
      self.length.append(length)
      self.end.append(end)
      return Int32(firstEdge.count - 1)
    }

    mutating func append(_ symbol: Int32, end position: Int) {
      let current = addState(length: length[Int(last)] + 1, end: Int32(position))
      var state = last
      var found: Int32 = -1
      while state >= 0 {
        found = edge(state, symbol)
        if found >= 0 { break }
        addEdge(state, Int16(symbol), current)
        state = link[Int(state)]
      }
      last = current
      guard state >= 0 else {
        link[Int(current)] = 0
        return
      }
      let target = edgeTarget[Int(found)]
      if length[Int(state)] + 1 == length[Int(target)] {
        link[Int(current)] = target
        return
      }
      let clone = addState(length: length[Int(state)] + 1, end: end[Int(target)])
      var copied = firstEdge[Int(target)]
      while copied >= 0 {
        addEdge(clone, edgeSymbol[Int(copied)], edgeTarget[Int(copied)])
        copied = edgeNext[Int(copied)]
      }
      link[Int(clone)] = link[Int(target)]
      link[Int(target)] = clone
      link[Int(current)] = clone
      while state >= 0 {
        let redirected = edge(state, symbol)
        guard redirected >= 0, edgeTarget[Int(redirected)] == target else { break }
        edgeTarget[Int(redirected)] = clone
        state = link[Int(state)]
      }
    }
  }
}
