import Foundation
import LanguageModels
import Testing

@Suite struct GenerableTests {
  @Test func aStructureIsReadAndWritten() throws {
    let json = #"{"name": "Mia", "age": 3, "coat": "long"}"#
    let cat = try Cat(GeneratedContent(json: json))
    #expect(cat == Cat(name: "Mia", age: 3, coat: "long"))
    #expect(cat.generatedContent.jsonString == json)
    #expect(
      Cat(name: "a", age: 1, coat: "short", nickname: "b").generatedContent.jsonString
        == #"{"name": "a", "age": 1, "coat": "short", "nickname": "b"}"#)
  }

  @Test func aMissingPropertyIsAnError() {
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Cat(GeneratedContent(json: #"{"name": "Mia"}"#))
    }
  }

  @Test func missingOptionalsAreLeftOutOrNull() throws {
    #expect(Form().generatedContent.jsonString == #"{"first": null, "second": null}"#)
    #expect(try Form(GeneratedContent(json: #"{"first": null, "second": 2}"#)) == Form(second: 2))
  }

  @Test(arguments: [
    (Mood.calm, "\"calm\""), (.veryWild, "\"veryWild\""), (.default, "\"default\""),
  ])
  func aPlainCaseIsItsName(mood: Mood, json: String) throws {
    #expect(mood.generatedContent.jsonString == json)
    #expect(try Mood(GeneratedContent(json: json)) == mood)
  }

  @Test func aRawValueIsWhatTheModelSees() throws {
    #expect(Urgency.high.generatedContent.jsonString == "\"urgent-now\"")
    #expect(try Urgency(GeneratedContent(json: "\"not urgent\"")) == .low)
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Urgency(GeneratedContent(json: "\"low\""))
    }
  }

  @Test(arguments: [
    (Shape.circle(radius: 2), #"{"case": "circle", "value": {"radius": 2}}"#),
    (.label("x"), #"{"case": "label", "value": "x"}"#),
    (.note(nil), #"{"case": "note", "value": null}"#),
    (.box(1, 2), #"{"case": "box", "value": {"_0": 1, "_1": 2}}"#),
    (
      .group([.nothing, .label("y")]),
      #"{"case": "group", "value": [{"case": "nothing"}, {"case": "label", "value": "y"}]}"#
    ),
    (.nothing, #"{"case": "nothing"}"#),
  ])
  func aCaseWithValuesIsAStructure(shape: Shape, json: String) throws {
    #expect(shape.generatedContent.jsonString == json)
    #expect(try Shape(GeneratedContent(json: json)) == shape)
  }

  @Test func aMissingOptionalValueOfACaseIsNil() throws {
    #expect(try Shape(GeneratedContent(json: #"{"case": "note"}"#)) == .note(nil))
  }

  @Test func defaultsAndConstantsOfAStructureAreKept() throws {
    let bill = Bill(items: [], currency: "EUR", code: "A1B2C3", total: "5")
    #expect(bill.number == 7)
    #expect(bill.version == 1)
    #expect(
      bill.generatedContent.jsonString == #"{"items": [], "currency": "EUR", "#
        + #""code": "A1B2C3", "total": "5", "number": 7}"#)
  }

  @Test func anIdentifierComesWithTheContent() throws {
    let id = GenerationID()
    let json = #"{"name": "Ada", "children": [{"name": "Bo", "children": []}]}"#
    let content = try GeneratedContent(json: json, id: id, hasEnded: true)
    let person = try Person(content)
    #expect(person.id == id)
    #expect(person.children[0].id != id)
    #expect(person.children[0].id == (try Person(content)).children[0].id)
    #expect(person.generatedContent.jsonString == json)
    #expect(person.generatedContent.id == id)
  }
}

@Suite struct PartiallyGeneratedTests {
  private func partial<Value: Generable>(
    _ type: Value.Type, _ json: String
  ) throws -> Value.PartiallyGenerated {
    try Value.PartiallyGenerated(GeneratedContent(json: json))
  }

  @Test func propertiesAppearInOrderAsTheyCome() throws {
    let start = try partial(Cat.self, "{")
    #expect(start.name == nil)
    let next = try partial(Cat.self, #"{"name": "Mi"#)
    #expect(next.name == "Mi")
    #expect(next.age == nil)
    let last = try partial(Cat.self, #"{"name": "Mia", "age": 3, "coat": "lo"#)
    #expect(last.age == 3)
    #expect(last.coat == "lo")
  }

  @Test func aCaseThatIsNotWholeIsNotThereYet() throws {
    let json = #"{"items": [], "currency": "EUR", "code": "A1B2C3", "total": "5", "mood": "cal"#
    #expect(try partial(Bill.self, json).mood == nil)
    #expect(try partial(Bill.self, json + "m\"").mood == .calm)
  }

  @Test func elementsAppearOneByOneWithStableIdentifiers() throws {
    let id = GenerationID()
    let json = #"{"name": "Ada", "children": [{"name": "Bo", "children": []}, {"name": "Cy"#
    func person(_ json: some StringProtocol) throws -> Person.PartiallyGenerated {
      try .init(GeneratedContent(json: String(json), id: id, hasEnded: false))
    }
    let late = try person(json)
    #expect(late.id == id)
    let children = try #require(late.children)
    #expect(children.map(\.name) == ["Bo", "Cy"])
    #expect(children[0].id != children[1].id)
    let early = try person(json.dropLast(16))
    #expect(early.children?.map(\.id) == [children[0].id])
  }

  @Test func anUnfinishedElementThatIsNoValueYetIsLeftOut() throws {
    #expect(try [Mood](GeneratedContent(json: #"["calm", "veryW"#)) == [.calm])
    #expect(try [String](GeneratedContent(json: #"["calm", "veryW"#)) == ["calm", "veryW"])
    #expect(throws: GeneratedContent.ParsingError.self) {
      try [Mood](GeneratedContent(json: #"["veryW", "calm""#))
    }
  }

  @Test func anUnfinishedCaseNameIsNotMistakenForAShorterOne() throws {
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Mood(GeneratedContent(json: "\"calm"))
    }
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Urgency(GeneratedContent(json: "\"urgent-now"))
    }
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Shape(GeneratedContent(json: #"{"case": "nothing"#))
    }
  }

  @Test func aWholeValueIsAlsoAPartialOne() {
    let cat = Cat(name: "Mia", age: 3, coat: "long").asPartiallyGenerated()
    #expect(cat.name == "Mia")
    #expect(cat.age == 3)
    #expect(cat.nickname == nil)
    #expect([1, 2].asPartiallyGenerated() == [1, 2])
    #expect(Mood.calm.asPartiallyGenerated() == .calm)
  }
}
