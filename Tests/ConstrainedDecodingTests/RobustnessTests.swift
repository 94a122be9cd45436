import ConstrainedDecoding
import Testing

/// Inputs that have broken other engines, by row of the shared list.
@Suite struct RobustnessTests {
  private func gbnf(_ text: String) throws -> CompiledGrammar {
    try CompiledGrammar(try Grammar(gbnf: text), TestVocabulary.small)
  }

  private func schema(
    _ text: String, _ options: JSONSchemaOptions = JSONSchemaOptions()
  ) throws -> CompiledGrammar {
    try CompiledGrammar(try Grammar(jsonSchema: text, options: options), TestVocabulary.small)
  }

  @Test("C1: a finished grammar leaves only end tokens")
  func finishedGrammar() throws {
    var matcher = try gbnf("root ::= \"{\" \"}\"").makeMatcher()
    #expect(try matcher.accept(text: "{}".utf8))
    #expect(try matcher.mask().tokens == [TestVocabulary.endToken])
  }

  @Test("C2: no token can continue")
  func noLegalToken() throws {
    let table = TestVocabulary.table(
      [Array("</s>".utf8), Array("a".utf8)], control: [true, false], endTokens: [0])
    let grammar = try CompiledGrammar(try Grammar(gbnf: "root ::= \"{\""), table)
    #expect(throws: GrammarError.noLegalToken(position: 0)) {
      _ = try grammar.makeMatcher().mask()
    }
    var session = GrammarSession(grammar, budget: 5)
    guard case .finished(.noLegalToken(position: 0)) = try session.step() else {
      Issue.record("expected no legal token")
      return
    }
  }

  @Test("C4: a bad grammar is an error with its place")
  func badGrammar() {
    #expect(
      throws: GrammarError.syntax(line: 1, column: 6, reason: "expected ::= after \"root\"")
    ) { _ = try Grammar(gbnf: "root = x") }
  }

  @Test("C5: rules broken over lines")
  func brokenLines() throws {
    let grammar = try gbnf("root ::=\n  # note\n  \"a\" |\n  ( \"b\"\n    \"c\" )\r\n\r\n")
    #expect(try TestVocabulary.accepts(grammar, "bc"))
  }

  @Test("C7: long chains of rules", arguments: [5_000, 100_000])
  func longChain(_ count: Int) throws {
    var text = "root ::= r0\n"
    for index in 0..<count { text += "r\(index) ::= r\(index + 1)\n" }
    text += "r\(count) ::= \"a\""
    let grammar = try gbnf(text)
    #expect(try TestVocabulary.accepts(grammar, "a"))
  }

  @Test(
    "C8: left recursion in every disguise",
    arguments: [
      ("root ::= root \"a\" | \"a\"", "aaa", "b"),
      ("root ::= a root \"x\" | \"y\"\na ::= b\nb ::= \"z\"?", "zzyxx", "zz"),
      ("root ::= a b root \"x\" | \"y\"\na ::= b b\nb ::= \"z\"*", "zzzyx", "x"),
      ("root ::= a\na ::= b \"1\" | \"0\"\nb ::= a \"2\" | \"3\"", "02121", "021212"),
      ("root ::= root root | \"a\" | \"\"", "aaaa", "b"),
      ("root ::= root | root root | \"b\"", "bbb", ""),
      ("root ::= (root? \"a\")* \"b\" | \"c\"", "caab", "a"),
    ])
  func leftRecursion(_ text: String, _ accept: String, _ reject: String) throws {
    let grammar = try gbnf(text)
    #expect(try TestVocabulary.accepts(grammar, accept))
    #expect(try !TestVocabulary.accepts(grammar, reject))
    try BruteForce(grammar: grammar, steps: 8).run(seed: 3)
  }

  @Test("C8: ambiguity stays polynomial")
  func ambiguity() throws {
    var text = "root ::= r0\n"
    for index in 0..<40 { text += "r\(index) ::= r\(index + 1) \"x\" | r\(index + 1) \"y\"\n" }
    text += "r40 ::= \"b\""
    let deep = try gbnf(text)
    #expect(try TestVocabulary.accepts(deep, "b" + String(repeating: "xy", count: 20)))
    #expect(try !TestVocabulary.accepts(deep, "b" + String(repeating: "xy", count: 21)))
    let optional = try gbnf("root ::= " + String(repeating: "\"a\"? ", count: 300))
    #expect(try TestVocabulary.accepts(optional, String(repeating: "a", count: 300)))
    #expect(try !TestVocabulary.accepts(optional, String(repeating: "a", count: 301)))
    let binary = try gbnf("root ::= root root | \"a\"")
    #expect(try TestVocabulary.accepts(binary, String(repeating: "a", count: 60)))
  }

  @Test("C8: rules without any text are refused or left out")
  func endlessRules() throws {
    #expect(throws: GrammarError.self) { _ = try gbnf("root ::= \"a\" root") }
    let grammar = try gbnf("root ::= \"a\" dead | \"b\"\ndead ::= \"x\" dead")
    #expect(try TestVocabulary.accepts(grammar, "b"))
    let matcher = grammar.makeMatcher()
    #expect(try !matcher.mask().contains(3 + 0x61))
  }

  @Test("nesting is limited, not the stack")
  func nesting() {
    let deep = "root ::= " + String(repeating: "(", count: 60_000)
    #expect(throws: GrammarError.self) { _ = try Grammar(gbnf: deep) }
    let json = String(repeating: "{\"items\":", count: 60_000)
    #expect(throws: GrammarError.self) { _ = try Grammar(jsonSchema: json) }
    let regex = String(repeating: "(", count: 60_000)
    #expect(throws: GrammarError.self) { _ = try Grammar(regex: regex) }
  }

  @Test(
    "large counts are enforced without being unrolled",
    arguments: [
      "root ::= \"a\"{100000}", "root ::= ((\"a\"{100}){100}){10}",
    ])
  func largeCounts(_ text: String) throws {
    let grammar = try gbnf(text)
    var matcher = grammar.makeMatcher()
    #expect(try matcher.accept(text: String(repeating: "a", count: 5_000).utf8))
    #expect(try !matcher.isComplete)
  }

  @Test("the work of one step is limited")
  func workOfAStep() throws {
    var limits = GrammarLimits()
    limits.maximumWork = 10
    let choices = (1...300).map { "[a-c]{\($0)} \"x\($0)\"" }
    let text = "root ::= " + choices.joined(separator: " | ")
    let grammar = try CompiledGrammar(
      try Grammar(gbnf: text, limits: limits), TestVocabulary.small)
    #expect(throws: GrammarError.limit(.work, maximum: 10)) {
      _ = try grammar.makeMatcher().mask()
    }
    // Many cheap steps are no expensive one.
    let cheap = try CompiledGrammar(
      try Grammar(gbnf: "root ::= [a-c]{0,300}", limits: limits), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(cheap, "abc"))
  }

  @Test("C10: maxItems 0")
  func noItems() throws {
    let grammar = try schema(#"{"type":"array","maxItems":0}"#)
    #expect(try TestVocabulary.accepts(grammar, "[]"))
    #expect(try !TestVocabulary.accepts(grammar, "[1]"))
  }

  @Test("C11: objects without properties, long strings")
  func emptyObjectAndLongString() throws {
    let object = try schema(#"{"type":"object","properties":{}}"#)
    #expect(try TestVocabulary.accepts(object, "{}"))
    let string = try schema(#"{"type":"string","maxLength":10000}"#)
    let long = String(repeating: "é", count: 10_000)
    #expect(try TestVocabulary.accepts(string, "\"\(long)\""))
    #expect(try !TestVocabulary.accepts(string, "\"\(long)x\""))
  }

  @Test("C13: undeclared properties are closed by default and can be opened")
  func undeclaredProperties() throws {
    let text = #"{"type":"object","properties":{"a":{"type":"null"}}}"#
    #expect(try !TestVocabulary.accepts(try schema(text), #"{"a":null,"b":1}"#))
    var open = JSONSchemaOptions()
    open.undeclaredProperties = .open
    #expect(try TestVocabulary.accepts(try schema(text, open), #"{"a":null,"b":1}"#))
    #expect(try !TestVocabulary.accepts(try schema(text, open), #"{"a":null,"a":1}"#))
  }

  @Test("C14: references into the schema")
  func references() throws {
    let grammar = try schema(
      ##"{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"b":{"$ref":"#/properties/a/anyOf/0"}},"required":["b"]}"##
    )
    #expect(try TestVocabulary.accepts(grammar, #"{"b":1}"#))
    #expect(try !TestVocabulary.accepts(grammar, #"{"b":null}"#))
    #expect(throws: GrammarError.self) { _ = try schema(##"{"$ref":"#/nowhere"}"##) }
    #expect(throws: GrammarError.self) { _ = try schema(##"{"$ref":"#"}"##) }
    #expect(throws: GrammarError.self) { _ = try schema(#"{"$ref":"http://a.b/c.json"}"#) }
  }

  @Test("C16: no keyword is dropped in silence")
  func unknownKeywords() throws {
    let error = #expect(throws: GrammarError.self) {
      _ = try schema(#"{"properties":{"a":{"uniqueEntries":true}}}"#)
    }
    guard case .unsupported(let pointer, let keyword, _) = error else {
      Issue.record("expected an unsupported keyword, got \(String(describing: error))")
      return
    }
    #expect(pointer == "/properties/a" && keyword == "uniqueEntries")
    var lenient = JSONSchemaOptions()
    lenient.isLenient = true
    let grammar = try Grammar(
      jsonSchema: #"{"properties":{"a":{"uniqueEntries":true}}}"#, options: lenient)
    #expect(grammar.dropped.count == 1)
    let pattern = try schema(#"{"type":"string","pattern":"^a$|^b$"}"#)
    #expect(
      try TestVocabulary.accepts(pattern, "\"a\"") && TestVocabulary.accepts(pattern, "\"b\""))
    #expect(try !TestVocabulary.accepts(pattern, "\"ab\""))
    let names = try schema(
      #"{"propertyNames":{"pattern":"^x"},"additionalProperties":{"type":"null"}}"#)
    #expect(try TestVocabulary.accepts(names, #"{"xy":null}"#))
    #expect(try !TestVocabulary.accepts(names, #"{"y":null}"#))
    #expect(try !TestVocabulary.accepts(names, #"{"xy":1}"#))
  }

  @Test("C17: properties come in schema order")
  func propertyOrder() throws {
    let grammar = try schema(
      #"{"type":"object","properties":{"b":{"type":"null"},"a":{"type":"null"}},"required":["a","b"]}"#
    )
    #expect(try TestVocabulary.accepts(grammar, #"{"b":null,"a":null}"#))
    #expect(try !TestVocabulary.accepts(grammar, #"{"a":null,"b":null}"#))
  }

  @Test("C19: a token limit inside a value is truncation")
  func truncation() throws {
    let grammar = try schema(
      #"{"type":"object","properties":{"a":{"type":"string","minLength":50}},"required":["a"]}"#)
    var session = GrammarSession(grammar, budget: 5)
    var outcome: GrammarOutcome?
    while outcome == nil {
      switch try session.step() {
      case .finished(let result): outcome = result
      case .feed: Issue.record("it cannot be closed")
      case .choose(let mask): #expect(try session.accept(mask.tokens[0]))
      }
    }
    #expect(outcome == .truncated)
  }

  @Test("C20: tokens that hold half a character")
  func halfCharacters() throws {
    let grammar = try gbnf("root ::= [é]")
    var matcher = grammar.makeMatcher()
    #expect(try matcher.mask().contains(3 + 0xC3))
    try matcher.accept(3 + 0xC3)
    #expect(try matcher.mask().tokens == [3 + 0xA9])
  }

  @Test("C22: intervals and multiples, against arithmetic")
  func intervals() throws {
    let range = try schema(#"{"type":"integer","minimum":-5,"maximum":17}"#)
    let multiple = try schema(#"{"type":"integer","minimum":-50,"multipleOf":7}"#)
    for value in -200...200 {
      #expect(try TestVocabulary.accepts(range, "\(value)") == (-5...17).contains(value))
      #expect(try TestVocabulary.accepts(multiple, "\(value)") == (value >= -50 && value % 7 == 0))
    }
    let fraction = try schema(#"{"exclusiveMinimum":-1.25,"maximum":2.5,"type":"number"}"#)
    for hundredths in -400...400 {
      let sign = hundredths < 0 ? "-" : ""
      let text =
        "\(sign)\(abs(hundredths) / 100).\(abs(hundredths) / 10 % 10)\(abs(hundredths) % 10)"
      #expect(
        try TestVocabulary.accepts(fraction, text) == (hundredths > -125 && hundredths <= 250),
        "\(text)")
    }
    for impossible in [
      #"{"type":"integer","minimum":3,"maximum":2}"#,
      #"{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}"#,
      #"{"type":"string","minLength":3,"maxLength":2}"#, #"{"enum":[]}"#,
      #"{"type":"integer","multipleOf":10,"minimum":1,"maximum":9}"#,
      #"{"allOf":[{"type":"string"},{"type":"null"}]}"#,
      #"{"type":"object","properties":{"a":false},"required":["a"]}"#,
      #"{"type":"array","items":{"type":"string","pattern":"^a$","minLength":2},"minItems":1}"#,
    ] {
      let error = #expect(throws: GrammarError.self, "\(impossible)") { _ = try schema(impossible) }
      guard case .unsatisfiable = error else {
        Issue.record("\(impossible): \(String(describing: error))")
        continue
      }
    }
  }

  @Test(
    "A contradiction is reported where it is",
    arguments: [
      (
        #"{"type":"object","properties":{"n":{"type":"object","properties":{"s":{"type":"string","#
          + #""pattern":"^\\d{5}$","minLength":6}},"required":["s"]}},"required":["n"]}"#,
        "/properties/n/properties/s", "contradict"
      ),
      (#"{"type":"array","minItems":1,"items":{"enum":[]}}"#, "/items", "contradict"),
      (
        #"{"type":"object","properties":{"d":{"type":"string","x-verbatim":true,"#
          + #""pattern":"^[0-9]{4}$"}},"required":["d"]}"#, "/properties/d", "source"
      ),
    ])
  func contradictionsHaveAPlace(schema: String, pointer: String, reason: String) throws {
    let error = #expect(throws: GrammarError.self) {
      try CompiledGrammar(
        Grammar(jsonSchema: schema, source: "no digits here"), TestVocabulary.small)
    }
    guard case .unsatisfiable(let place, let why) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(place == pointer)
    #expect(why.contains(reason), "\(why)")
  }

  @Test("C23: enum values that share a prefix are both reachable")
  func sharedPrefix() throws {
    let grammar = try schema(#"{"enum":["yes","yes please",1,10,null]}"#)
    for text in ["\"yes\"", "\"yes please\"", "1", "10", "null", "1.0"] {
      #expect(try TestVocabulary.accepts(grammar, text))
    }
    #expect(try !TestVocabulary.accepts(grammar, "\"yes p\""))
  }
}
