import ConstrainedDecoding
import LanguageModels
import Testing
import Tokenization

/// Schemas of the session API as grammars: what a guide forbids cannot be generated.
@Suite struct SchemaGrammarTests {
  /// Every byte is a token, which is enough to follow texts.
  private static let bytes = TokenTable(
    (0...255).reduce(into: ByteStrings()) { $0.append([UInt8($1)]) }, control: [], endTokens: [])

  private static let prompt = "Ticket K7QX2M to Lisbon"

  private func grammar(_ schema: GenerationSchema) throws -> CompiledGrammar {
    let input = try schema.grammarInput()
    return try CompiledGrammar(
      Grammar(
        jsonSchema: input.jsonSchema, source: input.copiesPrompt ? Self.prompt : nil,
        sources: input.sources), Self.bytes)
  }

  private func accepts(_ schema: GenerationSchema, _ text: String) throws -> Bool {
    var matcher = try grammar(schema).makeMatcher()
    return try matcher.accept(text: text.utf8) && matcher.isComplete
  }

  private func accepts<Value: Generable>(
    _ type: Value.Type, _ guides: [GenerationGuide<Value>], _ value: String
  ) throws -> Bool {
    let schema = GenerationSchema(
      type: Cat.self, properties: [.init(name: "x", type: type, guides: guides)])
    return try accepts(schema, "{\"x\": \(value)}")
  }

  @Test func guidesOfTextsHold() throws {
    #expect(try accepts(String.self, [], #""any \"text\"""#))
    #expect(try accepts(String.self, [.constant("a")], #""a""#))
    #expect(try !accepts(String.self, [.constant("a")], #""b""#))
    #expect(try accepts(String.self, [.anyOf(["a b", "ç"])], #""ç""#))
    #expect(try !accepts(String.self, [.anyOf(["a b", "ç"])], #""a""#))
    #expect(try accepts(String.self, [.pattern(/[A-Z]{2}\d/)], #""AB1""#))
    #expect(try !accepts(String.self, [.pattern(/[A-Z]{2}\d/)], #""xAB1""#))
  }

  @Test(arguments: [
    ("", true), ("2026-01-31", true), ("2026-1-31", false), ("soon", false), ("2026-01-31 ", false),
  ])
  func aPatternMayAllowNothingOrADate(_ text: String, _ isLegal: Bool) throws {
    let date = DynamicGenerationSchema(
      type: String.self, guides: [.pattern(/^$|^\d{4}-\d{2}-\d{2}$/)])
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Letter", properties: [.init(name: "deadline", schema: date)]), dependencies: [])
    #expect(try accepts(schema, "{\"deadline\": \"\(text)\"}") == isLegal)
  }

  @Test func guidesOfNumbersHold() throws {
    #expect(try accepts(Int.self, [.range(-3...12)], "-3"))
    #expect(try accepts(Int.self, [.range(-3...12)], "12"))
    #expect(try !accepts(Int.self, [.range(-3...12)], "13"))
    #expect(try !accepts(Int.self, [.range(-3...12)], "1.5"))
    #expect(try accepts(Int.self, [], "9223372036854775807"))
    // What is generated must fit the type.
    #expect(try !accepts(Int.self, [], "9223372036854775808"))
    #expect(try accepts(Double.self, [.minimum(0.5)], "0.5"))
    #expect(try !accepts(Double.self, [.minimum(0.5)], "0.49"))
  }

  @Test func guidesOfArraysHold() throws {
    #expect(try accepts([Int].self, [.count(2)], "[1, 2]"))
    #expect(try !accepts([Int].self, [.count(2)], "[1]"))
    #expect(try !accepts([Int].self, [.count(2)], "[1, 2, 3]"))
    #expect(try accepts([Int].self, [.element(.range(0...9)), .maximumCount(2)], "[]"))
    #expect(try !accepts([Int].self, [.element(.range(0...9)), .maximumCount(2)], "[10]"))
  }

  @Test func verbatimTextsAreCopiedFromThePromptOrTheGivenText() throws {
    #expect(try accepts(String.self, [.verbatim], #""K7QX2M""#))
    #expect(try !accepts(String.self, [.verbatim], #""K7QX3M""#))
    #expect(try accepts(String.self, [.verbatim(in: "Gate B12")], #""B12""#))
    #expect(try !accepts(String.self, [.verbatim(in: "Gate B12")], #""Lisbon""#))
    let both: [GenerationGuide<String>] = [.verbatim, .pattern(/[A-Z0-9]{6}/)]
    #expect(try accepts(String.self, both, #""K7QX2M""#))
    #expect(try !accepts(String.self, both, #""7QX2M""#))
    let elements: [GenerationGuide<[String]>] = [.element(.verbatim(in: "a, b"))]
    #expect(try accepts([String].self, elements, #"["b", "a"]"#))
    #expect(try !accepts([String].self, elements, #"["b", "c"]"#))
  }

  @Test func textsThatOnlyLookEqualAreDifferentSources() throws {
    let schema = GenerationSchema(
      type: Cat.self,
      properties: [
        .init(name: "a", type: String.self, guides: [.verbatim(in: "caf\u{E9}")]),
        .init(name: "b", type: String.self, guides: [.verbatim(in: "cafe\u{301}")]),
      ])
    #expect(try accepts(schema, "{\"a\": \"f\u{E9}\", \"b\": \"fe\u{301}\"}"))
    #expect(try !accepts(schema, "{\"a\": \"fe\u{301}\", \"b\": \"fe\u{301}\"}"))
    #expect(try !accepts(schema, "{\"a\": \"f\u{E9}\", \"b\": \"f\u{E9}\"}"))
  }

  @Test func propertiesComeInTheOrderOfDeclaration() throws {
    let schema = Cat.generationSchema
    #expect(try accepts(schema, #"{"name": "Mia", "age": 3, "coat": "long"}"#))
    #expect(try accepts(schema, #"{"name": "Mia", "age": 3, "coat": "long", "nickname": "M"}"#))
    #expect(try !accepts(schema, #"{"age": 3, "name": "Mia", "coat": "long"}"#))
    #expect(try !accepts(schema, #"{"name": "Mia", "age": 3}"#))
    #expect(try !accepts(schema, #"{"name": "Mia", "age": 21, "coat": "long"}"#))
    #expect(try !accepts(schema, #"{"name": "Mia", "age": 3, "coat": "long", "tail": 1}"#))
  }

  @Test func enumerationsAndTypesThatContainThemselvesHold() throws {
    #expect(try accepts(Mood.generationSchema, "\"veryWild\""))
    #expect(try !accepts(Mood.generationSchema, "\"wild\""))
    #expect(try accepts(Urgency.generationSchema, "\"urgent-now\""))
    #expect(try !accepts(Urgency.generationSchema, "\"high\""))
    let nested = #"{"name": "Ada", "children": [{"name": "Bo", "children": []}]}"#
    #expect(try accepts(Person.generationSchema, nested))
    #expect(
      try !accepts(Person.generationSchema, #"{"name": "Ada", "children": [{"name": "Bo"}]}"#))
    #expect(
      try accepts(
        Shape.generationSchema,
        #"{"case": "group", "value": [{"case": "nothing"}, {"case": "label", "value": "y"}]}"#))
    #expect(try !accepts(Shape.generationSchema, #"{"case": "circle", "value": "y"}"#))
  }

  @Test func missingOptionalsAreNullOnRequest() throws {
    #expect(try accepts(Form.generationSchema, #"{"first": null, "second": 2}"#))
    #expect(try !accepts(Form.generationSchema, #"{"second": 2}"#))
  }
}
