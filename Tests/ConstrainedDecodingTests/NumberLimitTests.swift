import ConstrainedDecoding
import Testing

/// How large numbers may be, and what is said where a schema asks for more.
@Suite struct NumberLimitTests {
  @Test(arguments: [
    ("1e239", true), ("1E-239", true), ("-2.5e+199", true), ("7e007", true), ("0e0", true),
    ("1e230", true), ("1e240", false), ("1e-240", false), ("1e299", false), ("1e999", false),
    ("1e0239", false),
  ])
  func exponentsStayWithinADouble(_ text: String, _ isAccepted: Bool) throws {
    for schema in [#"{"type":"number"}"#, "true"] {
      let grammar = try CompiledGrammar(try Grammar(jsonSchema: schema), TestVocabulary.small)
      #expect(try TestVocabulary.accepts(grammar, text) == isAccepted)
    }
  }

  @Test func theLargestNumberIsADouble() throws {
    let text = String(repeating: "9", count: 64) + "." + String(repeating: "9", count: 32) + "e239"
    let grammar = try CompiledGrammar(
      try Grammar(jsonSchema: #"{"type":"number"}"#), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, text))
    #expect(try #require(Double(text)).isFinite)
  }
}
