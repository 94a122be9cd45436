import ConstrainedDecoding
import Testing

/// Least numbers of members: keys that are not declared may repeat, so members are no keys.
@Suite struct MemberCountTests {
  private func grammar(
    _ schema: String, isLenient: Bool = false
  ) throws -> (grammar: Grammar, compiled: CompiledGrammar) {
    var options = JSONSchemaOptions()
    options.undeclaredProperties = .open
    options.isLenient = isLenient
    let grammar = try Grammar(jsonSchema: schema, options: options)
    return (grammar, try CompiledGrammar(grammar, TestVocabulary.small))
  }

  @Test(arguments: [
    (#"{"type":"object","minProperties":2}"#, ""),
    (#"{"minProperties":3,"maxProperties":9}"#, ""),
    (#"{"properties":{"o":{"minProperties":2,"properties":{"a":{},"b":{}}}}}"#, "/properties/o"),
    (#"{"required":["a"],"allOf":[{},{"minProperties":3}]}"#, "/allOf/1"),
    (#"{"allOf":[{"minProperties":2},{"minProperties":4}]}"#, "/allOf/1"),
    (
      #"{"minProperties":2,"patternProperties":{"^x":{}},"additionalProperties":false}"#, ""
    ),
    (#"{"minProperties":2,"propertyNames":{"pattern":"^[a-z]$"}}"#, ""),
  ])
  func countsOfKeysThatMayRepeatAreRefusedByName(_ schema: String, _ pointer: String) {
    let error = #expect(throws: GrammarError.self) { _ = try grammar(schema) }
    guard case .unsupported(pointer, "minProperties", let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("may repeat"))
  }

  @Test(arguments: [
    // One member is one key.
    (#"{"minProperties":1}"#, #"{"a":1}"#, "{}"),
    // Required ones alone are enough.
    (#"{"minProperties":2,"required":["a","b"]}"#, #"{"a":1,"b":2}"#, #"{"a":1}"#),
    (#"{"minProperties":2,"required":["a","b"]}"#, #"{"x":1,"a":1,"b":2}"#, #"{"a":1,"x":2}"#),
    // One more than the required ones: any other member will do.
    (#"{"minProperties":2,"required":["a"]}"#, #"{"a":1,"b":2}"#, #"{"a":1}"#),
    (#"{"minProperties":2,"required":["a"]}"#, #"{"b":1,"a":2}"#, "{}"),
    (
      #"{"minProperties":2,"properties":{"a":{},"b":{}},"required":["b"]}"#, #"{"a":1,"b":2}"#,
      #"{"b":1}"#
    ),
    (
      #"{"minProperties":2,"maxProperties":2,"properties":{"a":{},"b":{}},"required":["b"]}"#,
      #"{"b":1,"x":2}"#, #"{"a":1,"b":1,"x":2}"#
    ),
    // Declared ones alone differ.
    (
      #"{"minProperties":2,"properties":{"a":{},"b":{},"c":{}},"additionalProperties":false}"#,
      #"{"a":1,"c":2}"#, #"{"c":1}"#
    ),
    (
      #"{"minProperties":2,"properties":{"a":{},"b":{},"c":{}},"required":["b"],"additionalProperties":false}"#,
      #"{"b":1,"c":2}"#, #"{"b":1}"#
    ),
  ])
  func countsThatCanBeToldAreExact(_ schema: String, _ text: String, _ other: String) throws {
    let compiled = try grammar(schema).compiled
    #expect(try TestVocabulary.accepts(compiled, text))
    #expect(try !TestVocabulary.accepts(compiled, other))
  }

  @Test func moreThanTheMostCanNeverBe() {
    #expect(
      throws: GrammarError.unsatisfiable(pointer: "", reason: "no value satisfies the schema")
    ) {
      _ = try Grammar(jsonSchema: #"{"type":"object","minProperties":3,"maxProperties":2}"#)
    }
  }

  @Test func aLenientReadingLeavesTheCountOut() throws {
    let (grammar, compiled) = try grammar(
      #"{"type":"object","minProperties":2,"additionalProperties":{"type":"integer"}}"#,
      isLenient: true)
    #expect(grammar.dropped.count == 1 && grammar.dropped[0].contains("\"minProperties\""))
    #expect(try TestVocabulary.accepts(compiled, #"{"a":1,"b":2}"#))
    #expect(try !TestVocabulary.accepts(compiled, #"{"a":"x"}"#))
  }
}
