import ConstrainedDecoding
import Testing

@Suite struct SchemaTextTests {
  @Test(arguments: [
    ("{\"type\":\n tru}", 2, 2, "JSON: no JSON value starts here"),
    ("{\"a\" 1}", 1, 6, "JSON: a colon must follow the key"),
    ("", 1, 1, "JSON: the text ends inside a value"),
  ])
  func textThatIsNoJSONIsAnErrorWithItsPlace(
    _ text: String, _ line: Int, _ column: Int, _ reason: String
  ) {
    #expect(throws: GrammarError.syntax(line: line, column: column, reason: reason)) {
      _ = try Grammar(jsonSchema: text)
    }
  }

  @Test func propertiesMayBeCalledAsKeywordsAre() throws {
    let grammar = try CompiledGrammar(
      try Grammar(
        jsonSchema:
          #"{"properties":{"enum":{"type":"array","items":{"const":1}},"properties":{"enum":["x"]}},"required":["enum"]}"#
      ), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, #"{"enum":[1],"properties":"x"}"#))
    #expect(try !TestVocabulary.accepts(grammar, #"{"enum":[2]}"#))
    #expect(try !TestVocabulary.accepts(grammar, #"{"enum":[],"properties":1}"#))
  }

  @Test(arguments: [
    (#"{"properties":{"a/b~":{"minimum":"x"}}}"#, "/properties/a~1b~0", "minimum"),
    (#"{"items":[{},{"type":"strin"}],"$schema":"draft-07"}"#, "/items/1", "type"),
    (##"{"$defs":{"d":{"format":"nope"}},"anyOf":[{"$ref":"#/$defs/d"}]}"##, "/$defs/d", "format"),
  ])
  func errorsNamePointerAndKeyword(_ schema: String, _ pointer: String, _ keyword: String) {
    let error = #expect(throws: GrammarError.self) { _ = try Grammar(jsonSchema: schema) }
    switch error {
    case .invalidSchema(let place, let name, _), .unsupported(let place, let name, _):
      #expect(place == pointer && name == keyword)
    default: Issue.record("\(String(describing: error))")
    }
  }

  @Test func boundsOfManyDigitsAreExact() throws {
    let number = "18446744073709551615"
    let grammar = try CompiledGrammar(
      try Grammar(jsonSchema: "{\"type\":\"integer\",\"minimum\":\(number),\"maximum\":\(number)}"),
      TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, number))
    #expect(try !TestVocabulary.accepts(grammar, "18446744073709551614"))
    #expect(try !TestVocabulary.accepts(grammar, "18446744073709551616"))
  }

  @Test(arguments: [
    // The same schema must not hold in two places, and cannot be enforced in either.
    (
      ##"{"properties":{"a":{"not":{"$ref":"#/$defs/t"}},"b":{"not":{"$ref":"#/$defs/t"}}},"$defs":{"t":{"prefixItems":[{}]}}}"##,
      2, #"{"a":1,"b":2}"#
    ),
    (#"{"type":"array","contains":{"const":1},"maxItems":2}"#, 1, "[2]"),
    (#"{"type":"array","contains":{"const":1},"unevaluatedItems":false}"#, 1, "[1]"),
    (#"{"type":"array","uniqueItems":true}"#, 1, "[1,1]"),
    (#"{"oneOf":[{"contains":{}},{"contains":{"const":1},"uniqueItems":true}]}"#, 1, "[1]"),
    (#"{"pattern":"(?=a)b","format":"nope","unknown":1}"#, 3, "\"x\""),
  ])
  func whatIsLeftOutLenientlyIsListedAndTheRestHolds(
    _ schema: String, _ count: Int, _ text: String
  ) throws {
    let error = #expect(throws: GrammarError.self, "\(schema)") {
      _ = try Grammar(jsonSchema: schema)
    }
    guard case .unsupported = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    var lenient = JSONSchemaOptions()
    lenient.isLenient = true
    let grammar = try Grammar(jsonSchema: schema, options: lenient)
    #expect(grammar.dropped.count == count, "\(grammar.dropped)")
    let compiled = try CompiledGrammar(grammar, TestVocabulary.small)
    #expect(try TestVocabulary.accepts(compiled, text))
  }
}
