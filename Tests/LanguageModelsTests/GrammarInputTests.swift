import ConstrainedDecoding
import Foundation
import LanguageModels
import Testing

/// What a schema allows while decoding, asked of the grammar that is made from it.
@Suite struct GrammarInputTests {
  /// A vocabulary of single bytes and an end token.
  private static let bytes = TokenTable(
    tokens: (0...255).map { [UInt8($0)] } + [Array("</s>".utf8)],
    control: (0...256).map { $0 == 256 }, endTokens: [256])

  private struct Acceptor {
    let grammar: CompiledGrammar

    init(_ schema: GenerationSchema, prompt: String = "") throws {
      let input = try schema.grammarInput()
      var options = JSONSchemaOptions()
      options.verbatim.sources = input.sources
      grammar = try CompiledGrammar(
        Grammar(
          jsonSchema: input.jsonSchema, source: input.copiesPrompt ? prompt : nil, options: options),
        GrammarInputTests.bytes)
    }

    func accepts(_ text: String) throws -> Bool {
      var matcher = grammar.makeMatcher()
      guard try matcher.accept(text: Array(text.utf8)) else { return false }
      return try matcher.isComplete
    }
  }

  private func acceptor<Value: Generable>(
    _ type: Value.Type, _ guides: [GenerationGuide<Value>]
  ) throws -> Acceptor {
    try Acceptor(
      GenerationSchema(
        root: DynamicGenerationSchema(type: type, guides: guides), dependencies: []))
  }

  @Test func propertiesComeInTheOrderOfTheDeclaration() throws {
    let cat = try Acceptor(Cat.generationSchema)
    #expect(try cat.accepts(#"{"name": "Mia", "age": 3, "coat": "long"}"#))
    #expect(try cat.accepts(#"{"name": "Mia", "age": 3, "coat": "long", "nickname": "M"}"#))
    #expect(try !cat.accepts(#"{"age": 3, "name": "Mia", "coat": "long"}"#))
    #expect(try !cat.accepts(#"{"name": "Mia", "age": 3}"#))
    #expect(try !cat.accepts(#"{"name": "Mia", "age": 21, "coat": "long"}"#))
    #expect(try !cat.accepts(#"{"name": "Mia", "age": 3, "coat": "pink"}"#))
    #expect(try !cat.accepts(#"{"name": "Mia", "age": 3, "coat": "long", "x": 1}"#))
  }

  @Test func aPatternMatchesTheWholeText() throws {
    let date = try acceptor(String.self, [.pattern(/^$|^\d{4}-\d{2}-\d{2}$/)])
    #expect(try date.accepts("\"\""))
    #expect(try date.accepts("\"2026-02-03\""))
    #expect(try !date.accepts("\"2026-02-03x\""))
    let code = try acceptor(String.self, [.pattern(/[A-Z]{3}|\d/)])
    #expect(try code.accepts("\"ABC\""))
    #expect(try code.accepts("\"7\""))
    #expect(try !code.accepts("\"xABC\""))
    #expect(try !code.accepts("\"ABC7\""))
  }

  @Test func integersFitTheirType() throws {
    let integer = try Acceptor(Int.generationSchema)
    for value in [Int.max, Int.min, 0, -1, 42] { #expect(try integer.accepts(String(value))) }
    for text in ["9223372036854775808", "-9223372036854775809", "1.5", "01", "1e30"] {
      #expect(try !integer.accepts(text), "\(text)")
    }
  }

  @Test func everyTypeOfTheSamplesCanBeGenerated() throws {
    #expect(
      try Acceptor(Person.generationSchema).accepts(
        #"{"name": "A", "children": [{"name": "B", "children": []}]}"#))
    let form = try Acceptor(Form.generationSchema)
    #expect(try form.accepts(#"{"first": null, "second": 2}"#))
    #expect(try !form.accepts("{}"))
    let shape = try Acceptor(Shape.generationSchema)
    #expect(try shape.accepts(#"{"case": "group", "value": [{"case": "nothing"}]}"#))
    #expect(try shape.accepts(#"{"case": "note"}"#))
    #expect(try !shape.accepts(#"{"case": "label"}"#))
    #expect(try !shape.accepts(#"{"case": "nothing", "value": 1}"#))
    let bill = try Acceptor(Bill.generationSchema, prompt: "Total 5.00 EUR")
    let start = #"{"items": [{"name": "a", "price": 0.5}], "currency": "EUR", "code": "A1B2C3", "#
    #expect(try bill.accepts(start + #""total": "5.00", "mood": "calm", "number": 7}"#))
    #expect(try !bill.accepts(start + #""total": "6.00", "number": 7}"#))
    #expect(
      try !bill.accepts(start.replacing("0.5", with: "-1") + #""total": "5.00", "number": 7}"#))
  }

  @Test func textsAreCopiedFromTheirSources() throws {
    let schema = GenerationSchema(
      type: Cat.self,
      properties: [
        .init(name: "a", type: String.self, guides: [.verbatim(in: "red green")]),
        .init(name: "b", type: [String].self, guides: [.element(.verbatim)]),
      ])
    let acceptor = try Acceptor(schema, prompt: "blue")
    #expect(try acceptor.accepts(#"{"a": "green", "b": ["blue", "lu"]}"#))
    #expect(try !acceptor.accepts(#"{"a": "blue", "b": ["blue"]}"#))
    #expect(try !acceptor.accepts(#"{"a": "green", "b": ["green"]}"#))
  }

  @Test func arraysHaveAsManyElementsAsTheirGuidesSay() throws {
    let array = try acceptor([Int].self, [.count(2...3), .element(.range(1...9))])
    #expect(try array.accepts("[1, 2]"))
    #expect(try array.accepts("[1, 2, 3]"))
    #expect(try !array.accepts("[1]"))
    #expect(try !array.accepts("[1, 2, 3, 4]"))
    #expect(try !array.accepts("[1, 10]"))
  }

  @Test func namesOfTypesMayHoldAnything() throws {
    let part = DynamicGenerationSchema(name: "My part/~ü <1>%", anyOf: ["x"])
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(arrayOf: part, minimumElements: 1), dependencies: [])
    #expect(try Acceptor(schema).accepts("[\"x\"]"))
  }

  @Test func derivedSchemasAreGrammarsToo() throws {
    let schema = try GenerationSchema(decodable: DecodableSchemaTests.Values.self)
    #expect(
      try Acceptor(schema).accepts(
        #"{"when": "2026-02-03T04:05:06Z", "link": "https://example.org/a?b=c#d", "#
          + #""key": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "bytes": "aGVhcnRo", "#
          + #""price": 0.1, "words": ["a"], "maybe": [1, null]}"#))
  }
}
