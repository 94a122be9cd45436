internal import Tokenization

// The keyword `x-verbatim`, which is this engine's own.
extension SchemaCompiler {
  private static let mark = "x-verbatim"
  /// Schemas that are looked through for one mark, at most.
  private static let mostLookedAt = 1000

  /// The strings that a mark allows.
  func verbatimShape(_ value: OrderedJSON, _ schema: Int) throws(GrammarError) -> SchemaShape {
    var span = StringShape.Verbatim(wholeWords: options.verbatim.wholeWords)
    switch value {
    case .bool(false): return .anything
    case .bool(true): break
    case .string("words"): span.wholeWords = true
    case .string(let name):
      guard sources[name] != nil else {
        throw invalid(
          schema, Self.mark, "no source text \"\(name)\" was given with the schema")
      }
      span.source = name
    default:
      throw invalid(
        schema, Self.mark, "must be true, false, \"words\" or the name of a source text")
    }
    guard span.source != nil || source != nil else {
      throw invalid(schema, Self.mark, "no source text was given with the schema")
    }
    var shape = SchemaShape.anything
    shape.string = StringShape(verbatim: [span])
    return shape
  }

  /// Refuses marks that hold nothing, which would look like marks that do.
  ///
  /// - Parameters:
  ///   - schemas: what holds at one place.
  ///   - shapes: the values that satisfy all of it.
  /// - Throws: `invalidSchema` at the mark.
  func checkMarks(
    of schemas: [SchemaReference], on shapes: [SchemaShape]
  ) throws(GrammarError) {
    guard !shapes.isEmpty, shapes.allSatisfy({ $0.string == nil }) else { return }
    for schema in schemas where !schema.isNegated && !isForAnyKey(schema.schema) {
      var seen: Set<Int> = []
      guard let marked = markedSchema(schema.schema, &seen) else { continue }
      throw invalid(
        marked, Self.mark, "it holds strings to a source text, and the schema allows no string")
    }
  }

  /// Whether a schema is for keys that it does not know one by one: it may well mean the strings
  /// among their values.
  private func isForAnyKey(_ schema: Int) -> Bool {
    let entry = document.entries[schema]
    guard entry.parent >= 0 else { return false }
    let parent = document.entries[entry.parent]
    return parent.isMap
      ? parent.step == "patternProperties"
      : ["additionalProperties", "unevaluatedProperties"].contains(entry.step)
  }

  /// The schema with a mark among those that must hold where `schema` does; alternatives are left
  /// out, since others of them may be strings.
  private func markedSchema(_ schema: Int, _ seen: inout Set<Int>) -> Int? {
    guard seen.count < Self.mostLookedAt, seen.insert(schema).inserted else { return nil }
    let value = document.entries[schema].value
    if let mark = value[Self.mark], mark != false { return schema }
    if let reference = value["$ref"]?.stringValue,
      let target = document.resolve(reference, from: schema),
      let marked = markedSchema(target, &seen)
    {
      return marked
    }
    guard let parts = value["allOf"]?.arrayValue, let list = document.child(schema, "allOf") else {
      return nil
    }
    let first = document.entries[list].firstChild
    for index in parts.indices {
      if let marked = markedSchema(first + index, &seen) { return marked }
    }
    return nil
  }

  /// Refuses keywords that are most likely a misspelt `x-verbatim`; other `x-` words are annotations.
  func checkSpelling(of key: String, _ schema: Int) throws(GrammarError) {
    guard key.hasPrefix("x-"), key != Self.mark else { return }
    let lower = key.lowercased()
    guard lower.contains("verbatim") || Self.distance(lower, Self.mark, atMost: 2) <= 2 else {
      return
    }
    throw unsupported(schema, key, "the keyword is not known; \"\(Self.mark)\" is")
  }

  /// How many bytes must be put in, left out or changed to make one text of the other, or more than
  /// `most`.
  private static func distance(_ a: String, _ b: String, atMost most: Int) -> Int {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard abs(a.count - b.count) <= most else { return most + 1 }
    var row = Array(0...b.count)
    for (i, byte) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in b.enumerated() {
        let changed = diagonal + (byte == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}
