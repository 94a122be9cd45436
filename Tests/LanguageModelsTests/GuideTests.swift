import Foundation
import LanguageModels
import RegexBuilder
import Testing

@Suite struct GuideTests {
  private func property<Value: Generable>(
    _ type: Value.Type, _ guides: [GenerationGuide<Value>]
  ) throws -> String {
    let schema = GenerationSchema(
      type: Cat.self, properties: [.init(name: "x", type: type, guides: guides)])
    return try GeneratedContent(json: schema.debugDescription)
      .value(GeneratedContent.self, forProperty: "properties")
      .value(GeneratedContent.self, forProperty: "x").jsonString
  }

  @Test func guidesForTexts() throws {
    #expect(try property(String.self, [.constant("a")]) == #"{"type": "string", "enum": ["a"]}"#)
    #expect(
      try property(String.self, [.anyOf(["a", "b"])]) == #"{"type": "string", "enum": ["a", "b"]}"#)
    #expect(
      try property(String.self, [.pattern(/x\d+/)]) == #"{"type": "string", "pattern": "x\\d+"}"#)
    #expect(try property(String.self, [.verbatim]) == #"{"type": "string", "x-verbatim": true}"#)
  }

  @Test func guidesForNumbers() throws {
    #expect(try property(Int.self, [.minimum(2)]) == #"{"type": "integer", "minimum": 2}"#)
    #expect(try property(Int.self, [.maximum(2)]) == #"{"type": "integer", "maximum": 2}"#)
    #expect(
      try property(Int.self, [.range(-1...1)])
        == #"{"type": "integer", "minimum": -1, "maximum": 1}"#)
    #expect(
      try property(Double.self, [.range(0.1...1)])
        == #"{"type": "number", "minimum": 0.1, "maximum": 1}"#)
    #expect(try property(Float.self, [.minimum(0.1)]) == #"{"type": "number", "minimum": 0.1}"#)
    let price = try #require(Decimal(string: "12345678901234567890.01"))
    #expect(
      try property(Decimal.self, [.maximum(price)])
        == #"{"type": "number", "maximum": 12345678901234567890.01}"#)
  }

  @Test func guidesForArrays() throws {
    #expect(
      try property([Int].self, [.count(3)])
        == #"{"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3}"#)
    #expect(
      try property([Int].self, [.minimumCount(1), .maximumCount(4)])
        == #"{"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 4}"#)
    #expect(
      try property([[Int]].self, [.count(1...2), .element(.element(.range(0...9)))])
        == #"{"type": "array", "items": {"type": "array", "items": {"type": "integer", "#
        + #""minimum": 0, "maximum": 9}}, "minItems": 1, "maxItems": 2}"#)
    #expect(
      try property([String].self, [.element(.anyOf(["a"]))])
        == #"{"type": "array", "items": {"type": "string", "enum": ["a"]}}"#)
  }

  @Test func severalGuidesHoldTogether() throws {
    #expect(
      try property(Int.self, [.minimum(1), .minimum(3), .maximum(9), .maximum(7)])
        == #"{"type": "integer", "minimum": 3, "maximum": 7}"#)
    #expect(
      try property(String.self, [.anyOf(["a", "b"]), .anyOf(["b", "c"])])
        == #"{"type": "string", "enum": ["b"]}"#)
  }

  @Test func ofSeveralPatternsTheLastCounts() throws {
    #expect(
      try property(String.self, [.pattern(/a/), .pattern(/b/)])
        == #"{"type": "string", "pattern": "b"}"#)
  }

  @Test func patternsOfRegexBuilderAreKnown() throws {
    let regex = Regex {
      "x"
      OneOrMore(.digit)
      Optionally("y")
    }
    #expect(
      try property(String.self, [.pattern(regex)]) == #"{"type": "string", "pattern": "x\\d+y?"}"#)
  }

  private func problem<Value: Generable>(
    _ type: Value.Type, _ guides: [GenerationGuide<Value>]
  ) -> String? {
    GenerationSchema(
      type: Cat.self, properties: [.init(name: "x", type: type, guides: guides)]
    ).problem?.description
  }

  @Test func whatCannotGuideIsAProblemThatNamesItsPlace() {
    let swiftCode = Regex {
      TryCapture {
        OneOrMore(.word)
      } transform: {
        Int($0)
      }
    }
    #expect(
      problem(String.self, [.pattern(swiftCode)])
        == "Cat, x: the regular expression has parts in Swift code, which cannot guide generation")
    #expect(problem(Double.self, [.minimum(.nan)]) == "Cat, x: a bound is no finite number")
    #expect(
      problem([Int].self, [.minimumCount(3), .maximumCount(2)])
        == "Cat, x: maximumCount 2 is less than minimumCount 3")
    #expect(problem([Int].self, [.count(-1)]) == "Cat, x: minimumCount is negative")
    #expect(
      problem(Int.self, [.minimum(3), .maximum(2)]) == "Cat, x: maximum 2 is less than minimum 3")
    #expect(
      problem(String.self, [.anyOf(["a"]), .constant("b")]) == "Cat, x: anyOf leaves no choice")
    #expect(problem(String.self, [.anyOf([])]) == "Cat, x: anyOf leaves no choice")
    #expect(
      problem(String.self, [.verbatim, .verbatim(in: "a")])
        == "Cat, x: a text can be copied from one source only")
    #expect(problem(String.self, [.verbatim(in: "a"), .verbatim(in: "a")]) == nil)
  }
}
