import Foundation
import LanguageModels
import RegexBuilder
import Testing

@Suite struct DynamicGenerationSchemaTests {
  private func schema(
    _ root: DynamicGenerationSchema, _ dependencies: DynamicGenerationSchema...
  ) throws -> GenerationSchema {
    try GenerationSchema(root: root, dependencies: dependencies)
  }

  @Test func aPatternBuiltAtRunTimeIsPartOfTheSchema() throws {
    let date = DynamicGenerationSchema(
      type: String.self, guides: [.pattern(/^$|^\d{4}-\d{2}-\d{2}$/)])
    let schema = try schema(
      DynamicGenerationSchema(
        name: "Letter", description: "A letter",
        properties: [.init(name: "date", description: "Or empty", schema: date)]))
    #expect(
      schema.debugDescription == #"{"title": "Letter", "description": "A letter", "#
        + #""type": "object", "properties": {"date": {"description": "Or empty", "type": "string", "#
        + #""pattern": "^$|^\\d{4}\\-\\d{2}\\-\\d{2}$"}}, "required": ["date"], "#
        + #""additionalProperties": false, "x-order": ["date"]}"#)
    #expect(
      try schema.grammarInput().jsonSchema.contains(
        #""pattern": "^(?:^$|^\\d{4}\\-\\d{2}\\-\\d{2}$)$""#))
  }

  @Test func partsThatHaveNamesBecomeDefinitions() throws {
    let color = DynamicGenerationSchema(name: "Color", anyOf: ["red", "green"])
    let schema = try schema(
      DynamicGenerationSchema(
        name: "Car",
        properties: [
          .init(name: "paint", description: "Outside", schema: color),
          .init(name: "seats", schema: color, isOptional: true),
          .init(name: "next", schema: .init(referenceTo: "Car"), isOptional: true),
          .init(
            name: "doors",
            schema: .init(arrayOf: .init(type: Int.self), minimumElements: 2, maximumElements: 5)),
        ]))
    #expect(
      schema.debugDescription == #"{"title": "Car", "type": "object", "properties": "#
        + ##"{"paint": {"description": "Outside", "$ref": "#/$defs/Color"}, "##
        + ##""seats": {"$ref": "#/$defs/Color"}, "next": {"$ref": "#"}, "##
        + #""doors": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "#
        + #""maxItems": 5}}, "required": ["paint", "doors"], "additionalProperties": false, "#
        + #""x-order": ["paint", "seats", "next", "doors"], "#
        + #""$defs": {"Color": {"title": "Color", "type": "string", "enum": ["red", "green"]}}}"#)
  }

  @Test func dependenciesAreFoundByName() throws {
    let schema = try schema(
      DynamicGenerationSchema(
        name: "Order", properties: [.init(name: "item", schema: .init(referenceTo: "My Item/1"))]),
      DynamicGenerationSchema(name: "My Item/1", properties: []))
    #expect(schema.debugDescription.contains(##""$ref": "#/$defs/My%20Item~11""##))
    let copy = try JSONDecoder().decode(
      GenerationSchema.self, from: JSONEncoder().encode(schema))
    #expect(copy.debugDescription == schema.debugDescription)
  }

  @Test func typesOfTheProgramMayTakePart() throws {
    let schema = try schema(
      DynamicGenerationSchema(
        name: "Home",
        properties: [
          .init(name: "cat", schema: .init(type: Cat.self)),
          .init(name: "same", schema: .init(referenceTo: "Cat")),
          .init(name: "moods", schema: .init(type: [Mood].self, guides: [.count(2)])),
        ]))
    #expect(schema.debugDescription.contains(##""same": {"$ref": "#/$defs/Cat"}"##))
    #expect(
      schema.debugDescription.contains(
        ##""items": {"$ref": "#/$defs/Mood"}, "minItems": 2, "maxItems": 2"##))
  }

  @Test func nullIsAChoice() throws {
    let schema = try schema(.init(name: "Maybe", anyOf: [.init(type: Int.self), .null]))
    #expect(
      schema.debugDescription
        == #"{"title": "Maybe", "anyOf": [{"type": "integer"}, {"type": "null"}]}"#)
  }

  @Test func missingOptionalsAreNullOnRequest() throws {
    let schema = try schema(
      DynamicGenerationSchema(
        name: "A", representNilExplicitlyInGeneratedContent: true,
        properties: [.init(name: "x", schema: .init(type: Int.self), isOptional: true)]))
    #expect(
      schema.debugDescription.contains(
        #""x": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}, "required": ["x"]"#))
  }

  @Test func aNameForTwoTypesIsAnError() {
    let error = #expect(throws: GenerationSchema.SchemaError.self) {
      try schema(
        .init(
          name: "A",
          properties: [
            .init(name: "x", schema: .init(name: "B", anyOf: ["1"])),
            .init(name: "y", schema: .init(name: "B", anyOf: ["2"])),
          ]))
    }
    guard case .duplicateType(let schema, "B", _) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(schema == "A")
  }

  @Test func theSameTypeTwiceIsNone() throws {
    #expect(throws: Never.self) {
      try schema(
        .init(
          name: "A",
          properties: [
            .init(name: "x", schema: .init(name: "B", anyOf: ["1"])),
            .init(name: "y", schema: .init(name: "B", anyOf: ["1"])),
          ]),
        .init(name: "B", anyOf: ["1"]))
    }
  }

  @Test func aNameForTwoPropertiesIsAnError() {
    let error = #expect(throws: GenerationSchema.SchemaError.self) {
      try schema(
        .init(
          name: "A",
          properties: [
            .init(name: "x", schema: .null), .init(name: "x", schema: .init(type: Int.self)),
          ]))
    }
    guard case .duplicateProperty("A", "x", let context) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(error?.errorDescription == context.debugDescription)
    #expect(error?.recoverySuggestion != nil)
  }

  /// Why nothing can be generated by a schema, alone, as a property, and as a dependency.
  private func problems<Value: Generable>(
    _ type: Value.Type, _ guides: [GenerationGuide<Value>]
  ) throws -> [String?] {
    let node = DynamicGenerationSchema(type: type, guides: guides)
    let structure = DynamicGenerationSchema(
      name: "A", properties: [.init(name: "x", schema: node)])
    let root = DynamicGenerationSchema(arrayOf: .init(referenceTo: "A"))
    return [
      try schema(node).problem?.reason, try schema(structure).problem?.reason,
      try GenerationSchema(root: root, dependencies: [structure]).problem?.reason,
    ]
  }

  @Test func guidesThatDoNotFitAreKeptForTheRequest() throws {
    func all(_ reason: String) -> [String?] { [reason, reason, reason] }
    #expect(
      try problems(Int.self, [.minimum(5), .maximum(3)]) == all("maximum 3 is less than minimum 5"))
    #expect(try problems(String.self, [.anyOf([])]) == all("anyOf leaves no choice"))
    #expect(try problems(Double.self, [.minimum(.nan)]) == all("a bound is no finite number"))
    #expect(
      try problems([String].self, [.maximumCount(2), .minimumCount(3)])
        == all("maximumCount 2 is less than minimumCount 3"))
    let swiftCode = Regex { TryCapture(OneOrMore(.digit)) { Int($0) } }
    #expect(
      try problems(String.self, [.pattern(swiftCode)])
        == all("the regular expression has parts in Swift code, which cannot guide generation"))
    #expect(try problems(Int.self, [.range(3...5)]) == [nil, nil, nil])
  }

  @Test func nothingToChooseFromIsAnError() {
    for empty in [
      DynamicGenerationSchema(name: "A", anyOf: [String]()),
      DynamicGenerationSchema(name: "A", anyOf: [DynamicGenerationSchema]()),
    ] {
      let error = #expect(throws: GenerationSchema.SchemaError.self) { try schema(empty) }
      guard case .emptyTypeChoices("A", _) = error else {
        Issue.record("\(error as Any)")
        return
      }
    }
  }

  @Test func referencesThatLeadNowhereAreAllNamed() {
    let error = #expect(throws: GenerationSchema.SchemaError.self) {
      try schema(
        .init(
          name: "A",
          properties: [
            .init(name: "x", schema: .init(referenceTo: "B")),
            .init(name: "y", schema: .init(arrayOf: .init(referenceTo: "C"))),
            .init(name: "z", schema: .init(referenceTo: "B")),
          ]))
    }
    guard case .undefinedReferences("A", ["B", "C"], _) = error else {
      Issue.record("\(error as Any)")
      return
    }
  }
}
