import Foundation
import LanguageModels
import Testing

@Suite struct GeneratedContentTests {
  @Test func jsonSeparatesPartsByOneBlankAndKeepsTheOrder() {
    let content = GeneratedContent(properties: [
      "z": 1, "a": [true, false], "m": GeneratedContent(properties: ["k": "v"]),
    ])
    #expect(content.jsonString == #"{"z": 1, "a": [true, false], "m": {"k": "v"}}"#)
  }

  @Test(arguments: [
    (2.0, "2"), (-3, "-3"), (0, "0"), (2.5, "2.5"), (0.1, "0.1"), (1e300, "1e+300"),
    (4_503_599_627_370_496, "4503599627370496"), (.infinity, "null"),
  ])
  func wholeNumbersPrintWithoutFraction(value: Double, text: String) {
    #expect(value.generatedContent.jsonString == text)
    #expect(GeneratedContent(kind: .number(value)).jsonString == text)
  }

  @Test func integersKeepAllOfTheirDigits() throws {
    for value in [Int.max, Int.min, 9_007_199_254_740_993, 0, -1] {
      let content = value.generatedContent
      #expect(content.jsonString == String(value))
      #expect(try GeneratedContent(json: content.jsonString).value(Int.self) == value)
    }
  }

  @Test func decimalsKeepAllOfTheirDigits() throws {
    let texts = ["0.1", "123456789012345678901.12345", "-2", "3.133"]
    for text in texts {
      let value = try #require(Decimal(string: text))
      #expect(value.generatedContent.jsonString == text)
      #expect(try GeneratedContent(json: text).value(Decimal.self) == value)
    }
  }

  @Test func floatsPrintTheirOwnDigits() throws {
    #expect(Float(0.1).generatedContent.jsonString == "0.1")
    #expect(Float.infinity.generatedContent.jsonString == "null")
    #expect(Float.nan.generatedContent.jsonString == "null")
    #expect(Decimal.nan.generatedContent.jsonString == "null")
    #expect(try GeneratedContent(json: "0.1").value(Float.self) == 0.1)
  }

  @Test(arguments: ["1.5", "1e400", "9223372036854775808", "\"1\"", "true", "null"])
  func whatIsNoIntegerIsRefused(json: String) {
    #expect(throws: GeneratedContent.ParsingError.self) {
      try GeneratedContent(json: json).value(Int.self)
    }
  }

  @Test(arguments: [("2.0", 2), ("1e3", 1000), ("-0", 0)])
  func wholeNumbersInAnySpellingAreIntegers(json: String, value: Int) throws {
    #expect(try GeneratedContent(json: json).value(Int.self) == value)
  }

  /// Numbers whose exponents leave the range of an integer, and their nearest values.
  @Test(arguments: [
    ("1.5e-9223372036854775808", 0.0), ("-0.01e-9223372036854775807", 0),
    ("1e-99999999999999999999", 0), ("10e-9223372036854775808", 0),
    ("1.5e+9223372036854775807", .infinity), ("10e9223372036854775807", .infinity),
    ("1e400", .infinity), ("-1e400", -.infinity),
  ])
  func exponentsBeyondAllBoundsAreKept(json: String, value: Double) throws {
    let content = try GeneratedContent(json: json)
    #expect(content.kind == .number(value))
    #expect(content.jsonString == json)
    #expect(throws: GeneratedContent.ParsingError.self) { try content.value(Int.self) }
  }

  @Test(arguments: ["0.0e-9223372036854775808", "0e99999999999999999999", "-0.00e5"])
  func zeroIsZeroWhateverItsExponent(json: String) throws {
    #expect(try GeneratedContent(json: json).value(Int.self) == 0)
  }

  @Test func stringsAreEscapedAsJSONWants() throws {
    let text = "\"\\/\u{8}\u{C}\n\r\t\u{1}ğ😀\u{2028}"
    let json = text.generatedContent.jsonString
    #expect(json == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001ğ😀\u{2028}\"")
    #expect(try JSONDecoder().decode(String.self, from: Data(json.utf8)) == text)
    #expect(try GeneratedContent(json: json).value(String.self) == text)
  }

  @Test func escapesOfEveryKindAreRead() throws {
    let content = try GeneratedContent(json: #""\u011f\ud83d\ude00\/\"\\\b\f\n\r\t""#)
    #expect(try content.value(String.self) == "ğ😀/\"\\\u{8}\u{C}\n\r\t")
  }

  @Test func kindShowsPropertiesAndTheirOrder() throws {
    let content = try GeneratedContent(json: #"{"b": 1, "a": null}"#)
    guard case .structure(let properties, let keys) = content.kind else {
      Issue.record("not a structure")
      return
    }
    #expect(keys == ["b", "a"])
    #expect(properties["b"]?.kind == .number(1))
    #expect(properties["a"]?.kind == .null)
  }

  @Test func ofEqualNamesTheLastValueCounts() throws {
    let content = try GeneratedContent(json: #"{"a": 1, "b": 2, "a": 3}"#)
    #expect(content.jsonString == #"{"a": 3, "b": 2}"#)
  }

  @Test func namesThatOccurAgainAreCombined() throws {
    let pairs: [(String, any ConvertibleToGeneratedContent)] = [("a", 1), ("b", 5), ("a", 2)]
    let content = try GeneratedContent(properties: pairs) { old, new in
      try old.value(Int.self) + new.value(Int.self)
    }
    #expect(content.jsonString == #"{"a": 3, "b": 5}"#)
  }

  @Test func elementsOfAnyKindMakeAnArray() {
    let elements: [any ConvertibleToGeneratedContent] = [1, "x", true, [2.5]]
    #expect(GeneratedContent(elements: elements).jsonString == #"[1, "x", true, [2.5]]"#)
  }

  @Test func propertiesAreReadByType() throws {
    let content = try GeneratedContent(json: #"{"name": "Ada", "age": 36, "tags": ["x"]}"#)
    #expect(try content.value(String.self, forProperty: "name") == "Ada")
    let age: Int = try content.value(forProperty: "age")
    #expect(age == 36)
    #expect(try content.value([String].self, forProperty: "tags") == ["x"])
  }

  @Test func aMissingPropertyThrowsAndAnOptionalOneIsNil() throws {
    let content = try GeneratedContent(json: #"{"gone": null, "age": "old"}"#)
    #expect(throws: GeneratedContent.ParsingError.self) {
      try content.value(String.self, forProperty: "name")
    }
    #expect(try content.value(String?.self, forProperty: "name") == nil)
    #expect(try content.value(String?.self, forProperty: "gone") == nil)
    #expect(throws: GeneratedContent.ParsingError.self) {
      try content.value(Int?.self, forProperty: "age")
    }
  }

  @Test func aMismatchSaysWhatWasFound() {
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try GeneratedContent(json: #"{"age": "old"}"#).value(Int.self, forProperty: "age")
    }
    #expect(error?.debugDescription == "expected an integer, found a string")
    #expect(error?.rawContent == "\"old\"")
    #expect(error?.errorDescription == error?.debugDescription)
  }

  @Test func equalContentIsEqualWhateverItsIdentifier() throws {
    let a = GeneratedContent("x", id: GenerationID())
    let b = GeneratedContent("x", id: GenerationID())
    #expect(a == b)
    #expect(a.id != b.id)
    #expect(try GeneratedContent(json: "[1]") != GeneratedContent(json: "[2]"))
    #expect(
      try GeneratedContent(json: "9007199254740993") != GeneratedContent(json: "9007199254740992"))
  }
}

@Suite struct PartialContentTests {
  /// Every beginning of a text, and what of it is there.
  @Test(arguments: [
    (#"{"#, "{}"), (#"{"na"#, "{}"), (#"{"name""#, "{}"), (#"{"name": "#, "{}"),
    (#"{"name": ""#, #"{"name": ""}"#), (#"{"name": "Ad"#, #"{"name": "Ad"}"#),
    (#"{"name": "A\"#, #"{"name": "A"}"#), (#"{"name": "A\u01"#, #"{"name": "A"}"#),
    (#"{"name": "A\ud83d\ude"#, #"{"name": "A"}"#),
    (#"{"name": "Ada", "age": 3"#, #"{"name": "Ada"}"#),
    (#"{"name": "Ada", "age": 36,"#, #"{"name": "Ada", "age": 36}"#),
    (#"{"ok": tr"#, "{}"), (#"{"ok": true"#, #"{"ok": true}"#), (#"[1, 2"#, "[1]"),
    (#"[1, -"#, "[1]"), (#"[[1], ["#, "[[1], []]"), ("", "null"), ("nu", "null"), ("\"a", "\"a\""),
  ])
  func aTextThatIsCutOffKeepsWhatIsThere(json: String, whole: String) throws {
    let content = try GeneratedContent(json: json)
    #expect(content.jsonString == whole)
    #expect(!content.isComplete)
  }

  @Test(arguments: ["{}", "[]", "\"\"", "1", "true", "null", #" {"a": [1, {"b": "c"}]} "#])
  func aWholeTextIsComplete(json: String) throws {
    #expect(try GeneratedContent(json: json).isComplete)
  }

  @Test func partsThatHaveEndedAreCompleteBeforeTheWholeIs() throws {
    let content = try GeneratedContent(json: #"{"a": "x", "b": [1, 2], "c": "y"#)
    let part = { try content.value(GeneratedContent.self, forProperty: $0).isComplete }
    #expect(try part("a"))
    #expect(try part("b"))
    #expect(try !part("c"))
  }

  @Test(arguments: [
    "}", "{a", #"{"a" 1}"#, #"{"a": }"#, "[1 2]", "[1,]", "tru!", "01", "1.x", "-a", "+1",
    "\"\u{1}\"",
    #""\x""#, #""\u12g4""#, #""\udc00""#, #""\ud800x""#, "{} {}", "nul1", "'a'", #"{"a": 1,}"#,
  ])
  func aTextThatCannotBecomeJSONIsRefused(json: String) {
    let error = #expect(throws: GeneratedContent.ParsingError.self) {
      try GeneratedContent(json: json)
    }
    #expect(error?.rawContent == json)
    #expect(error?.debugDescription.hasPrefix("no JSON at byte ") == true)
  }

  @Test func deepNestingIsRefusedAndNotFollowed() {
    #expect(throws: GeneratedContent.ParsingError.self) {
      try GeneratedContent(json: String(repeating: "[", count: 100_000))
    }
    #expect(throws: Never.self) { try GeneratedContent(json: String(repeating: "[", count: 200)) }
  }

  @Test func identifiersStayTheSameWhileContentGrows() throws {
    let id = GenerationID()
    let json = #"{"people": [{"name": "Ada"}, {"name": "Bo"}]}"#
    func people(_ json: some StringProtocol) throws -> [GeneratedContent] {
      try GeneratedContent(json: String(json), id: id, hasEnded: false)
        .value([GeneratedContent].self, forProperty: "people")
    }
    let whole = try people(json).map(\.id)
    #expect(Set(whole).count == 2)
    #expect(try people(json.dropLast(4)).map(\.id) == whole)
    #expect(try people(json.dropLast(20)).map(\.id) == Array(whole.prefix(1)))
    let other = try GeneratedContent(json: json, id: GenerationID(), hasEnded: false)
    #expect(try other.value([GeneratedContent].self, forProperty: "people").map(\.id) != whole)
  }

  @Test func anOpenNumberAtTheRootIsHeldBack() throws {
    #expect(try GeneratedContent(json: "12", id: nil, hasEnded: false).kind == .null)
    #expect(try GeneratedContent(json: "12 ", id: nil, hasEnded: false).kind == .number(12))
    #expect(try GeneratedContent(json: "12", id: nil, hasEnded: true).kind == .number(12))
  }
}
