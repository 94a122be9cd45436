import Foundation
import TestSupport
import Testing
import Tokenization

/// `hearth template`: templates and conversations to prompts.
@Suite struct TemplateVerbTests {
  /// The answers to lines, each an object with "text" or "error".
  private func answers(_ lines: [String]) throws -> [OrderedJSON] {
    let result = try Command.run(["template"], input: lines.joined(separator: "\n") + "\n")
    #expect(result.status == 0 && result.errors.isEmpty)
    let answers = try result.output.split(separator: "\n").map { try OrderedJSON(parsing: $0.utf8) }
    try #require(answers.count == lines.count)
    return answers
  }

  private static func line(_ source: String, _ rest: String = #""messages":[]"#) -> String {
    "{\"source\":\(OrderedJSON.string(source).serialized()),\(rest)}"
  }

  // MARK: Public templates

  static let isPresent = TestData.sharedFile("goldens/templates/templates.jsonl") != nil

  @Test(
    "All 209 prompts of public templates are those of Python's jinja2",
    .enabled(if: isPresent, "skipped: the folder of public templates is absent"))
  func rendersPublicTemplates() throws {
    func text(_ name: String) throws -> String {
      let url = try #require(TestData.sharedFile("goldens/templates/\(name)"))
      return try String(contentsOf: url, encoding: .utf8)
    }
    let inputs = try OrderedJSON(parsing: try text("inputs.json"))
    var lines: [String] = []
    var expected: [(name: String, golden: OrderedJSON)] = []
    for row in try text("templates.jsonl").split(separator: "\n") {
      let golden = try OrderedJSON(parsing: row.utf8)
      let source = try #require(golden["source"])
      for item in try #require(golden["cases"]?.arrayValue) {
        let name = try #require(item["case"]?.stringValue)
        let members = try #require(inputs[name]?.objectValue)
        lines.append(OrderedJSON.object([.init("source", source)] + members).serialized())
        expected.append(("\(golden["template"]?.stringValue ?? "") \(name)", item))
      }
    }
    #expect(lines.count == 209)
    for (answer, (name, golden)) in zip(try answers(lines), expected) {
      if let text = golden["expect"]?.stringValue {
        #expect(
          answer["text"].map { Array(($0.stringValue ?? "").utf8) } == Array(text.utf8), "\(name)")
      } else {
        let message = try #require(golden["error"]?.stringValue)
        #expect(answer["error"]?.stringValue?.hasSuffix(message) == true, "\(name)")
      }
    }
  }

  // MARK: Inputs that have broken engines

  /// Row, template, the rest of the input, the text.
  static let rows: [(String, String, String, String)] = [
    (
      "J1",
      "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}"
        + "{{ ns.n }}{{ (messages | list)[1].content }}"
        + "{{ (messages | map(attribute='role') | list)[0] }}",
      #""messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]"#, "2buser"
    ),
    ("J4", "{{ 1 ~ 'a' ~ 2.5 ~ messages | length }}", #""messages":[]"#, "1a2.50"),
    (
      "J5",
      "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}",
      #""messages":[{"role":"assistant","content":"x"}]"#, "x"
    ),
    (
      "J7", "{{ custom_tools is defined }}{{ tools is defined }}{{ custom_tools is not none }}",
      #""messages":[],"tools":null"#, "FalseFalseTrue"
    ),
    ("J8", "[{{ nope | upper }}{{ nope }}]", #""messages":[]"#, "[]"),
    (
      "J10", "{{ tools | tojson }}\n{{ tools[0] | tojson(indent=1) }}",
      #""messages":[],"tools":[{"z":1,"a":{"q":"<é>","b":[1.0,true,null]}}]"#,
      """
      [{"z": 1, "a": {"q": "<é>", "b": [1.0, true, null]}}]
      {
       "z": 1,
       "a": {
        "q": "<é>",
        "b": [
         1.0,
         true,
         null
        ]
       }
      }
      """
    ),
    ("J11", "  {% if true %}\n  a\n  {% endif %}\nb\n", #""messages":[]"#, "  a\nb"),
  ]

  @Test func theyRender() throws {
    let answers = try answers(Self.rows.map { Self.line($0.1, $0.2) })
    for ((row, _, _, text), answer) in zip(Self.rows, answers) {
      #expect(answer["text"]?.stringValue == text, "\(row): \(answer)")
    }
  }

  /// Row, line, a part of the error.
  static let refused: [(String, String, String)] = [
    ("J2", #"{"source":"a\n{% set x.y = 1 %}","messages":[]}"#, "2:"),
    ("J2", #"{"source":"{% set ns.x = %}","messages":[]}"#, "1:"),
    (
      "J13",
      line(
        "{% for m in messages %}{% if m.role == 'system' and not loop.first %}"
          + "{{ raise_exception('one system message only') }}{% endif %}{% endfor %}",
        #""messages":[{"role":"system","content":"a"},{"role":"system","content":"b"}]"#),
      "one system message only"
    ),
    ("J14", #"{"source":"{{ ''.__class__.__mro__ }}","messages":[]}"#, "not safe"),
    (
      "J14", #"{"source":"{{ messages.__init__.__globals__ }}","messages":[]}"#, "not safe"
    ),
    ("J14", #"{"source":"{% include '/etc/passwd' %}","messages":[]}"#, "1:"),
    ("J16", #"{"source":"llama2","messages":[]}"#, "not a chat template"),
    ("J17", #"{"messages":[]}"#, "\"source\" is missing"),
    ("J17", #"{"source":null,"messages":[]}"#, "\"source\" must be a string"),
    (
      "endless",
      line("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"),
      "steps"
    ),
    (
      "recursive", #"{"source":"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}","messages":[]}"#,
      "deeper"
    ),
    ("large", #"{"source":"{{ 'a' * 99999999999 }}","messages":[]}"#, "bytes"),
    // Lines that make no sense.
    ("line", "not json", ""), ("line", "[1]", "not a JSON object"), ("line", "{", ""),
    ("line", #"{"source":"{{ 1 }}"}"#, "'messages'"),
    ("line", #"{"source":"{{ 1 }}","messages":[],"tools":{}}"#, "'tools'"),
    ("line", #"{"source":"{{ 1 }}","messages":[],"add_generation_prompt":1}"#, "'add_generation"),
    ("line", #"{"source":"{{ 1 }}","messages":[],"bos_token":1}"#, "'bos_token'"),
    ("line", #"{"source":"{{ 1 }}","messages":[],"now":"soon"}"#, "'now'"),
  ]

  @Test func whatIsWrongIsSaidAndTheRunGoesOn() throws {
    let last = Self.line("{{ 'still here' }}")
    let answers = try answers(Self.refused.map(\.1) + [last])
    for ((row, line, part), answer) in zip(Self.refused, answers) {
      let error = try #require(answer["error"]?.stringValue, "\(row) \(line): \(answer)")
      #expect(answer["text"] == nil && !error.isEmpty)
      #expect(part.isEmpty || error.contains(part), "\(row) \(line): \(error)")
    }
    #expect(answers.last?["text"]?.stringValue == "still here")
  }

  // MARK: Input

  @Test func everythingElseIsAVariable() throws {
    let source =
      "{{ bos_token }}{{ messages[0].content }}{{ enable_thinking }}{{ documents[0] }}"
      + "{{ strftime_now('%Y-%m-%d %H:%M') }}{{ eos_token }}{{ source is defined }}"
      + "{% if add_generation_prompt %}>{% endif %}"
    let rest = #"""
      "messages":[{"role":"user","content":"hi"}],"bos_token":"<s>","eos_token":"</s>",
      "enable_thinking":false,"documents":["d"],"now":"2026-01-15T09:30:00",
      "add_generation_prompt":true
      """#.replacing("\n", with: "")
    let answer = try answers([Self.line(source, rest)])[0]
    #expect(answer["text"]?.stringValue == "<s>hiFalsed2026-01-15 09:30</s>False>")
  }

  @Test func linesInARowMayShareOrChangeTheirTemplate() throws {
    // Equal to the eye, different bytes: these are two templates.
    let sources = ["{{ 'caf\u{E9}' | length }}", "{{ 'cafe\u{301}' | length }}"]
    let lines = [0, 0, 1, 1, 0].map { Self.line(sources[$0]) }
    #expect(try answers(lines).map { $0["text"]?.stringValue } == ["4", "4", "5", "5", "4"])
  }

  @Test func manyLinesTakeNoMoreMemoryThanFew() throws {
    func peak(_ count: Int) throws -> Int {
      let lines = (0..<count).map { number in
        Self.line(
          "{{ 'a' * 50000 }}\(number)",
          "\"messages\":[],\"x\":\"\(String(repeating: "x", count: 5000))\""
        )
      }
      let run = try MeasuredRun(["template"], input: lines.joined(separator: "\n"))
      try #require(run.status == 0, "\(run.errors)")
      return run.peakBytes
    }
    let (few, many) = (try peak(20), try peak(200))
    #expect(Double(many) <= 1.1 * Double(few) + 8e6, "\(few) and \(many) bytes")
  }
}
