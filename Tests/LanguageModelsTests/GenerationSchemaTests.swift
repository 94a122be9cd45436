import Foundation
import LanguageModels
import Testing

/// The dialect of the schemas, as the facts about the framework's fixtures list it.
@Suite struct GenerationSchemaTests {
  private func json(_ schema: GenerationSchema) -> String { schema.debugDescription }

  @Test func aStructureListsItsPropertiesInOrder() {
    #expect(
      json(Cat.generationSchema) == #"{"title": "Cat", "description": "A cat to adopt", "#
        + #""type": "object", "properties": {"name": {"description": "A made-up name", "#
        + #""type": "string"}, "age": {"description": "In years", "type": "integer", "#
        + #""minimum": 0, "maximum": 20}, "coat": {"type": "string", "enum": ["short", "long"]}, "#
        + #""nickname": {"type": "string"}}, "required": ["name", "age", "coat"], "#
        + #""additionalProperties": false, "x-order": ["name", "age", "coat", "nickname"]}"#)
  }

  @Test func namesOfCasesAndRawValuesAreChoices() {
    #expect(
      json(Mood.generationSchema)
        == #"{"title": "Mood", "type": "string", "enum": ["calm", "veryWild", "default"]}"#)
    #expect(
      json(Urgency.generationSchema)
        == #"{"title": "Urgency", "description": "How urgent it is", "type": "string", "#
        + #""enum": ["not urgent", "urgent-now"]}"#)
  }

  @Test func aTypeThatContainsItselfRefersToTheRoot() {
    #expect(
      json(Person.generationSchema) == #"{"title": "Person", "type": "object", "properties": "#
        + ##"{"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}}, "##
        + #""required": ["name", "children"], "additionalProperties": false, "#
        + #""x-order": ["name", "children"]}"#)
  }

  @Test func typesInsideAreDefinitions() throws {
    let schema = try GeneratedContent(json: json(Bill.generationSchema))
    #expect(try schema.value(String.self, forProperty: "title") == "receipt")
    let properties = try schema.value(GeneratedContent.self, forProperty: "properties")
    func property(_ name: String) throws -> String {
      try properties.value(GeneratedContent.self, forProperty: name).jsonString
    }
    #expect(
      try property("items") == #"{"description": "Each line", "type": "array", "#
        + ##""items": {"$ref": "#/$defs/Item"}, "minItems": 1, "maxItems": 3}"##)
    #expect(try property("mood") == ##"{"$ref": "#/$defs/Mood"}"##)
    #expect(
      try property("currency")
        == #"{"description": "ISO 4217", "type": "string", "pattern": "[A-Z]{3}"}"#)
    #expect(
      try property("code")
        == #"{"description": "A code", "type": "string", "pattern": "[A-Z0-9]{6}"}"#)
    #expect(try property("total") == #"{"type": "string", "x-verbatim": true}"#)
    let definitions = try schema.value(GeneratedContent.self, forProperty: "$defs")
    #expect(
      try definitions.value(GeneratedContent.self, forProperty: "Item").jsonString
        == #"{"title": "Item", "type": "object", "properties": {"name": {"type": "string"}, "#
        + #""price": {"type": "number", "minimum": 0}}, "required": ["name", "price"], "#
        + #""additionalProperties": false, "x-order": ["name", "price"]}"#)
  }

  @Test func explicitNilMakesPropertiesRequiredAndNullable() {
    #expect(
      json(Form.generationSchema) == #"{"title": "Form", "type": "object", "properties": "#
        + #"{"first": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "#
        + #""second": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}, "#
        + #""required": ["first", "second"], "additionalProperties": false, "#
        + #""x-order": ["first", "second"]}"#)
  }

  @Test func casesWithValuesAreStructuresToChooseFrom() throws {
    let schema = try GeneratedContent(json: json(Shape.generationSchema))
    let choices = try schema.value([GeneratedContent].self, forProperty: "anyOf").map(\.jsonString)
    #expect(
      choices[0] == #"{"type": "object", "properties": {"case": {"type": "string", "#
        + #""enum": ["circle"]}, "value": {"type": "object", "properties": {"radius": "#
        + #"{"type": "number"}}, "required": ["radius"], "additionalProperties": false, "#
        + #""x-order": ["radius"]}}, "required": ["case", "value"], "#
        + #""additionalProperties": false, "x-order": ["case", "value"]}"#)
    #expect(
      choices[5] == #"{"type": "object", "properties": {"case": {"type": "string", "#
        + #""enum": ["nothing"]}}, "required": ["case"], "additionalProperties": false, "#
        + #""x-order": ["case"]}"#)
    #expect(choices[4].contains(##""items": {"$ref": "#"}"##))
  }

  @Test func namesAreThoseOfTypes() {
    #expect(Cat.generationSchema.name == "Cat")
    #expect(Bill.generationSchema.name == "receipt")
    #expect(Int.generationSchema.name == "Int")
    #expect([Cat].generationSchema.name == "Array<Cat>")
  }

  @Test func typesOfOneNameAreKeptApart() throws {
    let schema = GenerationSchema(
      type: Cat.self,
      properties: [
        .init(name: "a", type: First.Part.self), .init(name: "b", type: Second.Part.self),
      ])
    #expect(schema.problem == nil)
    let definitions = try GeneratedContent(json: json(schema))
      .value(GeneratedContent.self, forProperty: "$defs").jsonString
    #expect(definitions.contains(#""x": {"type": "integer"}"#))
    #expect(definitions.contains(#""x": {"type": "string"}"#))
  }

  enum First {
    @Generable struct Part { var x: Int }
  }
  enum Second {
    @Generable struct Part { var x: String }
  }

  @Test func choicesOfTypesAreReferences() {
    let schema = GenerationSchema(type: Cat.self, anyOf: [Mood.self, Int.self])
    #expect(
      json(schema)
        == ##"{"title": "Cat", "anyOf": [{"$ref": "#/$defs/Mood"}, {"type": "integer"}], "##
        + #""$defs": {"Mood": {"title": "Mood", "type": "string", "#
        + #""enum": ["calm", "veryWild", "default"]}}}"#)
  }

  @Test(arguments: [
    Cat.generationSchema, Mood.generationSchema, Person.generationSchema, Bill.generationSchema,
    Form.generationSchema, Shape.generationSchema, [Cat].generationSchema, [[Int]].generationSchema,
    Bool.generationSchema, GeneratedContent.generationSchema, Decimal.generationSchema,
  ])
  func schemasSurviveCoding(schema: GenerationSchema) throws {
    let data = try JSONEncoder().encode(schema)
    let copy = try JSONDecoder().decode(GenerationSchema.self, from: data)
    #expect(json(copy) == json(schema))
    #expect(copy.name == schema.name)
    #expect(try copy.grammarInput() == schema.grammarInput())
  }

  @Test func theTextsToCopyFromTravelWithTheSchema() throws {
    let schema = GenerationSchema(
      type: Cat.self,
      properties: [
        .init(name: "a", type: String.self, guides: [.verbatim(in: "one text")]),
        .init(name: "b", type: String.self, guides: [.verbatim(in: "another")]),
        .init(name: "c", type: [String].self, guides: [.element(.verbatim(in: "one text"))]),
        .init(name: "d", type: String.self, guides: [.verbatim]),
      ])
    let input = try schema.grammarInput()
    #expect(input.sources == ["source-1": "one text", "source-2": "another"])
    #expect(input.copiesPrompt)
    #expect(!input.jsonSchema.contains("one text"))
    #expect(!schema.promptText.contains("source-1"))
    let copy = try JSONDecoder().decode(
      GenerationSchema.self, from: JSONEncoder().encode(schema))
    #expect(try copy.grammarInput() == input)
  }

  @Test(arguments: [
    (#"{"type": "string", "minLength": 2}"#, "minLength"), (#"{"type": "strong"}"#, "strong"),
    (##"{"$ref": "#/$defs/Gone"}"##, "Gone"), (#"{"$ref": "https://example.org"}"#, "elsewhere"),
    (#"{"type": "object", "additionalProperties": true}"#, "additionalProperties"),
    (#"{"type": "object", "required": ["x"]}"#, "“x”"), ("[]", "expected an object"),
    (#"{"type": "array", "minItems": -1}"#, "negative"), (#"{"enum": []}"#, "choose"),
    (#"{"type": "string", "x-verbatim": "gone"}"#, "source"),
    (
      #"{"type": "object", "properties": {"a": {"type": "string", "format": "date"}}}"#,
      "/properties/a"
    ),
  ])
  func whatCannotBeKeptIsRefused(text: String, reason: String) {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(GenerationSchema.self, from: Data(text.utf8))
    }
    #expect(error.map { "\($0)".contains(reason) } == true, "\(error as Any)")
  }

  @Test func theOrderOfAForeignSchemaIsThatOfItsOrderList() throws {
    let text =
      #"{"type": "object", "properties": {"a": {"type": "null"}, "b": {}}, "x-order": ["b"]}"#
    let schema = try JSONDecoder().decode(GenerationSchema.self, from: Data(text.utf8))
    #expect(json(schema).contains(#""x-order": ["b", "a"]"#))
    #expect(schema.name == "Root")
  }
}
