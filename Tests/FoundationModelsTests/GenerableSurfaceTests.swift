import Foundation
public import FoundationModels
import RegexBuilder
import Testing

#if HEARTH_MACROS
@Generable(description: "A city worth seeing")
struct City: Equatable {
  var id: GenerationID
  @Guide(description: "Its name")
  var name: String
  @Guide(description: "How many people live there", .minimum(1))
  let inhabitants: Int
  @Guide(.range(-90...90))
  var latitude: Double
  @Guide(.minimum(0), .maximum(1))
  var score: Float
  var price: Decimal
  var isCapital: Bool
  @Guide(description: "Sights", .count(1...3), .element(.anyOf(["tower", "river", "market"])))
  var sights: [String]
  @Guide(.count(2))
  var ratings: [Int]
  @Guide(.minimumCount(0)) @Guide(description: "Districts", .maximumCount(4))
  var districts: [District]?
  @Guide(.constant("city"))
  var kind: String
  @Guide(description: "A post code", /\d{4,5}/)
  var code: String
  var sister: Sister?
  var season: Season

  @Generable
  struct District: Equatable {
    var name: String
    var parts: [District]
    var best: Season?
  }

  @Generable
  indirect enum Sister: Equatable {
    case none
    case town(String)
    case pair(first: String, second: String?)
    case sisters([Sister])
  }

  @Generable(description: "When to go")
  enum Season: String, CaseIterable, Equatable {
    case warm = "late spring"
    case cold
  }
}

@Generable(description: "Both may be missing", representNilExplicitlyInGeneratedContent: true)
struct Pair {
  var left: String?
  var right: Int?
}

@Generable(name: "renamed")
struct Renamed {
  var content: GeneratedContent
}

/// A type that others see.
public enum Atlas {}

// A type takes the level of the extension that it stands in.
public extension Atlas {
  @Generable struct Page {
    /// Counted from 1.
    public var number: Int
    var places: [Place]
  }

  @Generable enum Place: String {
    case land, sea = "open sea"
  }
}

private extension Atlas {
  @Generable struct Note {
    var text: String
    var page: Page?
  }
}

@Suite struct GenerableSurfaceTests {
  private static let json = """
    {"name": "Bergen", "inhabitants": 291940, "latitude": 60.39, "score": 0.5, "price": 12.5, \
    "isCapital": false, "sights": ["market"], "ratings": [4, 5], "kind": "city", "code": "5003", \
    "sister": {"case": "pair", "value": {"first": "Turku", "second": "Lahti"}}, \
    "season": "late spring"}
    """

  @Test func valuesGoThereAndBack() throws {
    let content = try GeneratedContent(json: Self.json)
    let city = try City(content)
    #expect(city.generatedContent.jsonString == Self.json)
    #expect(city.sister == .pair(first: "Turku", second: "Lahti") && city.season == .warm)
    #expect(try content.value(City.self) == City(content) || city.id != GenerationID())
    let partial: City.PartiallyGenerated = city.asPartiallyGenerated()
    let parts: (String?, Int?, Bool?, [String]?, City.Season?) = (
      partial.name, partial.inhabitants, partial.isCapital, partial.sights, partial.season
    )
    #expect(parts.0 == "Bergen" && parts.1 == 291940 && parts.4 == .warm)
    let districts: [City.District.PartiallyGenerated]?? = partial.districts
    #expect((districts ?? nil) == nil)
    let id: GenerationID = partial.id
    #expect(id == partial.id)
    #expect(City.Season.allCases.count == 2)
  }

  @Test func typesInExtensionsAreGenerable() throws {
    let json = #"{"text": "x", "page": {"number": 2, "places": ["open sea"]}}"#
    let note = try Atlas.Note(GeneratedContent(json: json))
    #expect(note.generatedContent.jsonString == json && note.page?.places == [.sea])
  }

  @Test func schemasAreMadeByHandToo() throws {
    let schemas = [
      GenerationSchema(type: City.self, properties: []),
      GenerationSchema(
        type: City.self, description: "A city",
        properties: [
          .init(name: "a", description: "A", type: String.self, guides: [.anyOf(["x"])]),
          .init(name: "b", type: Int?.self), .init(name: "c", type: [Double].self),
          .init(name: "d", type: String.self, guides: [/x+/]),
          .init(name: "e", description: "E", type: String?.self, guides: [/y+/]),
        ]),
      GenerationSchema(
        type: City.self, description: nil, representNilExplicitlyInGeneratedContent: true,
        properties: [.init(name: "a", type: Bool?.self)]),
      GenerationSchema(type: City.self, description: "One", anyOf: ["x", "y"]),
      GenerationSchema(type: City.self, anyOf: [Pair.self, Renamed.self]),
      City.generationSchema, [City].generationSchema, Int.generationSchema,
    ]
    for schema in schemas {
      let data = try JSONEncoder().encode(schema)
      let copy = try JSONDecoder().decode(GenerationSchema.self, from: data)
      #expect(copy.debugDescription == schema.debugDescription && copy.name == schema.name)
    }
    #expect(Renamed.generationSchema.name == "renamed")
  }

  @Test func schemasAreMadeWhileTheProgramRuns() throws {
    let digits = Regex { OneOrMore(.digit) }
    let line = DynamicGenerationSchema(
      name: "Line", description: "A line",
      properties: [
        .init(name: "text", description: "Words", schema: .init(type: String.self)),
        .init(
          name: "number",
          schema: .init(type: String.self, guides: [.pattern(digits), .anyOf(["1", "22"])]),
          isOptional: true),
        .init(name: "kind", schema: .init(name: "Kind", anyOf: ["a", "b"])),
        .init(
          name: "either",
          schema: .init(
            name: "Either", description: "One of two",
            anyOf: [DynamicGenerationSchema(type: Int.self, guides: [.range(1...3)]), .null])),
      ])
    let letter = DynamicGenerationSchema(
      name: "Letter", representNilExplicitlyInGeneratedContent: false,
      properties: [
        .init(
          name: "lines",
          schema: .init(
            arrayOf: .init(referenceTo: "Line"), minimumElements: 1, maximumElements: 9))
      ])
    let schema = try GenerationSchema(root: letter, dependencies: [line])
    #expect(schema.name == "Letter")
    do {
      _ = try GenerationSchema(root: letter, dependencies: [])
      Issue.record("no error")
    } catch GenerationSchema.SchemaError.undefinedReferences(_, let references, let context) {
      #expect(references == ["Line"] && !context.debugDescription.isEmpty)
    } catch GenerationSchema.SchemaError.duplicateType(schema: _, type: _, context: _) {
      Issue.record("another error")
    } catch GenerationSchema.SchemaError.duplicateProperty(schema: _, property: _, context: _) {
      Issue.record("another error")
    } catch GenerationSchema.SchemaError.emptyTypeChoices(schema: _, context: _) {
      Issue.record("another error")
    }
  }

  @Test func contentIsMadeAndReadInEveryWay() throws {
    let content = GeneratedContent(
      properties: ["name": "A", "count": 2, "tags": ["x"], "nested": GeneratedContent(true)])
    #expect(content.jsonString == #"{"name": "A", "count": 2, "tags": ["x"], "nested": true}"#)
    let name: String = try content.value(forProperty: "name")
    let missing: Int? = try content.value(forProperty: "missing")
    #expect(
      try name == "A" && missing == nil
        && content.value([String].self, forProperty: "tags") == ["x"])
    let pairs: [(String, any ConvertibleToGeneratedContent)] = [("a", 1), ("a", 2)]
    #expect(
      try GeneratedContent(
        properties: pairs, id: GenerationID(), uniquingKeysWith: { _, new in new }
      )
      .value(Int.self, forProperty: "a") == 2)
    let elements: [any ConvertibleToGeneratedContent] = [1, "b", 2.5]
    #expect(GeneratedContent(elements: elements).jsonString == #"[1, "b", 2.5]"#)
    #expect(GeneratedContent("x", id: GenerationID()) == GeneratedContent(kind: .string("x")))
    let half = try GeneratedContent(json: #"{"a": [1, 2"#)
    #expect(!half.isComplete && content.isComplete)
    switch half.kind {
    case .structure(let properties, let orderedKeys):
      #expect(properties.count == 1 && orderedKeys == ["a"])
    case .null, .bool, .number, .string, .array: Issue.record("another kind")
    @unknown default: Issue.record("another kind")
    }
    #expect(throws: GeneratedContent.ParsingError.self) { try GeneratedContent(json: "no") }
  }
}
#endif
