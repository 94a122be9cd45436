internal import Tokenization

/// All schemas of one document, by number, and how references between them resolve.
///
/// Everything below the root is numbered, keyword or not: references may lead anywhere.
struct SchemaDocument {
  struct Entry {
    var value: OrderedJSON
    var base: String
    /// What it is called in its parent; the pointer itself where there is none.
    var step: String
    var parent: Int
    /// Whether its members are schemas under names of the author's choice.
    var isMap = false
    /// Its members or elements have the numbers from here on, in their order.
    var firstChild = 0
  }

  private(set) var entries: [Entry] = []
  /// Roots of resources by identifier, named places by identifier and fragment.
  private var resources: [String: Int] = [:]
  private var anchors: [String: Int] = [:]
  private var booleans: [Int?] = [nil, nil]
  let isDraft7: Bool

  init(_ root: OrderedJSON) {
    let dialect = root["$schema"]?.stringValue ?? ""
    isDraft7 = ["draft-07", "draft-06", "draft-04"].contains { dialect.contains($0) }
    entries.append(Entry(value: root, base: "", step: "", parent: -1))
    var next = 0
    while next < entries.count {
      addChildren(of: next)
      next += 1
    }
  }

  private mutating func addChildren(of number: Int) {
    let value = entries[number].value
    noteIdentifiers(of: number)
    let base = entries[number].base
    entries[number].firstChild = entries.count
    switch value {
    case .object(let members):
      let isSchema = !entries[number].isMap
      for member in members {
        // Listed values are no schemas.
        let isValue = isSchema && (member.name == "enum" || member.name == "const")
        entries.append(
          Entry(
            value: isValue ? .null : member.value, base: base, step: member.name, parent: number,
            isMap: isSchema && Self.maps.contains(member.name)))
      }
    case .array(let values):
      for (index, inner) in values.enumerated() {
        entries.append(Entry(value: inner, base: base, step: String(index), parent: number))
      }
    default: break
    }
  }

  private static let maps = [
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies",
  ]

  private mutating func noteIdentifiers(of number: Int) {
    let value = entries[number].value
    if let id = value["$id"]?.stringValue, !(isDraft7 && value["$ref"] != nil) {
      let base = URIReference.resolve(id, against: entries[number].base)
      entries[number].base = base
      resources[URIReference.withoutFragment(base)] = number
    }
    for key in ["$anchor", "$dynamicAnchor"] {
      guard let name = value[key]?.stringValue else { continue }
      anchors[URIReference.withoutFragment(entries[number].base) + "#" + name] = number
    }
  }

  /// A schema that does not stand in the document but belongs to the place `pointer`.
  mutating func addSynthetic(_ value: OrderedJSON, pointer: String) -> Int {
    entries.append(Entry(value: value, base: "", step: pointer, parent: -1))
    return entries.count - 1
  }

  /// The number of the schema `true` or `false`.
  mutating func boolean(_ value: Bool) -> Int {
    if let known = booleans[value ? 1 : 0] { return known }
    let number = addSynthetic(.bool(value), pointer: "#\(value)")
    booleans[value ? 1 : 0] = number
    return number
  }

  /// Where schema `number` stands.
  func pointer(_ number: Int) -> String {
    var result = ""
    var number = number
    while entries[number].parent >= 0 {
      result = "/" + Self.escape(entries[number].step) + result
      number = entries[number].parent
    }
    return entries[number].step + result
  }

  static func escape(_ key: String) -> String {
    guard key.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) else { return key }
    return key.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// The member or element of schema `number` that is called `step`.
  func child(_ number: Int, _ step: some StringProtocol) -> Int? {
    let entry = entries[number]
    let index: Int?
    switch entry.value {
    case .object(let members):
      index = members.firstIndex { $0.name.utf8.elementsEqual(step.utf8) }
    case .array(let values):
      index = Int(step).flatMap { values.indices.contains($0) && String($0) == step ? $0 : nil }
    default: index = nil
    }
    return index.flatMap { index in
      let child = entry.firstChild + index
      return child < entries.count && entries[child].parent == number ? child : nil
    }
  }

  /// The schema that `reference`, standing in schema `from`, leads to.
  func resolve(_ reference: String, from: Int) -> Int? {
    let target = URIReference.resolve(reference, against: entries[from].base)
    let resource = URIReference.withoutFragment(target)
    let fragment = target.dropFirst(resource.count).dropFirst()
    guard let root = resource.isEmpty ? 0 : resources[resource] else { return nil }
    if fragment.isEmpty { return root }
    guard let decoded = URIReference.percentDecoded(String(fragment)) else { return nil }
    guard decoded.first == "/" else { return anchors[resource + "#" + decoded] }
    var place: Int? = root
    for step in decoded.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      let name = step.replacing("~1", with: "/").replacing("~0", with: "~")
      place = place.flatMap { child($0, name) }
    }
    return place
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
