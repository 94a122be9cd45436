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
}
