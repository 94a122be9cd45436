internal import Tokenization

// The texts of objects.
extension SchemaCompiler {
  private static let mostPatterns = 5
  /// Most members that are looked at in all places together, where members are counted.
  private static let mostCounted = 1_000_000

  /// The parts that the members of an object are put together from.
  private struct Members {
    var pairs: [Expression]
    var isRequired: [Bool]
    /// Members with undeclared keys.
    var extra: Expression
    var comma: Expression
    /// Least members besides the required ones.
    var minimum: Int
    var maximum: Int?
    /// Results by place and counts, so that sharing keeps the whole small.
    var known: [Int: Expression] = [:]
    /// What may follow from the beginning of a block on, where nothing is counted.
    var blocks: [Int: Expression] = [:]

    var isCounted: Bool { minimum > 0 || maximum != nil }

    /// Forgets counts that hold anyway.
    mutating func dropIdleCounts() {
      if let most = maximum, extra == .never, most >= pairs.count { maximum = nil }
    }

    /// - Throws: A limit, if the counts lead to too many places.
    func checkCount(atMost most: Int) throws(GrammarError) {
      // Undeclared members need a place each as far as a maximum counts them.
      let written = maximum.map { extra == .never ? min($0, pairs.count) : $0 } ?? 0
      var steps = 1
      for factor in [pairs.count + 1, pairs.count + 1, min(minimum, pairs.count) + 1, written + 1] {
        let (product, overflows) = steps.multipliedReportingOverflow(by: factor)
        guard !overflows, product <= most else { throw .limit(.work, maximum: most) }
        steps = product
      }
    }

    func key(_ place: Place) -> Int {
      let first = place.index * 2 + (place.isFirst ? 1 : 0)
      return (first * (minimum + 2) + place.distinct) * ((maximum ?? 0) + 2) + place.written
    }
  }

  private struct Place {
    var index: Int
    var isFirst: Bool
    /// Members besides the required ones that certainly differ, up to the minimum.
    var distinct: Int
    /// Members written, where there is a maximum.
    var written: Int
  }

  mutating func objectText(
    _ object: ObjectShape, _ pointer: String
  ) throws(GrammarError) -> Expression {
    let names = object.declaredNames
    let nameLanguage = try object.names.isEmpty ? nil : keyLanguage(object.names)
    var members = Members(
      pairs: [], isRequired: [], extra: .never, comma: comma, minimum: object.minProperties,
      maximum: object.maxProperties)
    let colon = colon
    let isClosed = closesByDefault(object)
    let index = PropertyIndex(object)
    for name in names where !index.forbidden.contains(name) {
      let isRequired = index.required.contains(name)
      if let nameLanguage, !matches(nameLanguage, name) {
        guard isRequired else { continue }
        contradiction = "it requires \(quoted(name)), which propertyNames does not allow"
        return .never
      }
      var schemas = self.schemas(of: name, object, index)
      let isDeclared = index.declares(name)
      if isClosed && !isDeclared && !isMatched(name, object) { schemas.append(falseSchema()) }
      if isRequired, schemas.contains(where: isFalse) {
        contradiction =
          "it requires \(quoted(name)), "
          + (isDeclared
            ? "for which no value is allowed"
            : "which is not declared, and allows no such property")
        return .never
      }
      let key = pool.quoted(pool.literal(JSONSpelling.escaped(name.text)))
      members.pairs.append(pool.sequence([key, colon, rule(schemas)]))
      members.isRequired.append(isRequired)
    }
    members.extra = try extraMembers(object, names, nameLanguage, colon, isClosed)
    // Required members are all there in the end.
    members.minimum = max(members.minimum - object.required.count, 0)
    if members.minimum > 1, members.extra != .never {
      try drop(
        unsupported(
          object.minPropertiesSchema ?? 0, "minProperties",
          "keys that are not declared may repeat, so members cannot be counted as keys"))
      members.minimum = 0
    }
    members.dropIdleCounts()
    if !members.isCounted {
      // From the end, so that no place has to descend through all the others.
      for index in (0...members.pairs.count).reversed() {
        _ = self.members(Place(index: index, isFirst: false, distinct: 0, written: 0), &members)
      }
    } else {
      try members.checkCount(atMost: Self.mostCounted)
    }
    let content = self.members(
      Place(index: 0, isFirst: true, distinct: 0, written: 0), &members)
    return enclosed("{", content, "}")
  }

  /// Whether a schema visibly allows nothing.
  private func isFalse(_ schema: SchemaReference) -> Bool {
    document.entries[schema.schema].value == .bool(schema.isNegated)
  }

  /// A name for a message.
  private func quoted(_ name: ExactString) -> String {
    "\"" + (name.text.count > 80 ? name.text.prefix(80) + "…" : name.text) + "\""
  }

  private func isMatched(_ name: ExactString, _ object: ObjectShape) -> Bool {
    object.sources.contains { $0.patterns.contains { matches($0.language, name) } }
  }

  private func closesByDefault(_ object: ObjectShape) -> Bool {
    options.undeclaredProperties == .closed && object.sources.contains { $0.declares }
      && !object.sources.contains { $0.additional != nil }
  }

  /// Members with keys the schema does not name, by which patterns those match.
  private mutating func extraMembers(
    _ object: ObjectShape, _ names: [ExactString], _ nameLanguage: Expression?,
    _ colon: Expression, _ isClosed: Bool
  ) throws(GrammarError) -> Expression {
    var patterns: [Expression] = []
    for pattern in object.sources.flatMap(\.patterns) where !patterns.contains(pattern.language) {
      patterns.append(pattern.language)
    }
    guard patterns.count <= Self.mostPatterns else {
      throw .limit(.items, maximum: Self.mostPatterns)
    }
    // The declared names are many, perhaps, and the same in each cell.
    let others = names.isEmpty ? nil : pool.complement(pool.jsonChoice(names.map(\.text)))
    var members: [Expression] = []
    for cell in 0..<(1 << patterns.count) {
      let matched = patterns.indices.filter { cell & (1 << $0) != 0 }.map { patterns[$0] }
      if matched.isEmpty && isClosed { continue }
      var schemas: [SchemaReference] = []
      for source in object.sources {
        let own = source.patterns.filter { matched.contains($0.language) }.map(\.schema)
        schemas += own.isEmpty ? source.additional ?? [] : own
      }
      schemas = ArrayShape.joined(schemas, [])
      if schemas.contains(where: isFalse) { continue }
      var conditions = matched
      conditions += patterns.filter { !matched.contains($0) }.map { pool.complement($0) }
      if let nameLanguage { conditions.append(nameLanguage) }
      if let others { conditions.append(others) }
      let key: Expression
      if conditions.isEmpty {
        key = pool.repetition(pool.anyJSONCharacter, 0, nil)
      } else {
        key = pool.intersection(conditions + [pool.plainJSONText])
        if questions.isEmpty([key], pool) == true { continue }
      }
      members.append(pool.sequence([pool.quoted(key), colon, rule(schemas)]))
    }
    return pool.union(members)
  }

  /// The language of keys that satisfy a `propertyNames` schema.
  private mutating func keyLanguage(
    _ schemas: [SchemaReference]
  ) throws(GrammarError) -> Expression {
    var parts: [Expression] = []
    for shape in try shapes(allOf: schemas) {
      guard let string = shape.string else { continue }
      parts.append(plainTexts(string))
    }
    return pool.union(parts)
  }

  /// The members from a place on.
  ///
  /// Undeclared members that stand between declared ones are taken before the next declared one
  /// that comes, so optional ones in between cost nothing.
  private mutating func members(_ place: Place, _ members: inout Members) -> Expression {
    let key = members.key(place)
    if let known = members.known[key] { return known }
    var result: Expression
    if members.extra == .never {
      result = declared(place, &members)
    } else if members.maximum == nil && place.distinct >= members.minimum {
      // Further undeclared members may repeat a key, so they count for nothing.
      if place.isFirst {
        var next = place
        next.isFirst = false
        let more = self.members(next, &members)
        result = pool.union([
          declared(place, &members), pool.concatenation(members.extra, more),
        ])
      } else {
        let loop = pool.repetition(pool.concatenation(members.comma, members.extra), 0, nil)
        result = pool.concatenation(loop, declared(place, &members))
      }
    } else {
      result = declared(place, &members)
      if members.maximum.map({ place.written < $0 }) ?? true {
        var next = place
        next.isFirst = false
        // At most one more is asked for, and this is it.
        next.distinct = members.minimum
        next.written += members.maximum == nil ? 0 : 1
        let separator = place.isFirst ? .empty : members.comma
        let more = self.members(next, &members)
        result = pool.union([result, pool.sequence([separator, members.extra, more])])
      }
    }
    members.known[key] = result
    return result
  }

  /// Optional members that each place lists by itself.
  ///
  /// Those behind them are one choice that is shared: thousands of optional members would else make
  /// millions of alternatives.
  private static let blockSize = 64

  /// The members from a place on, the next of them declared, or the end.
  private mutating func declared(_ place: Place, _ members: inout Members) -> Expression {
    let isShared = !place.isFirst && !members.isCounted
    let startsBlock = isShared && place.index.isMultiple(of: Self.blockSize)
    if startsBlock, let known = members.blocks[place.index] { return known }
    var parts: [Expression] = []
    var index = place.index
    let separator = place.isFirst ? .empty : members.comma
    while true {
      if isShared, index > place.index, index < members.pairs.count,
        index.isMultiple(of: Self.blockSize)
      {
        // As a unit it stays one alternative among those before it.
        let rest = Place(index: index, isFirst: false, distinct: 0, written: 0)
        parts.append(pool.unit(declared(rest, &members)))
        break
      }
      if index == members.pairs.count {
        if place.distinct >= members.minimum { parts.append(.empty) }
        break
      }
      if members.maximum.map({ place.written < $0 }) ?? true {
        let counted = members.isRequired[index] ? 0 : 1
        let next = Place(
          index: index + 1, isFirst: false,
          distinct: min(place.distinct + counted, members.minimum),
          written: place.written + (members.maximum == nil ? 0 : 1))
        let more = self.members(next, &members)
        parts.append(pool.sequence([separator, members.pairs[index], more]))
      }
      if members.isRequired[index] { break }
      index += 1
    }
    let result = pool.union(parts)
    if startsBlock { members.blocks[place.index] = result }
    return result
  }
}
