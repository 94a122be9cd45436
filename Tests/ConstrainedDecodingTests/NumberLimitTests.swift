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

  @Test(arguments: [
    (#"{"type":"number","minimum":1e300}"#, "", "minimum"),
    (#"{"properties":{"n":{"exclusiveMinimum":1e64}}}"#, "/properties/n", "exclusiveMinimum"),
    (#"{"type":"integer","maximum":-1e64}"#, "", "maximum"),
    (#"{"type":"number","exclusiveMinimum":0,"maximum":1e-40}"#, "", "maximum"),
    (#"{"allOf":[{"type":"number"},{"exclusiveMaximum":-1e200}]}"#, "/allOf/1", "exclusiveMaximum"),
  ])
  func boundsBeyondTheDigitsNameTheLimit(_ schema: String, _ pointer: String, _ keyword: String) {
    let error = #expect(throws: GrammarError.self) { _ = try Grammar(jsonSchema: schema) }
    guard case .unsupported(pointer, keyword, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("64 digits before the point and 32 after it"))
  }

  @Test(arguments: [
    (#"{"type":"number","maximum":1e300}"#, "12"),
    (#"{"type":"number","minimum":-1e300}"#, "-0.5"),
    (#"{"type":"number","minimum":1e-40}"#, "1"),
    (#"{"type":"string","minimum":1e300}"#, #""x""#),
  ])
  func boundsThatTheDigitsMeetAreKept(_ schema: String, _ text: String) throws {
    let grammar = try CompiledGrammar(try Grammar(jsonSchema: schema), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, text))
  }

  @Test func listedNumbersHaveTheDigitsTheyHave() throws {
    let large = "1" + String(repeating: "0", count: 70)
    let small = "0." + String(repeating: "0", count: 39) + "1"
    for schema in [#"{"enum":[1e70,1e-40]}"#, #"{"type":"number","enum":[1e70,1e-40,"x"]}"#] {
      let grammar = try CompiledGrammar(try Grammar(jsonSchema: schema), TestVocabulary.small)
      #expect(try TestVocabulary.accepts(grammar, large))
      #expect(try TestVocabulary.accepts(grammar, small))
      #expect(try !TestVocabulary.accepts(grammar, large + "0"))
      #expect(try !TestVocabulary.accepts(grammar, "0"))
    }
  }

  @Test func boundsThatContradictEachOtherAreNoMatterOfDigits() {
    #expect(
      throws: GrammarError.unsatisfiable(pointer: "", reason: "no value satisfies the schema")
    ) {
      _ = try Grammar(jsonSchema: #"{"type":"integer","minimum":1e300,"maximum":1e299}"#)
    }
  }

  @Test(arguments: [
    ("minLength", "1e30"), ("maxLength", "2147483648"), ("minItems", "99999999999999999999"),
    ("maxItems", "1e12"), ("minProperties", "4294967296"), ("maxProperties", "1e300"),
  ])
  func largeCountsAreSaidToBeTooLarge(_ keyword: String, _ value: String) {
    let reason = "too large (at most 2147483647)"
    #expect(throws: GrammarError.invalidSchema(pointer: "", keyword: keyword, reason: reason)) {
      _ = try Grammar(jsonSchema: "{\"\(keyword)\":\(value)}")
    }
  }

  @Test(arguments: ["-1", "1.5", "\"3\"", "-1e30", "null"])
  func countsThatAreNoneAreSaidToBeNone(_ value: String) {
    let reason = "must be a whole number that is not negative"
    #expect(throws: GrammarError.invalidSchema(pointer: "", keyword: "minItems", reason: reason)) {
      _ = try Grammar(jsonSchema: "{\"minItems\":\(value)}")
    }
  }

  @Test func limitsSayWhatAnAuthorCanDo() {
    let text = GrammarError.limit(.states, maximum: 5).description
    #expect(text.contains("more than 5 states") && text.contains("simplify"))
    #expect(!text.contains("raise"))
  }
}
