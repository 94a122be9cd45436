/// Finds control and added tokens in text, where they are taken whole before anything else.
///
/// Added (user-defined) tokens are found everywhere. Control and unknown tokens are found only in
/// text whose author may write them: what a user typed can never become one.
struct SpecialTokenMatcher: Sendable {
  /// A stretch of text to tokenize, or a token that stood in the text.
  enum Part: Equatable {
    case text(Range<Int>)
    case token(TokenID)
  }

  /// A node of the trie of all spellings.
  private struct Node {
    var byte: UInt8
    var firstChild: Int32 = -1
    var nextSibling: Int32 = -1
    /// The added token that ends here, and the control or unknown token that does.
    var added: TokenID = -1
    var control: TokenID = -1
  }

  private var nodes = [Node(byte: 0)]
  /// Whether a token begins with this byte. [256]
  private var starts = [Bool](repeating: false, count: 256)
  /// Tokens that swallow white space on their right.
  private var stripping: Set<TokenID> = []

  /// Collects the tokens to look for.
  ///
  /// - Parameters:
  ///   - vocabulary: all tokens with their kinds.
  ///   - modelName: `general.name`; the Phi-3 family strips white space after its control tokens,
  ///     which its files do not say anywhere else.
  init(_ vocabulary: Vocabulary, modelName: String?) {
    let tokens = vocabulary.tokens
    let name = (modelName ?? "").lowercased()
    let strips = name.contains("phi-3") || name.contains("phi3")
    let kept = ["<unk>", "<s>", "<|endoftext|>"].map { Array($0.utf8) }
    // A token spelt like the end of a sequence is markup in some vocabularies and a wrongly marked
    // control token in others: it is found as a control token is, but remains text.
    let endOfSequence = Array("</s>".utf8)
    for id in 0..<vocabulary.count where !tokens[id].isEmpty {
      switch vocabulary.kinds[id] {
      case .byte, .unused: continue
      case .normal where !tokens[id].elementsEqual(endOfSequence): continue
      case .userDefined where !tokens[id].elementsEqual(endOfSequence):
        insert(tokens[id], TokenID(id), isAdded: true)
      case .normal, .userDefined, .control, .unknown:
        insert(tokens[id], TokenID(id), isAdded: false)
      }
      if strips, !kept.contains(where: { tokens[id].elementsEqual($0) }) {
        stripping.insert(TokenID(id))
      }
    }
  }

  private mutating func insert(_ spelling: ArraySlice<UInt8>, _ id: TokenID, isAdded: Bool) {
    if let first = spelling.first { starts[Int(first)] = true }
    var node = 0
    for byte in spelling {
      if let next = child(of: node, byte) {
        node = next
      } else {
        nodes.append(Node(byte: byte, nextSibling: nodes[node].firstChild))
        nodes[node].firstChild = Int32(nodes.count - 1)
        node = nodes.count - 1
      }
    }
    if isAdded, nodes[node].added < 0 { nodes[node].added = id }
    if !isAdded, nodes[node].control < 0 { nodes[node].control = id }
  }

  private func child(of node: Int, _ byte: UInt8) -> Int? {
    var child = nodes[node].firstChild
    while child >= 0 {
      if nodes[Int(child)].byte == byte { return Int(child) }
      child = nodes[Int(child)].nextSibling
    }
    return nil
  }

  /// The longest token that begins at `start` and ends no later than `end`; control tokens have to
  /// end no later than `controlEnd`.
  private func longest(
    _ bytes: [UInt8], _ start: Int, _ end: Int, _ controlEnd: Int
  ) -> Match? {
    var best: Match?
    var node = 0
    var position = start
    while position < end, let next = child(of: node, bytes[position]) {
      node = next
      position += 1
      if nodes[node].control >= 0, position <= controlEnd {
        best = Match(start: start, end: position, id: nodes[node].control)
      } else if nodes[node].added >= 0 {
        best = Match(start: start, end: position, id: nodes[node].added)
      }
    }
    return best
  }

  fileprivate struct Match {
    var start: Int
    var end: Int
    var id: TokenID
  }

  /// Cuts text at the tokens in it: the longest ones first, wherever they are, then from the left.
  ///
  /// - Parameters:
  ///   - bytes: the text.
  ///   - controls: where control tokens may be found, in order and without overlap.
  /// - Returns: stretches of text and tokens in order.
  /// - Complexity: O(*n* log *n*) in the number of places where a token could begin.
  func partition(_ bytes: [UInt8], controls: [Range<Int>]) -> [Part] {
    var found = accepted(bytes, controls)
    guard !found.isEmpty else { return bytes.isEmpty ? [] : [.text(0..<bytes.count)] }
    found.sort { $0.start < $1.start }
    var parts: [Part] = []
    var position = 0
    for match in found {
      if position < match.start { parts.append(.text(position..<match.start)) }
      if match.id >= 0 { parts.append(.token(match.id)) }
      position = match.end
    }
    if position < bytes.count { parts.append(.text(position..<bytes.count)) }
    return parts
  }

  /// The tokens that are taken; stripped white space appears as matches without an id.
  private func accepted(_ bytes: [UInt8], _ controls: [Range<Int>]) -> [Match] {
    var queue = MergeQueue()
    var controlEnds = ControlEnds(controls)
    for start in bytes.indices where starts[Int(bytes[start])] {
      let controlEnd = controlEnds.end(after: start)
      guard let match = longest(bytes, start, bytes.count, controlEnd) else { continue }
      queue.push(match.candidate)
    }
    var accepted: [Match] = []
    var taken: [Bool] = []
    while let candidate = queue.pop() {
      if taken.isEmpty { taken = [Bool](repeating: false, count: bytes.count) }
      let start = Int(candidate.key & 0xFFFF_FFFF)
      let end = start + Int(0xFFFF_FFFF - candidate.key >> 32)
      guard !taken[start] else { continue }
      if let blocked = (start..<end).first(where: { taken[$0] }) {
        // A longer token took the rest; a shorter one may still fit before it.
        let controlEnd = ControlEnds(controls).searched(start)
        if let match = longest(bytes, start, blocked, controlEnd) { queue.push(match.candidate) }
        continue
      }
      let id = TokenID(bitPattern: candidate.check)
      accepted.append(Match(start: start, end: end, id: id))
      for position in start..<end { taken[position] = true }
      strip(bytes, after: end, id, &taken, &accepted)
    }
    return accepted
  }

  private func strip(
    _ bytes: [UInt8], after end: Int, _ id: TokenID, _ taken: inout [Bool],
    _ accepted: inout [Match]
  ) {
    guard stripping.contains(id) else { return }
    var position = end
    while position < bytes.count, !taken[position],
      bytes[position] == 0x20 || (0x09...0x0D).contains(bytes[position])
    {
      taken[position] = true
      position += 1
    }
    if position > end { accepted.append(Match(start: end, end: position, id: -1)) }
  }
}

extension SpecialTokenMatcher.Match {
  /// Longer before shorter, then left before right.
  fileprivate var candidate: MergeQueue.Candidate {
    .init(
      key: UInt64(0xFFFF_FFFF - (end - start)) << 32 | UInt64(start),
      check: UInt32(bitPattern: id))
  }
}

/// Where the stretch ends that a position is in, among those that may hold control tokens.
private struct ControlEnds {
  private let ranges: [Range<Int>]
  private var current = 0

  init(_ ranges: [Range<Int>]) { self.ranges = ranges }

  /// For positions asked in rising order; -1 outside all stretches.
  mutating func end(after position: Int) -> Int {
    while current < ranges.count, ranges[current].upperBound <= position { current += 1 }
    guard current < ranges.count, ranges[current].contains(position) else { return -1 }
    return ranges[current].upperBound
  }

  /// For any position, by binary search.
  func searched(_ position: Int) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound <= position { low = middle + 1 } else { high = middle }
    }
    guard low < ranges.count, ranges[low].contains(position) else { return -1 }
    return ranges[low].upperBound
  }
}
