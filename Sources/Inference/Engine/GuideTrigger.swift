package import Tokenization

/// What begins the part of a response that is held to a grammar, such as the opening mark of a
/// tool call; all that stands before it is free text.
package enum GuideTrigger: Sendable, Equatable {
  /// A control token.
  case token(TokenID)
  /// A text, wherever it stands.
  case text(String)
  /// A text with which the response begins, white space before it aside.
  case beginning(String)
}

/// Looks for a trigger in a response, byte by byte.
package struct TriggerScanner: Sendable {
  private let pattern: [UInt8]
  private let isOnlyAtStart: Bool
  /// For each length: the longest shorter prefix of the pattern that ends that prefix too.
  private var fallback: [Int]
  private var matched = 0
  private var isDead = false

  /// A scanner for the text of a trigger; one for a token finds nothing in bytes.
  package init(_ trigger: GuideTrigger) {
    switch trigger {
    case .token: (pattern, isOnlyAtStart) = ([], false)
    case .text(let text): (pattern, isOnlyAtStart) = (Array(text.utf8), false)
    case .beginning(let text): (pattern, isOnlyAtStart) = (Array(text.utf8), true)
    }
    isDead = pattern.isEmpty
    fallback = [Int](repeating: 0, count: pattern.count + 1)
    var prefix = 0
    for end in pattern.indices.dropFirst() {
      while prefix > 0, pattern[end] != pattern[prefix] { prefix = fallback[prefix] }
      if pattern[end] == pattern[prefix] { prefix += 1 }
      fallback[end + 1] = prefix
    }
  }

  /// Bytes at the end of the text that may belong to the trigger.
  package var heldBack: Int { isDead ? 0 : matched }

  /// Takes more of the response.
  ///
  /// - Returns: how many of the bytes there are up to the end of the trigger; nil without one.
  package mutating func accept(_ bytes: some Sequence<UInt8>) -> Int? {
    guard !isDead else { return nil }
    for (index, byte) in bytes.enumerated() {
      if isOnlyAtStart, matched == 0, byte == 0x20 || (0x09...0x0D).contains(byte) { continue }
      while matched > 0, pattern[matched] != byte, !isOnlyAtStart { matched = fallback[matched] }
      if pattern[matched] == byte {
        matched += 1
      } else if isOnlyAtStart {
        isDead = true
        return nil
      }
      if matched == pattern.count {
        isDead = true
        return index + 1
      }
    }
    return nil
  }
}
