import Testing
import Tokenization

@Suite("JSON with the order of its keys")
struct ChatTemplateJSONTests {
  @Test("Keys keep their order and numbers their kind")
  func keepsOrderAndKinds() throws {
    let text = #"{"z":1,"a":[2.0,-0,1e2,true,false,null,"x"],"m":{}}"#
    let value = try OrderedJSON(parsing: text)
    #expect(value["z"] == 1)
    #expect(value["a"] == [2.0, 0, 100.0, true, false, nil, "x"])
    #expect(value.objectValue?.map(\.name) == ["z", "a", "m"])
    #expect(value["a"]?[0]?.intValue == nil && value["a"]?[0]?.doubleValue == 2)
    #expect(value.serialized() == #"{"z":1,"a":[2.0,0,100.0,true,false,null,"x"],"m":{}}"#)
    #expect(value["m"]?.serialized(.spaced) == "{}")
    #expect(try OrderedJSON(parsing: #"{"a":[1,2]}"#).serialized(.spaced) == #"{"a": [1, 2]}"#)
  }

  @Test("A key that occurs twice keeps its place and takes the last value")
  func mergesKeys() throws {
    #expect(try OrderedJSON(parsing: #"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
  }

  @Test("Keys and strings that only look alike are different")
  func comparesBytes() throws {
    let value = try OrderedJSON(parsing: "{\"\u{E9}\": 1, \"e\u{301}\": 2}")
    #expect(value["\u{E9}"] == 1)
    #expect(value["e\u{301}"] == 2)
    #expect(OrderedJSON.string("\u{E9}") != OrderedJSON.string("e\u{301}"))
  }

  @Test("Escapes are read and written")
  func readsEscapes() throws {
    let text = #""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0001""#
    let value = try OrderedJSON(parsing: text)
    #expect(value.stringValue == "\"\\/\u{8}\u{C}\n\r\té😀\u{1}")
    #expect(value.serialized() == #""\"\\/\b\f\n\r\té😀\u0001""#)
  }

  @Test("An integer too large for Int becomes a double")
  func widensIntegers() throws {
    #expect(try OrderedJSON(parsing: "9223372036854775807") == .int(.max))
    #expect(try OrderedJSON(parsing: "9223372036854775808") == .double(9_223_372_036_854_775_808))
  }

  @Test(
    "A number with more digits than a double keeps is kept as text",
    arguments: ["18446744073709551615", "0.1234567890123456789", "-12345678901234567890.5e-3"])
  func keepsDigits(_ text: String) throws {
    let value = try OrderedJSON(parsing: text)
    #expect(value.serialized() == text && value.doubleValue == Double(text))
  }

  @Test(
    "What is not JSON is refused with the reason and the place",
    arguments: [
      ("", .endOfText, 0), (" ", .endOfText, 1), ("{", .endOfText, 1), ("[1", .endOfText, 2),
      ("[1,]", .unexpectedByte, 3), ("{\"a\" 1}", .missingColon, 5), ("{a:1}", .missingKey, 1),
      ("{\"a\":1,}", .missingKey, 7), ("[1 2]", .missingSeparator, 3), ("1 2", .trailingText, 2),
      ("01", .trailingText, 1), ("-", .invalidNumber, 1), ("1.", .invalidNumber, 2),
      ("1e", .invalidNumber, 2), ("1e999", .numberOutOfRange, 5), ("nul", .unexpectedByte, 0),
      ("\"a", .endOfText, 2), ("\"\n\"", .controlCharacter, 1), ("\"\\q\"", .invalidEscape, 2),
      ("\"\\u12\"", .invalidEscape, 5), ("\"\\ud800\"", .unpairedSurrogate, 7),
      ("\"\\ud800\\u0041\"", .unpairedSurrogate, 13), ("\"\\udc00\"", .unpairedSurrogate, 7),
      ("NaN", .unexpectedByte, 0), ("'a'", .unexpectedByte, 0),
    ] as [(String, OrderedJSON.ParseError.Reason, Int)])
  func refuses(_ text: String, _ reason: OrderedJSON.ParseError.Reason, _ offset: Int) {
    #expect {
      try OrderedJSON(parsing: text)
    } throws: { error in
      let error = error as? OrderedJSON.ParseError
      return error?.reason == reason && error?.offset == offset
    }
  }

  @Test("Bytes that are not UTF-8 are refused")
  func refusesInvalidText() {
    #expect(throws: OrderedJSON.ParseError.self) {
      try OrderedJSON(parsing: [0x22, 0xFF, 0x22] as [UInt8])
    }
  }

  @Test("Nesting beyond the limit is an error, not a crash", arguments: ["[", "{\"a\":"])
  func limitsDepth(_ opening: String) throws {
    let deep = String(repeating: opening, count: 1_000_000)
    #expect {
      try OrderedJSON(parsing: deep)
    } throws: { error in
      (error as? OrderedJSON.ParseError)?.reason == .tooDeep
    }
    _ = try OrderedJSON(
      parsing: String(repeating: "[", count: 128) + String(repeating: "]", count: 128))
  }
}
