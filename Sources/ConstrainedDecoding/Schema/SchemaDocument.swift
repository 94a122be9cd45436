internal import Tokenization

/// All schemas of one document, by number, and how references between them resolve.
struct SchemaDocument {
  struct Entry {
    var value: OrderedJSON
    var pointer: String
    var base: String
  }

  private(set) var entries: [Entry] = []
  private var numberOfPointer: [ExactString: Int] = [:]
  /// Roots of resources by identifier, named places by identifier and fragment.
  private var resources: [String: Int] = [:]
  private var anchors: [String: Int] = [:]
  let isDraft7: Bool

  init(_ root: OrderedJSON) {
    let dialect = root["$schema"]
    if case .string(let text) = dialect {
      isDraft7 = text.contains("draft-07") || text.contains("draft-06") || text.contains("draft-04")
    } else {
      isDraft7 = false
    }
    _ = add(root, pointer: "", base: "")
    resources[""] = 0
  }

  /// The schema `value` at `pointer`, known before or new; identifiers below it are noted.
  mutating func add(_ value: OrderedJSON, pointer: String, base: String) -> Int {
    if let known = numberOfPointer[ExactString(pointer)] { return known }
    var stack = [(value: value, pointer: pointer, base: base)]
    let first = entries.count
    while let (value, pointer, outer) = stack.popLast() {
      if numberOfPointer[ExactString(pointer)] != nil { continue }
      let number = entries.count
      var base = outer
      if case .string(let id)? = value["$id"], !(isDraft7 && value["$ref"] != nil) {
        base = URIReference.resolve(id, against: outer)
        resources[URIReference.withoutFragment(base)] = number
      }
      for key in ["$anchor", "$dynamicAnchor"] {
        if case .string(let name)? = value[key] {
          anchors[URIReference.withoutFragment(base) + "#" + name] = number
        }
      }
      numberOfPointer[ExactString(pointer)] = number
      entries.append(Entry(value: value, pointer: pointer, base: base))
      // Everything below is numbered, keyword or not: references may lead anywhere.
      switch value {
      case .object(let members):
        for member in members where member.name != "enum" && member.name != "const" {
          stack.append((member.value, pointer + "/" + Self.escape(member.name), base))
        }
      case .array(let values):
        for (index, inner) in values.enumerated() {
          stack.append((inner, "\(pointer)/\(index)", base))
        }
      default: break
      }
    }
    return first
  }

  /// A schema that does not stand in the document.
  mutating func addSynthetic(_ value: OrderedJSON, pointer: String) -> Int {
    if let known = numberOfPointer[ExactString(pointer)] { return known }
    numberOfPointer[ExactString(pointer)] = entries.count
    entries.append(Entry(value: value, pointer: pointer, base: ""))
    return entries.count - 1
  }

  static func escape(_ key: String) -> String {
    key.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  func number(at pointer: String) -> Int? { numberOfPointer[ExactString(pointer)] }

  /// The schema that `reference`, standing in schema `from`, leads to.
  func resolve(_ reference: String, from: Int) -> Int? {
    let target = URIReference.resolve(reference, against: entries[from].base)
    let resource = URIReference.withoutFragment(target)
    let fragment = target.dropFirst(resource.count).dropFirst()
    guard let root = resources[resource] else { return nil }
    if fragment.isEmpty { return root }
    guard let decoded = URIReference.percentDecoded(String(fragment)) else { return nil }
    guard decoded.first == "/" else { return anchors[resource + "#" + decoded] }
    return numberOfPointer[ExactString(entries[root].pointer + decoded)]
  }
}

/// Resolution of references as in RFC 3986, 5.2.
enum URIReference {
  static func withoutFragment(_ text: String) -> String {
    String(text.prefix { $0 != "#" })
  }

  static func resolve(_ reference: String, against base: String) -> String {
    if hasScheme(reference) || base.isEmpty { return reference }
    let base = withoutFragment(base)
    if reference.isEmpty { return base }
    if reference.hasPrefix("#") { return base + reference }
    let scheme = hasScheme(base) ? String(base.prefix { $0 != ":" }) + ":" : ""
    var rest = Substring(base.dropFirst(scheme.count))
    if reference.hasPrefix("//") { return scheme + reference }
    var authority = ""
    if rest.hasPrefix("//") {
      authority = "//" + rest.dropFirst(2).prefix { $0 != "/" }
      rest = rest.dropFirst(authority.count)
    }
    let path = reference.prefix { $0 != "#" && $0 != "?" }
    let suffix = reference.dropFirst(path.count)
    if reference.hasPrefix("/") {
      return scheme + authority + withoutDots(String(path)) + suffix
    }
    let folder =
      rest.lastIndex(of: "/").map { String(rest[...$0]) } ?? (authority.isEmpty ? "" : "/")
    return scheme + authority + withoutDots(folder + path) + suffix
  }

  private static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":"), let first = text.first, first.isLetter else {
      return false
    }
    return text[..<colon].allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
  }

  private static func withoutDots(_ path: String) -> String {
    var result: [Substring] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      if part == "." { continue }
      if part == ".." {
        if result.count > 1 { result.removeLast() }
        continue
      }
      result.append(part)
    }
    return result.joined(separator: "/")
  }

  static func percentDecoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap({ TextCursor.hexValue(Unicode.Scalar($0)) }),
        let low = rest.popFirst().flatMap({ TextCursor.hexValue(Unicode.Scalar($0)) })
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
