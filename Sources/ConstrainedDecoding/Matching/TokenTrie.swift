internal import Tokenization

/// Token texts as a trie stored flat in depth-first order: skipping a branch is one jump.
struct TokenTrie: Sendable {
  struct Node: Sendable {
    /// Index of the first node after this one's branch.
    var end: Int32
    /// Token whose text ends here, or -1; further tokens of equal text follow in `sameText`.
    var token: Int32
    /// Bytes before this one.
    var depth: UInt16
    var byte: UInt8
    /// Most characters of any token in this branch, 255 for more.
    var longest: UInt8
  }

  static let longestText = Int(UInt16.max) - 1

  private(set) var nodes = ContiguousArray<Node>()
  /// By token: another token of the same text.
  private(set) var sameText: [Int32: [Int32]] = [:]
  private(set) var depth = 0
  /// Most characters of any token.
  private(set) var longest = 0

  init(
    _ ids: [Int32], _ texts: ByteStrings, lengths: [Int32]
  ) {
    let bytes = texts.bytes
    let sorted = Self.sorted(ids, texts)
    nodes.reserveCapacity(ids.count * 2)
    // Nodes from the root to the current one.
    var path: [Int] = []
    for id in sorted {
      let (start, count) = (texts.range(Int(id)).lowerBound, texts.range(Int(id)).count)
      var common = 0
      while common < min(path.count, count) && nodes[path[common]].byte == bytes[start + common] {
        common += 1
      }
      close(&path, to: common)
      for k in common..<count {
        path.append(nodes.count)
        nodes.append(
          Node(end: 0, token: -1, depth: UInt16(k), byte: bytes[start + k], longest: 0))
      }
      let last = path[count - 1]
      if nodes[last].token >= 0 {
        sameText[nodes[last].token, default: []].append(id)
      } else {
        nodes[last].token = id
      }
      depth = max(depth, count)
      let characters = Int(lengths[Int(id)])
      longest = max(longest, characters)
      nodes[last].longest = UInt8(clamping: max(characters, Int(nodes[last].longest)))
    }
    close(&path, to: 0)
  }

  private mutating func close(_ path: inout [Int], to depth: Int) {
    while path.count > depth, let index = path.popLast() {
      nodes[index].end = Int32(nodes.count)
      if let parent = path.last {
        nodes[parent].longest = max(nodes[parent].longest, nodes[index].longest)
      }
    }
  }

  /// Ids in the order of their texts.
  ///
  /// The first eight bytes decide nearly always, as one integer.
  private static func sorted(
    _ ids: [Int32], _ texts: ByteStrings
  ) -> [Int32] {
    let bytes = texts.bytes
    struct Key {
      var prefix: UInt64
      var id: Int32
      var count: Int32
    }
    var keys: [Key] = []
    keys.reserveCapacity(ids.count)
    for id in ids {
      let (start, count) = (texts.range(Int(id)).lowerBound, texts.range(Int(id)).count)
      var prefix: UInt64 = 0
      for k in 0..<8 { prefix = prefix << 8 | (k < count ? UInt64(bytes[start + k]) : 0) }
      keys.append(Key(prefix: prefix, id: id, count: Int32(count)))
    }
    keys.sort { a, b in
      if a.prefix != b.prefix { return a.prefix < b.prefix }
      if a.count <= 8 || b.count <= 8 {
        return a.count != b.count ? a.count < b.count : a.id < b.id
      }
      let (first, second) = (texts[Int(a.id)], texts[Int(b.id)])
      if first.lexicographicallyPrecedes(second) { return true }
      if second.lexicographicallyPrecedes(first) { return false }
      return a.id < b.id
    }
    return keys.map(\.id)
  }

  /// The node reached by `text`, with its branch; nil if no token begins so.
  private func node(at text: some Collection<UInt8>) -> Int? {
    var (index, end) = (0, nodes.count)
    var found: Int?
    for byte in text {
      while index < end && nodes[index].byte != byte { index = Int(nodes[index].end) }
      guard index < end else { return nil }
      found = index
      end = Int(nodes[index].end)
      index += 1
    }
    return found
  }

  func hasTextBeyond(_ text: some Collection<UInt8>) -> Bool {
    guard let index = node(at: text) else { return false }
    return Int(nodes[index].end) > index + 1
  }

  func prefixes(of text: ArraySlice<UInt8>) -> [(id: Int, length: Int)] {
    var result: [(id: Int, length: Int)] = []
    var (index, end) = (0, nodes.count)
    for (depth, byte) in text.enumerated() {
      while index < end && nodes[index].byte != byte { index = Int(nodes[index].end) }
      guard index < end else { break }
      if nodes[index].token >= 0 { result.append((Int(nodes[index].token), depth + 1)) }
      end = Int(nodes[index].end)
      index += 1
    }
    return result
  }
}
