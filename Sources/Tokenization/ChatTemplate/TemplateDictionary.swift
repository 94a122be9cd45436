/// A value as the key of a dictionary, equal where Python says so: `1`, `1.0` and `True` are one.
enum TemplateKey: Hashable, Sendable {
  case null
  case string([UInt8])
  case int(Int)
  case double(Double)
  case tuple([TemplateKey])
  case object(Int)

  /// - Throws: for lists and dictionaries, which cannot be keys.
  init(_ value: TemplateValue) throws(TemplateFailure) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .int(flag ? 1 : 0)
    case .int(let number): self = .int(number)
    case .double(let number): self = Int(exactly: number).map { .int($0) } ?? .double(number)
    case .string(let text): self = .string(text.bytes)
    case .object(let identity): self = .object(identity)
    case .sequence(let sequence) where sequence.kind == .tuple || sequence.kind == .group:
      var keys: [TemplateKey] = []
      for item in sequence.items { keys.append(try TemplateKey(item)) }
      self = .tuple(keys)
    default: throw .evaluation("a \(value.typeName) cannot be the key of a dictionary")
    }
  }
}

/// A dictionary that keeps the order of its keys, as Python's does.
struct TemplateDictionary: Sendable {
  struct Entry: Sendable {
    let key: TemplateKey
    let name: TemplateValue
    var value: TemplateValue
  }

  private(set) var entries: [Entry] = []
  /// Places of the keys, kept once a search through the entries would be slow.
  private var places: [TemplateKey: Int] = [:]
  /// Sequences and dictionaries inside each other, counting this one.
  private(set) var depth = 1

  private static let largestUnindexed = 8

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  private func place(of key: TemplateKey) -> Int? {
    if entries.count > Self.largestUnindexed { return places[key] }
    return entries.firstIndex { $0.key == key }
  }

  subscript(key: TemplateKey) -> TemplateValue? {
    place(of: key).map { entries[$0].value }
  }

  func contains(_ key: TemplateKey) -> Bool { place(of: key) != nil }

  /// Sets the value of a key; a key that is there keeps its place.
  mutating func set(_ name: TemplateValue, to value: TemplateValue) throws(TemplateFailure) {
    let key = try TemplateKey(name)
    let deepest = max(value.depth, name.depth)
    depth = try TemplateValue.checkedDepth(max(depth, deepest + 1))
    if let place = place(of: key) {
      entries[place].value = value
      return
    }
    entries.append(Entry(key: key, name: name, value: value))
    if entries.count == Self.largestUnindexed + 1 {
      for (place, entry) in entries.enumerated() { places[entry.key] = place }
    } else if entries.count > Self.largestUnindexed {
      places[key] = entries.count - 1
    }
  }

  mutating func set(_ name: String, to value: TemplateValue) throws(TemplateFailure) {
    try set(.text(name), to: value)
  }

  var keys: [TemplateValue] { entries.map(\.name) }
  var values: [TemplateValue] { entries.map(\.value) }

  /// The entries as tuples of key and value.
  var pairs: [TemplateValue] {
    get throws(TemplateFailure) {
      var pairs: [TemplateValue] = []
      pairs.reserveCapacity(entries.count)
      for entry in entries { pairs.append(try .tuple([entry.name, entry.value])) }
      return pairs
    }
  }
}
