import ConstrainedDecoding
import Testing

/// Slips in schemas: each is refused by name, where it is.
@Suite struct SchemaMistakeTests {
  private func error(_ schema: String) -> GrammarError? {
    #expect(throws: GrammarError.self, "\(schema)") {
      try CompiledGrammar(
        Grammar(jsonSchema: schema, source: "seven or 7"), TestVocabulary.small)
    }
  }

  @Test(arguments: [
    (
      #"{"type":"object","properties":{"a":{}},"required":["id"],"additionalProperties":false}"#,
      "",
      "\"id\", which is not declared"
    ),
    // Objects that declare properties have no others by default.
    (#"{"type":"object","properties":{"a":{}},"required":["a","id"]}"#, "", "\"id\", which is not"),
    (
      #"{"type":"object","properties":{"o":{"type":"object","properties":{},"required":["x y"],"#
        + #""additionalProperties":false}},"required":["o"]}"#, "/properties/o", "\"x y\""
    ),
    (
      #"{"type":"array","minItems":1,"items":{"allOf":[{"type":"object","required":["id"]},"#
        + #"{"additionalProperties":false}]}}"#, "/items", "\"id\""
    ),
    (
      #"{"type":"object","properties":{"a":false},"required":["a"]}"#, "",
      "\"a\", for which no value is allowed"
    ),
    (
      #"{"type":"object","required":["id"],"propertyNames":{"maxLength":1}}"#, "",
      "\"id\", which propertyNames does not allow"
    ),
  ])
  func aRequiredPropertyThatCannotBeIsNamed(_ schema: String, _ pointer: String, _ reason: String) {
    guard case .unsatisfiable(let place, let why) = error(schema) else {
      Issue.record("\(schema)")
      return
    }
    #expect(place == pointer && why.contains(reason), "\(place): \(why)")
  }

  @Test func aRequiredPropertyMayMatchAPattern() throws {
    let grammar = try CompiledGrammar(
      Grammar(
        jsonSchema:
          #"{"type":"object","patternProperties":{"^i":{"const":1}},"required":["id"],"additionalProperties":false}"#
      ), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, #"{"id":1}"#))
    #expect(try !TestVocabulary.accepts(grammar, #"{"id":2}"#))
  }

  @Test(arguments: ["x-verbatin", "x-Verbatim", "x-verbtim", "x-verbatims", "x-is-verbatim"])
  func aMisspeltMarkIsRefusedByName(_ key: String) throws {
    for (schema, pointer) in [
      (#"{"type":"string","\#(key)":true}"#, ""),
      (#"{"properties":{"a":{"type":"string","\#(key)":true}}}"#, "/properties/a"),
      (#"{"not":{"type":"string","\#(key)":true}}"#, "/not"),
    ] {
      guard case .unsupported(pointer, key, let reason) = error(schema) else {
        Issue.record("\(schema)")
        continue
      }
      #expect(reason.contains("\"x-verbatim\""))
    }
    var lenient = JSONSchemaOptions()
    lenient.isLenient = true
    let grammar = try Grammar(
      jsonSchema: #"{"type":"string","\#(key)":true}"#, options: lenient)
    #expect(grammar.dropped.count == 1 && grammar.dropped[0].contains(key))
  }

  @Test(arguments: ["x-order", "x-sources", "x-internal", "x-version", "x-", "x-very-batim-like"])
  func otherWordsOfThatKindAreAnnotations(_ key: String) throws {
    _ = try Grammar(jsonSchema: #"{"type":"string","\#(key)":true}"#)
  }

  @Test(arguments: [
    (#"{"allOf":[{"type":"integer"},{"x-verbatim":true}]}"#, "/allOf/1"),
    (##"{"type":"integer","$ref":"#/$defs/v","$defs":{"v":{"x-verbatim":true}}}"##, "/$defs/v"),
    (
      #"{"properties":{"a":{"allOf":[{"allOf":[{"x-verbatim":true}]}],"type":"null"}}}"#,
      "/properties/a/allOf/0/allOf/0"
    ),
    (
      #"{"allOf":[{"properties":{"a":{"type":"integer"}}},"#
        + #"{"properties":{"a":{"x-verbatim":true}}}],"required":["a"]}"#,
      "/allOf/1/properties/a"
    ),
  ])
  func aMarkThatHoldsNothingIsRefusedWithItsPlace(_ schema: String, _ pointer: String) {
    guard case .invalidSchema(let place, "x-verbatim", let reason) = error(schema) else {
      Issue.record("\(schema)")
      return
    }
    #expect(place == pointer && reason.contains("no string"))
  }

  @Test func aMarkForKeysOfAnyNameHoldsTheStringsAmongThem() throws {
    let grammar = try CompiledGrammar(
      Grammar(
        jsonSchema:
          #"{"properties":{"n":{"type":"integer"},"s":{"type":"string"}},"patternProperties":{"":{"x-verbatim":true}},"additionalProperties":false}"#,
        source: "seven"), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, #"{"n":8,"s":"eve"}"#))
    #expect(try !TestVocabulary.accepts(grammar, #"{"n":8,"s":"odd"}"#))
  }

  @Test func anErrorNamesTheRemedyOfTheLibrary() {
    let error = error(#"{"format":"nope"}"#)
    #expect(error?.description.contains("isLenient") == true)
    #expect(error?.description.contains("--lenient") == false)
  }
}
