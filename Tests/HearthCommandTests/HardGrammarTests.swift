import Foundation
import TestSupport
import Testing

/// Grammars that have broken other engines, each in a process of its own: the right verdict, in
/// less than 256 MB, and an end.
///
/// Names begin with the row of the shared list, where there is one.
@Suite struct HardGrammarTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// Lines of `hearth grammar` and what is said about them.
    var lines: [(line: String, verdict: String)]

    var testDescription: String { name }

    init(_ name: String, _ lines: (String, String)...) {
      self.name = name
      self.lines = lines.map { (line: $0.0, verdict: $0.1) }
    }
  }

  private static func line(_ kind: String, _ grammar: String, _ input: String) -> String {
    func json(_ text: String) -> String {
      let data = try? JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed)
      return String(decoding: data ?? Data(), as: UTF8.self)
    }
    let spelled = kind == "schema" ? grammar : json(grammar)
    return "{\"\(kind)\":\(spelled),\"input\":\(json(input))}"
  }

  private static func gbnf(_ text: String, _ input: String = "a") -> String {
    line("gbnf", text, input)
  }

  private static func schema(_ text: String, _ input: String) -> String {
    line("schema", text, input)
  }

  private static func regex(_ pattern: String, _ input: String) -> String {
    line("regex", pattern, input)
  }

  private static func chain(_ count: Int) -> String {
    "root ::= r0\n" + (0..<count).map { "r\($0) ::= r\($0 + 1)\n" }.joined()
      + "r\(count) ::= \"a\""
  }

  private static let ambiguous =
    "root ::= r0\n"
    + (0..<40).map { "r\($0) ::= r\($0 + 1) \"x\" | r\($0 + 1) \"y\"\n" }.joined() + "r40 ::= \"b\""

  private static func text(_ part: String, _ count: Int) -> String {
    String(repeating: part, count: count)
  }

  /// An object that may have so many members, each a number, and those of some patterns.
  private static func members(
    _ count: Int, _ input: String, _ patterns: String = ""
  ) -> String {
    schema(
      "{\"type\":\"object\",\"properties\":{"
        + (0..<count).map { "\"p\($0)\":{\"type\":\"number\"}" }.joined(separator: ",")
        + "},\(patterns)\"additionalProperties\":false}", input)
  }

  private static let fivePatterns =
    "\"patternProperties\":{"
    + ["^a", "b$", "^x-", "c.*d", "^[0-9]+$"].map { "\"\($0)\":{\"type\":\"string\"}" }
    .joined(separator: ",") + "},"

  static let grammars: [Case] = [
    Case(
      "C1", (gbnf(#"root ::= "{" "}""#, "{}"), "accept"),
      (gbnf(#"root ::= "{" "}""#, "{}}"), "reject")),
    Case("C4", (gbnf("root = x"), "refused")),
    Case("C5", (gbnf("root ::=\n  \"b\" |\n  ( \"a\"\n    )\r\n"), "accept")),
    Case("C7", (gbnf(chain(5_000)), "accept"), (gbnf(chain(100_000)), "accept")),
    Case(
      "C8",
      (gbnf(#"root ::= root "a" | "a""#, text("a", 500)), "accept"),
      (gbnf("root ::= a root \"x\" | \"y\"\na ::= b\nb ::= \"z\"?", "zzyxx"), "accept"),
      (gbnf("root ::= a b root \"x\" | \"y\"\na ::= b b\nb ::= \"z\"*", "zzyx"), "accept"),
      (gbnf(#"root ::= root root | "a""#, text("a", 300)), "accept"),
      (gbnf(#"root ::= root | "a""#), "accept"),
      (gbnf(#"root ::= "a" root"#), "reject"),
      (gbnf(ambiguous, "b" + text("xy", 20)), "accept"),
      (gbnf("root ::= " + text("\"a\"? ", 2_000), text("a", 2_000)), "accept")),
    Case(
      "C10", (schema(#"{"type":"array","maxItems":0}"#, "[]"), "accept"),
      (schema(#"{"type":"array","maxItems":0}"#, "[1]"), "reject")),
    Case(
      "C11", (schema(#"{"type":"object","properties":{}}"#, "{}"), "accept"),
      (schema(#"{"type":"string","maxLength":10000}"#, "\"\(text("é", 10_000))\""), "accept"),
      (schema(#"{"type":"string","maxLength":10000}"#, "\"\(text("é", 10_001))\""), "reject")),
    Case(
      "C13",
      (schema(#"{"properties":{"a":{}},"additionalProperties":false}"#, #"{"b":1}"#), "reject")),
    Case(
      "C14",
      (
        schema(
          ##"{"properties":{"a":{"anyOf":[{"type":"integer"}]},"b":{"$ref":"#/properties/a/anyOf/0"}}}"##,
          #"{"b":1}"#), "accept"
      ),
      (schema(##"{"$ref":"#"}"##, "1"), "refused"),
      (schema(##"{"$ref":"#/a/b"}"##, "1"), "refused")),
    Case(
      "C16", (schema(#"{"uniqueEntries":true}"#, "1"), "refused"),
      (schema(#"{"type":"string","pattern":"^a$|^b$"}"#, "\"b\""), "accept"),
      (
        schema(
          #"{"propertyNames":{"pattern":"^x"},"additionalProperties":{"type":"null"}}"#,
          #"{"y":null}"#), "reject"
      )),
    Case(
      "C17", (schema(#"{"properties":{"b":{},"a":{}}}"#, #"{"b":1,"a":2}"#), "accept"),
      (schema(#"{"properties":{"b":{},"a":{}}}"#, #"{"a":1,"b":2}"#), "reject")),
    Case("C20", (gbnf("root ::= [é]", "é"), "accept"), (gbnf("root ::= [é]", "è"), "reject")),
    Case(
      "C22", (schema(#"{"type":"integer","minimum":-5,"maximum":17}"#, "-5"), "accept"),
      (schema(#"{"type":"integer","minimum":-5,"maximum":17}"#, "18"), "reject"),
      (schema(#"{"type":"integer","minimum":3,"maximum":2}"#, "3"), "reject"),
      (schema(#"{"type":"integer","multipleOf":7,"maximum":1e300}"#, "-49"), "accept")),
    Case(
      "C23", (schema(#"{"enum":["yes","yes please"]}"#, #""yes""#), "accept"),
      (schema(#"{"enum":["yes","yes please"]}"#, #""yes please""#), "accept")),
    Case(
      "large counts",
      (gbnf(#"root ::= "a"{100000}"#, text("a", 100_000)), "accept"),
      (gbnf(#"root ::= [a-z]{0,1000000}"#, text("b", 10_000)), "accept"),
      (gbnf(#"root ::= (((("a"){100}){100}){100}){100}"#), "reject"),
      (regex("(a{1000}){1000}", text("a", 1_000)), "reject"),
      (schema(#"{"type":"string","minLength":1000000}"#, "\"x\""), "reject"),
      (schema(#"{"type":"array","minItems":100000,"items":{"type":"integer"}}"#, "[1]"), "reject"),
      (schema(#"{"type":"object","minProperties":50,"maxProperties":100}"#, "{}"), "refused")),
    Case(
      "counts that make no sense", (gbnf(#"root ::= "a"{3,2}"#), "refused"),
      (gbnf(#"root ::= "a"{99999999999999999999}"#), "refused"),
      (schema(#"{"type":"string","minLength":1e30}"#, "\"\""), "refused"),
      (schema(#"{"type":"string","minLength":-1}"#, "\"\""), "refused")),
    Case(
      "nesting", (gbnf("root ::= " + text("(", 60_000)), "refused"),
      (regex(text("(", 60_000), "a"), "refused"),
      (
        schema(text("{\"items\":", 400) + "{}" + text("}", 400), text("[", 300) + text("]", 300)),
        "accept"
      ),
      (schema(text("{\"not\":", 60_000) + "{}" + text("}", 60_000), "1"), "refused"),
      (schema("true", text("[", 20_000) + text("]", 20_000)), "accept")),
    Case(
      "expressions that make others backtrack",
      (regex("(a*)*b", text("a", 5_000)), "reject"),
      (regex("(a|aa)+$", text("a", 5_000)), "accept"),
      (regex("(x+x+)+y", text("x", 5_000)), "reject"),
      (regex("([a-zA-Z]+)*[0-9]", text("a", 5_000)), "reject"),
      (regex(".*.*.*.*=.*", text("x", 5_000)), "reject")),
    Case(
      "optional properties by the hundred",
      (
        schema(
          "{\"properties\":{" + (0..<500).map { "\"p\($0)\":{}" }.joined(separator: ",") + "}}",
          #"{"p3":1,"p499":2}"#), "accept"
      )),
    Case(
      "choices by the thousand",
      (
        schema(
          "{\"enum\":[" + (0..<20_000).map { "\"item \($0 * 7919)\"" }.joined(separator: ",")
            + "]}",
          "\"item 7919\""), "accept"
      )),
    Case(
      "alternatives that may hold together",
      (
        schema(
          "{\"oneOf\":["
            + (0..<200).map { "{\"type\":\"string\",\"pattern\":\"^[a-z]{\($0 + 1)}\($0)$\"}" }
            .joined(separator: ",") + "]}", #""ab1""#), "accept"
      )),
    Case(
      "names beside patterns",
      (
        schema(
          "{\"properties\":{" + (0..<1_000).map { "\"p\($0)\":{}" }.joined(separator: ",")
            + "},\"patternProperties\":{\"^x-\":{\"type\":\"null\"},\"-y$\":{}}}",
          #"{"p7":1,"x-y":null}"#), "accept"
      )),
    Case(
      "optional members by the thousand", (members(4000, "{}"), "accept"),
      (members(4000, #"{"p0":1,"p63":1,"p64":1,"p65":1,"p3999":1}"#), "accept"),
      (members(4000, #"{"p64":1,"p3999":1}"#), "accept"),
      (members(4000, #"{"p64":1,"p63":1}"#), "reject"),
      (members(4000, #"{"p64":1,"p64":1}"#), "reject"),
      (members(4000, #"{"p64":1,"q":1}"#), "reject")),
    Case(
      "names by the thousand beside patterns", (members(4000, "{}", fivePatterns), "accept"),
      (members(4000, #"{"p7":1,"ab":"x","p100":2,"x-":"y"}"#, fivePatterns), "accept"),
      (members(4000, #"{"p100":2,"ab":"x","p7":1}"#, fivePatterns), "reject"),
      (members(4000, #"{"p7":1,"ab":1}"#, fivePatterns), "reject")),
    Case(
      "counted members",
      (
        schema(
          "{\"properties\":{" + (0..<500).map { "\"p\($0)\":{}" }.joined(separator: ",")
            + "},\"minProperties\":300}", "{}"), "refused"
      ),
      (
        schema(
          "{\"properties\":{" + (0..<80).map { "\"p\($0)\":{}" }.joined(separator: ",")
            + "},\"minProperties\":2,\"maxProperties\":9,\"additionalProperties\":false}",
          #"{"p1":1,"p70":2}"#), "accept"
      ), (schema(#"{"maxProperties":5000}"#, #"{"a":1}"#), "accept")),
    Case(
      "references that branch",
      (
        schema(
          ##"{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"null"},{"type":"array","items":{"$ref":"#/$defs/b"}}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"object","additionalProperties":{"$ref":"#/$defs/b"}}]}}}"##,
          #"[[{"x":[null]}]]"#), "accept"
      )),
    Case(
      "a source of a megabyte",
      (
        String(line("gbnf", "root ::= @verbatim", "line 9000 of").dropLast())
          + ",\"source\":\"" + (0..<64_000).map { "line \($0) of\\n" }.joined() + "\"}", "accept"
      )),
  ]

  @Test(arguments: grammars)
  func theVerdictIsRightAndNeedsLittleMemory(_ test: Case) throws {
    let run = try MeasuredRun(["grammar"], input: test.lines.map { $0.line + "\n" }.joined())
    #expect(run.status == 0)
    let verdicts = run.output.split(separator: "\n")
    try #require(verdicts.count == test.lines.count)
    for ((line, expected), verdict) in zip(test.lines, verdicts) {
      #expect(verdict.contains("\"verdict\":\"\(expected)\""), "\(line.prefix(200)): \(verdict)")
    }
    #expect(run.peakBytes < 256 << 20, "\(run.peakBytes >> 20) MB")
  }
}
