/// A string compared by its bytes: Unicode equivalence must not merge two property names.
struct ExactString: Hashable, Sendable, ExpressibleByStringLiteral {
  let text: String

  init(_ text: String) { self.text = text }
  init(stringLiteral value: String) { text = value }

  static func == (a: ExactString, b: ExactString) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(UInt8(0xFF))
  }
}

extension [ExactString] {
  /// So few are looked through rather than hashed.
  private static var few: Int { 16 }

  /// Each string once, in the order of their first mention.
  var unique: [ExactString] {
    guard count > Self.few else {
      var result: [ExactString] = []
      for each in self where !result.contains(each) { result.append(each) }
      return result
    }
    var seen = Set<ExactString>()
    return filter { seen.insert($0).inserted }
  }
}
