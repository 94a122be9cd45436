/// What the filters on lists and dictionaries do.
extension TemplateEvaluator {
  typealias Getter = (TemplateValue) throws(TemplateFailure) -> TemplateValue

  /// Takes an attribute of a value: a name with dots in it, or an index; without one the value.
  func getter(
    _ attribute: TemplateValue?, fallback: TemplateValue? = nil, isCaseSensitive: Bool = true
  ) throws(TemplateFailure) -> Getter {
    let path = try attribute.map { a throws(TemplateFailure) in try attributePath(a) } ?? []
    return { value throws(TemplateFailure) in
      var value = value
      for part in path {
        try self.charge()
        value = try self.item(part, of: value)
        if let fallback, value.isUndefined { value = fallback }
      }
      if !isCaseSensitive, case .string(let text) = value {
        try self.charge(scalarsOf: text)
        return .string(text.lowercased())
      }
      return value
    }
  }

  private func attributePath(_ attribute: TemplateValue) throws(TemplateFailure) -> [TemplateValue]
  {
    switch attribute {
    case .null: return []
    case .string(let text):
      return text.split(by: [UInt8(ascii: ".")]).map { part in
        part.isDecimal ? Int(part.text).map { .int($0) } ?? .string(part) : .string(part)
      }
    case .int: return [attribute]
    default: throw .evaluation("an attribute is named by a text or an integer")
    }
  }

  /// The key to sort by: several attributes may be named, with commas between them.
  func sortKeys(
    _ attribute: TemplateValue?, isCaseSensitive: Bool
  ) throws(TemplateFailure) -> Getter {
    guard case .string(let text)? = attribute, text.bytes.contains(UInt8(ascii: ",")) else {
      return try getter(attribute, isCaseSensitive: isCaseSensitive)
    }
    var getters: [Getter] = []
    for part in text.split(by: [UInt8(ascii: ",")]) {
      getters.append(try getter(.string(part), isCaseSensitive: isCaseSensitive))
    }
    return { value throws(TemplateFailure) in
      var keys: [TemplateValue] = []
      for getter in getters { keys.append(try getter(value)) }
      return try .list(keys)
    }
  }

  func first(of value: TemplateValue) throws(TemplateFailure) -> TemplateValue {
    if case .object(let identity) = value,
      case .iterator(let items, let position) = objects[identity], position < items.count
    {
      objects[identity] = .iterator(items, position: position + 1)
      return items[position]
    }
    if case .string(let text) = value, !text.isEmpty {
      return .string(text[0..<text.scalar(at: 0).length])
    }
    return try elements(of: value).first
      ?? .undefined(TemplateUndefined("there is no first item, the sequence is empty"))
  }

  func joined(
    _ value: TemplateValue, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    let values = try arguments.bound(to: ["d", "attribute"], of: "join")
    let separator = try text(of: values[0] ?? .text(""))
    let getter = try getter(values[1])
    var result = TemplateString()
    for (index, item) in try elements(of: value).enumerated() {
      if index > 0 { result.append(separator) }
      let part = try text(of: getter(item))
      result.append(part)
      try charge(bytes: separator.footprint + part.footprint)
      try check(bytes: result.footprint)
    }
    return .string(result)
  }

  func map(
    _ value: TemplateValue, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    // Whatever is false counts as empty, and nothing else is looked at then.
    guard value.isTrue else { return try makeIterator([]) }
    var rest = arguments
    var change: Getter
    if rest.positional.isEmpty, let place = rest.named.firstIndex(where: { $0.name == "attribute" })
    {
      let attribute = rest.named.remove(at: place).value
      let fallback = try rest.bound(to: ["default"], of: "map")[0]
      change = try getter(attribute, fallback: fallback)
    } else {
      guard case .string(let name)? = rest.positional.first else {
        throw .evaluation("'map' needs the name of a filter or an attribute")
      }
      guard let filter = TemplateFilters.table[name.text] else {
        throw .evaluation("there is no filter '\(name.text)'")
      }
      rest.positional.removeFirst()
      change = { value throws(TemplateFailure) in
        try self.charge(texts: value, rest)
        return try filter(self, value, rest)
      }
    }
    var mapped: [TemplateValue] = []
    for item in try elements(of: value) {
      try enter()
      defer { leave() }
      mapped.append(try change(item))
    }
    return try makeIterator(mapped)
  }

  /// The test that `select` and its kin apply; without a name it is Python's truth.
  func test(_ arguments: inout TemplateArguments) throws(TemplateFailure) -> TemplateTest {
    guard let first = arguments.positional.first else {
      return { _, value, _ throws(TemplateFailure) in value.isTrue }
    }
    guard case .string(let name) = first, let test = TemplateTests.table[name.text] else {
      throw .evaluation("there is no test '\(try text(of: first).text)'")
    }
    arguments.positional.removeFirst()
    return test
  }

  func extreme(
    _ value: TemplateValue, _ arguments: TemplateArguments, _ name: String
  ) throws(TemplateFailure) -> TemplateValue {
    let values = try arguments.bound(to: ["case_sensitive", "attribute"], of: name)
    let key = try getter(values[1], isCaseSensitive: values[0]?.isTrue ?? false)
    var best: (value: TemplateValue, key: TemplateValue)?
    for item in try elements(of: value) {
      let itemKey = try key(item)
      guard let current = best else {
        best = (item, itemKey)
        continue
      }
      let isBetter =
        name == "max"
        ? try order(itemKey, current.key, ">") == .greater
        : try order(itemKey, current.key, "<") == .less
      if isBetter { best = (item, itemKey) }
    }
    return best?.value
      ?? .undefined(TemplateUndefined("'\(name)' has no item, the sequence is empty"))
  }

  func sortedPairs(
    _ value: TemplateValue, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    let values = try arguments.bound(to: ["case_sensitive", "by", "reverse"], of: "dictsort")
    if case .undefined(let missing) = value { throw missing.failure }
    guard case .dictionary(let dictionary) = value else {
      throw .evaluation("'dictsort' needs a dictionary, not a \(typeName(of: value))")
    }
    let column: Int
    switch try text(of: values[1] ?? .text("key")).text {
    case "key": column = 0
    case "value": column = 1
    default: throw .evaluation("'dictsort' sorts by 'key' or 'value'")
    }
    let getter = try getter(.int(column), isCaseSensitive: values[0]?.isTrue ?? false)
    return try .list(
      sorted(dictionary.pairs, descending: values[2]?.isTrue ?? false, by: getter))
  }

  func groups(
    _ value: TemplateValue, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    let values = try arguments.bound(
      to: ["attribute", "default", "case_sensitive"], of: "groupby")
    let isCaseSensitive = values[2]?.isTrue ?? false
    let shown = try getter(values[0], fallback: values[1])
    let key = try getter(values[0], fallback: values[1], isCaseSensitive: isCaseSensitive)
    let items = try sorted(elements(of: value), by: key)
    var groups: [(key: TemplateValue, shown: TemplateValue, items: [TemplateValue])] = []
    for item in items {
      let itemKey = try key(item)
      if let last = groups.last, try equal(last.key, itemKey) {
        groups[groups.count - 1].items.append(item)
      } else {
        groups.append((itemKey, try shown(item), [item]))
      }
    }
    var result: [TemplateValue] = []
    for group in groups {
      result.append(.sequence(try TemplateSequence(.group, [group.shown, .list(group.items)])))
    }
    return try .list(result)
  }

  func batches(
    _ items: [TemplateValue], size: Int, fill: TemplateValue?
  ) throws(TemplateFailure) -> TemplateValue {
    // Python's loop yields everything as one batch where the size is never reached.
    let size = size > 0 ? min(size, limits.rangeLength) : max(items.count, 1)
    try charge(items.count / size * 8)
    var batches: [TemplateValue] = []
    for start in stride(from: 0, to: items.count, by: size) {
      var batch = Array(items[start..<min(start + size, items.count)])
      if let fill, !isNull(fill), batch.count < size {
        try charge(size)
        batch += Array(repeating: fill, count: size - batch.count)
      }
      batches.append(try .list(batch))
    }
    return try makeIterator(batches)
  }

  func slices(
    _ items: [TemplateValue], count: Int, fill: TemplateValue?
  ) throws(TemplateFailure) -> TemplateValue {
    guard count > 0 else { throw .evaluation("'slice' needs a positive number of slices") }
    guard count <= limits.rangeLength else { throw .limit(.rangeLength(limits.rangeLength)) }
    try charge(count)
    var slices: [TemplateValue] = []
    var start = 0
    for index in 0..<count {
      let isLonger = index < items.count % count
      let end = start + items.count / count + (isLonger ? 1 : 0)
      var slice = Array(items[start..<end])
      if let fill, !isNull(fill), !isLonger { slice.append(fill) }
      slices.append(try .list(slice))
      start = end
    }
    return try makeIterator(slices)
  }

  private func isNull(_ value: TemplateValue) -> Bool {
    if case .null = value { true } else { false }
  }
}
