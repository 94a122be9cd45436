import ConstrainedDecoding
import Testing

/// Fields named by path that are held to spans of a text.
@Suite struct VerbatimFieldTests {
  private static let source = "abc"

  private func accepts(_ schema: String, _ fields: [String], _ text: String) throws -> Bool {
    var options = JSONSchemaOptions()
    options.whitespace = .compact
    let grammar = try CompiledGrammar(
      try Grammar(jsonSchema: schema, source: Self.source, verbatim: fields, options: options),
      TestVocabulary.small)
    return try TestVocabulary.accepts(grammar, text)
  }

  /// Schema, path, a text whose field is a span, and one whose field is none.
  static let places: [(String, String, String, String)] = [
    (
      #"{"type":"object","properties":{"a":{"type":"string"}}}"#, "a", #"{"a":"bc"}"#,
      #"{"a":"x"}"#
    ),
    (
      #"{"properties":{"s":{"type":"object","properties":{"name":{"type":"string"}}}},"type":"object"}"#,
      "s.name", #"{"s":{"name":"ab"}}"#, #"{"s":{"name":"ba"}}"#
    ),
    (
      #"{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string"},"n":{"type":"string"}}}}}}"#,
      "items.code", #"{"items":[{"code":"a","n":"x"},{"code":"b"}]}"#,
      #"{"items":[{"code":"a"},{"code":"x"}]}"#
    ),
    (
      #"{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}}}}"#,
      "tags", #"{"tags":["a","bc"]}"#, #"{"tags":["a","x"]}"#
    ),
    (
      ##"{"type":"object","properties":{"a":{"$ref":"#/$defs/p"},"b":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"object","properties":{"name":{"type":"string"}}}}}"##,
      "a.name", #"{"a":{"name":"b"},"b":{"name":"x"}}"#, #"{"a":{"name":"x"}}"#
    ),
    (
      ##"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/t","description":"d"}},"definitions":{"t":{"type":"string"}}}"##,
      "a", #"{"a":"b"}"#, #"{"a":"x"}"#
    ),
    (
      #"{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"#, "a",
      #"{"a":null}"#, #"{"a":"x"}"#
    ),
    (
      #"{"type":"object","properties":{"a":{"type":["string","null"]}}}"#, "a", #"{"a":"abc"}"#,
      #"{"a":"abcd"}"#
    ),
    (
      #"{"type":"object","properties":{"x.y":{"type":"string"},"x":{"type":"string"}}}"#, "x.y",
      #"{"x.y":"a","x":"q"}"#, #"{"x.y":"q"}"#
    ),
    (
      ##"{"type":"object","properties":{"name":{"type":"string"},"child":{"$ref":"#"}}}"##,
      "child.name", #"{"name":"x","child":{"name":"a","child":{"name":"x"}}}"#,
      #"{"name":"x","child":{"name":"x"}}"#
    ),
    (
      #"{"type":"array","prefixItems":[{"properties":{"a":{"type":"string"}}},{"type":"null"}]}"#,
      "a", #"[{"a":"b"},null]"#, #"[{"a":"x"},null]"#
    ),
  ]

  @Test(arguments: places.indices)
  func aFieldIsHeldToTheText(_ index: Int) throws {
    let (schema, path, good, bad) = Self.places[index]
    #expect(try accepts(schema, [], good) && accepts(schema, [], bad))
    #expect(try accepts(schema, [path], good))
    #expect(try !accepts(schema, [path], bad))
  }

  @Test func severalFieldsHoldTogether() throws {
    let schema = #"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}"#
    #expect(try accepts(schema, ["a", "b"], #"{"a":"a","b":"c"}"#))
    #expect(try !accepts(schema, ["a", "b"], #"{"a":"a","b":"x"}"#))
    #expect(try !accepts(schema, ["a", "b"], #"{"a":"x","b":"c"}"#))
  }

  @Test(arguments: ["b", "a.b", "", "a.", ".a", "list.a"])
  func anUnknownFieldIsNamedWithThoseThereAre(_ path: String) throws {
    let schema =
      #"{"type":"object","properties":{"a":{"type":"string"},"list":{"type":"array","items":{"properties":{"c":{"type":"string"}}}}}}"#
    let error = #expect(throws: GrammarError.self) { try accepts(schema, [path], "") }
    guard case .field(path, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("a, list, list.c") || path.isEmpty)
  }

  @Test(arguments: ["n", "o", "e"])
  func aFieldThatHoldsNoStringIsRefused(_ path: String) throws {
    let schema =
      #"{"type":"object","properties":{"n":{"type":"integer"},"o":{"type":"object","properties":{"x":{"type":"string"}}},"e":{"enum":[1,2]}}}"#
    let error = #expect(throws: GrammarError.self) { try accepts(schema, [path], "") }
    guard case .field(_, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("no string"))
  }

  @Test func referencesThatOnlyLeadBackEnd() throws {
    let schema =
      ##"{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"},{"type":"null"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}}}"##
    #expect(throws: GrammarError.self) { try accepts(schema, ["x"], "") }
  }

  @Test(arguments: [
    (#"{"type":"integer","x-verbatim":true}"#, ""),
    (#"{"type":["array","null"],"x-verbatim":"words"}"#, ""),
    (#"{"properties":{"a":{"enum":[1,2],"x-verbatim":true}}}"#, "/properties/a"),
    (#"{"type":"array","items":{"type":"string"},"x-verbatim":true}"#, ""),
    (##"{"$defs":{"n":{"type":"number"}},"$ref":"#/$defs/n","x-verbatim":true}"##, ""),
  ])
  func aMarkOnWhatIsNoStringIsAnError(_ schema: String, _ pointer: String) {
    let reason = "it holds strings to a source text, and the schema allows no string"
    #expect(
      throws: GrammarError.invalidSchema(pointer: pointer, keyword: "x-verbatim", reason: reason)
    ) {
      _ = try Grammar(jsonSchema: schema, source: "7 or seven")
    }
  }

  @Test func aMarkBesideAReferenceOfDraft7IsAnError() {
    let schema =
      ##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"s":{"type":"string"}},"##
      + ##""properties":{"a":{"$ref":"#/definitions/s","x-verbatim":true}}}"##
    let error = #expect(throws: GrammarError.self) {
      _ = try Grammar(jsonSchema: schema, source: "text")
    }
    guard case .invalidSchema("/properties/a", "x-verbatim", let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("where the reference leads"))
  }

  @Test func aMarkHoldsTheStringAmongOtherTypes() throws {
    let grammar = try CompiledGrammar(
      try Grammar(
        jsonSchema: #"{"type":["string","integer"],"x-verbatim":true}"#, source: "seven"),
      TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, "12"))
    #expect(try TestVocabulary.accepts(grammar, #""even""#))
    #expect(try !TestVocabulary.accepts(grammar, #""odd""#))
    _ = try Grammar(jsonSchema: #"{"type":"integer","x-verbatim":false}"#, source: "7")
  }
}
