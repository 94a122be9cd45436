import Foundation
import TestSupport
import Testing

/// Lines of `extract --jsonl` and files of grammars, whatever the model would like to say: these
/// grammars leave it one text only.
@Suite struct ExtractLineTests {
  private let folder: URL
  private let model = ["--model", Command.tinyModel("llama"), "--template", "chatml"]

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func line(_ kind: String, _ grammar: String) throws -> String {
    let url = folder.appending(path: UUID().uuidString)
    try grammar.write(to: url, atomically: false, encoding: .utf8)
    let result = try Command.run(
      ["extract", "--jsonl", kind, url.path(percentEncoded: false)] + model, input: "\"a\"\n")
    #expect(result.status == 0, "\(result.errors)")
    return result.output
  }

  private static let deep = String(repeating: "[", count: 150) + String(repeating: "]", count: 150)

  @Test func deepValuesOfASchemaArePrintedAsTheyStand() throws {
    #expect(try line("--schema", "{\"const\":\(Self.deep)}") == Self.deep + "\n")
  }

  @Test(arguments: [
    deep, "1e999", "-0.5E+4000", #"{"a":[true,null],"b":"\u00e9 \" x"}"#, #""\ud800""#, "{}", "0",
  ])
  func valuesOfAGrammarThatAreJSONArePrintedAsTheyStand(_ text: String) throws {
    let literal = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    #expect(try line("--gbnf", "root ::= \"\(literal)\"") == text + "\n")
  }

  @Test(arguments: [
    "[1,]", "[1 2]", "{1:2}", "{\"a\":1,}", "01", "1.", "-", "+1", "1e", ".5", "tru", "nulls", "]",
    "[[]", "{\"a\"}", "\"a", "\"\\x\"", "1 2", "[1}",
  ])
  func valuesOfAGrammarThatAreNoJSONAreStrings(_ text: String) throws {
    let literal = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let output = try line("--gbnf", "root ::= \"\(literal)\"")
    let value = try JSONSerialization.jsonObject(
      with: Data(output.utf8), options: .fragmentsAllowed)
    #expect(value as? String == text)
  }

  @Test func blanksBetweenPartsAreLeftOut() throws {
    let text = #"{ "a b" :\n[ 1 ,\t2 ] }"#
    let literal = text.replacing("\"", with: "\\\"")
    #expect(try line("--gbnf", "root ::= \"\(literal)\"") == "{\"a b\":[1,2]}\n")
  }

  @Test(arguments: [("--schema", #"{"const":12}"#), ("--gbnf", "root ::= \"12\"")])
  func aByteOrderMarkBeforeAGrammarIsSkipped(_ kind: String, _ grammar: String) throws {
    #expect(try line(kind, "\u{FEFF}" + grammar) == "12\n")
  }
}
