import Foundation
import TestSupport
import Testing

/// `hearth grammar`: verdicts about texts, and figures.
@Suite struct GrammarVerbTests {
  private func verdicts(_ lines: [String], _ options: [String] = []) throws -> [[String: Any]] {
    let result = try Command.run(["grammar"] + options, input: lines.joined(separator: "\n"))
    #expect(result.status == 0 && result.errors.isEmpty)
    let objects = try result.objects
    try #require(objects.count == lines.count)
    return objects
  }

  private func line(_ object: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
  }

  static let cases: [(String, String)] = [
    (#"{"schema":{"type":"integer"},"input":"12"}"#, "accept"),
    (#"{"schema":{"type":"integer"},"input":"1.5"}"#, "reject"),
    (#"{"schema":{"type":"integer"},"input":"x"}"#, "reject"),
    (#"{"schema":true,"input":"[1, {\"a\" : null } ]"}"#, "accept"),
    // As the specification says, undeclared properties may stand there.
    (#"{"schema":{"properties":{"a":{"type":"null"}}},"input":"{\"b\":1}"}"#, "accept"),
    // Nothing at all satisfies it, so neither does this.
    (#"{"schema":{"enum":[]},"input":"1"}"#, "reject"),
    (#"{"schema":{"allOf":[{"type":"string"},{"type":"null"}]},"input":"null"}"#, "reject"),
    (#"{"schema":false,"input":"1"}"#, "reject"),
    (#"{"schema":{"uniqueEntries":true},"input":"1"}"#, "refused"),
    (#"{"schema":{"type":"strin"},"input":"1"}"#, "refused"),
    (#"{"schema":3,"input":"1"}"#, "refused"),
    (#"{"gbnf":"root ::= \"a\"+","input":"aaa"}"#, "accept"),
    (#"{"gbnf":"root ::= \"a\"+","input":"aab"}"#, "reject"),
    (#"{"gbnf":"root ::= \"a\"\nother ::= \"b\"","root":"other","input":"b"}"#, "accept"),
    (#"{"gbnf":"root ::= \"a\"","root":"other","input":"b"}"#, "refused"),
    (#"{"gbnf":"root = x","input":""}"#, "refused"),
    (#"{"gbnf":"root ::= \"a\" root","input":"a"}"#, "reject"),
    (#"{"regex":"\\d{2}","input":"42"}"#, "accept"),
    (#"{"regex":"\\d{2}","input":"421"}"#, "reject"),
    (#"{"regex":"(","input":"("}"#, "refused"),
    (#"{"regex":"é+","input":"éé"}"#, "accept"),
    (
      #"{"schema":{"type":"string","x-verbatim":true},"source":"to be","input":"\"o b\""}"#,
      "accept"
    ),
    (
      #"{"schema":{"type":"string","x-verbatim":true},"source":"to be","input":"\"ob\""}"#, "reject"
    ),
    (#"{"schema":{"type":"string","x-verbatim":true},"input":"\"ob\""}"#, "refused"),
    // Lines that make no sense.
    ("not json", "refused"), ("[1]", "refused"), ("{", "refused"), (#"{"input":"x"}"#, "refused"),
    (#"{"schema":{}}"#, "refused"), (#"{"schema":{},"input":1}"#, "refused"),
    (#"{"schema":{},"regex":"a","input":"a"}"#, "refused"),
    (#"{"regex":"a","root":"root","input":"a"}"#, "refused"),
    (#"{"regex":1,"input":"a"}"#, "refused"), (#"{"schema":{},"imput":"1"}"#, "refused"),
    (#"{"regex":"a","input":"a"}"#, "accept"),
  ]

  @Test func everyLineGetsItsVerdictAndTheRunGoesOn() throws {
    let objects = try verdicts(Self.cases.map(\.0))
    for ((line, expected), object) in zip(Self.cases, objects) {
      #expect(object["verdict"] as? String == expected, "\(line)")
      #expect((object["reason"] is String) == (expected == "refused"), "\(line)")
    }
  }

  @Test func consecutiveLinesMayShareOrChangeAGrammar() throws {
    // Order of keys and digits matter: these are four grammars.
    let schemas = [
      #"{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]}"#,
      #"{"type":"object","properties":{"b":{},"a":{}},"required":["a","b"]}"#,
      #"{"minimum":10000000000000000000001,"type":"integer"}"#,
      #"{"minimum":10000000000000000000002,"type":"integer"}"#,
    ]
    let inputs = [#"{"a":1,"b":2}"#, #"{"b":1,"a":2}"#, "10000000000000000000001"]
    let lines = try schemas.flatMap { schema in
      try inputs.map { input in
        let text = try line(["input": input]).dropLast()
        return "\(text),\"schema\":\(schema)}"
      }
    }
    let found = try verdicts(lines).map { $0["verdict"] as? String == "accept" }
    #expect(
      found == [
        true, false, false, false, true, false, false, false, true, false, false, false,
      ])
  }

  @Test func deepLinesAreRefusedAndTheRunGoesOn() throws {
    let deep = String(repeating: "[", count: 100_000)
    let objects = try verdicts([
      "{\"schema\":\(deep)",
      "{\"gbnf\":\"root ::= \(String(repeating: "(", count: 100_000))\",\"input\":\"\"}",
      #"{"regex":"a","input":"a"}"#,
    ])
    #expect(objects.map { $0["verdict"] as? String } == ["refused", "refused", "accept"])
  }

  @Test func namedTokensAreThoseOfTheModel() throws {
    let named = #"{"gbnf":"root ::= \"a\" <|nothing|>?","input":"a"}"#
    #expect(try verdicts([named])[0]["verdict"] as? String == "refused")
    let result = try verdicts(
      [#"{"gbnf":"root ::= \"a\" <[258]>?","input":"a"}"#, named],
      ["--model", Command.tinyModel("llama")])
    #expect(result.map { $0["verdict"] as? String } == ["accept", "refused"])
  }

  // MARK: --bench

  private let bench = ["grammar", "--bench", "--model", Command.tinyModel("llama")]

  @Test func benchPrintsWhatGrammarsCost() throws {
    let result = try Command.run(bench)
    #expect(result.status == 0)
    for part in [
      "vocabulary of 288 tokens", "schema8: compiled in", "json: compiled in", "warm", "cold",
      "median", "mean", "p90", "p99", "max", "µs",
    ] {
      #expect(result.output.contains(part), "\(part)")
    }
  }

  @Test func benchGivesFiguresAsJSON() throws {
    let objects = try Command.run(bench + ["--json"]).objects
    #expect(
      objects.map { $0["grammar"] as? String }
        == ["schema8", "json", "verbatim", "loop", "recursion"])
    for object in objects {
      #expect(object["engine"] as? String == "hearth" && object["vocabulary"] as? Int == 288)
      #expect(object["compile_ms"] as? Double ?? 0 > 0 && object["positions"] as? Int ?? 0 > 50)
      let masks = try #require(object["mask_us"] as? [String: Double])
      for name in ["median", "mean", "p90", "p99", "max"] {
        #expect(masks[name] ?? 0 > 0 && masks["cold_" + name] ?? 0 > 0, "\(name)")
      }
      // By what they mean, whatever the clock says.
      #expect(masks["median"] ?? 1 <= masks["p99"] ?? 0 && masks["p99"] ?? 1 <= masks["max"] ?? 0)
    }
  }

  @Test func benchMeasuresAGivenGrammarAlongGivenOrRandomTexts() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let schema = folder.appending(path: "s.json")
    let texts = folder.appending(path: "t.jsonl")
    try #"{"type":"array","items":{"type":"boolean"}}"#.write(
      to: schema, atomically: false, encoding: .utf8)
    try "\"[true, false]\"\n\"[]\"\n".write(to: texts, atomically: false, encoding: .utf8)
    let words = bench + ["--json", "--schema", schema.path(percentEncoded: false)]
    let random = try Command.run(words).objects
    #expect(random.count == 1 && random[0]["positions"] as? Int ?? 0 > 0)
    let given = try Command.run(words + ["--texts", texts.path(percentEncoded: false)]).objects
    // One token a byte but for `t` and `rue`-like merges: 13 and 2 bytes, and both ends.
    #expect((8...17).contains(given[0]["positions"] as? Int ?? 0))
    try "\"[1]\"\n".write(to: texts, atomically: false, encoding: .utf8)
    let wrong = try Command.run(words + ["--texts", texts.path(percentEncoded: false)])
    #expect(wrong.status == 1 && wrong.errors.contains("--texts"))
  }
  @Test func benchDecodesWithAndWithoutTheGrammar() throws {
    let texts = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try "\"abcabc\"\n\"cc\"\n".write(to: texts, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: texts) }
    let words = [
      "--decode", "--threads", "1", "--regex", "[a-c]+", "--texts",
      texts.path(percentEncoded: false),
    ]
    let object = try #require(try Command.run(bench + ["--json"] + words).objects.first)
    for name in ["decode_time", "decode_cpu"] {
      let sides = try #require(object[name] as? [String: Double])
      let (free, guided) = (sides["free_ms"] ?? 0, sides["guided_ms"] ?? 0)
      #expect(free > 0 && guided > 0)
      #expect(abs((sides["ratio"] ?? 0) - guided / free) < 0.1)
    }
    let text = try Command.run(bench + words).output
    #expect(text.contains("a token decoded without the grammar → with it"))
    for wrong in [["--threads", "1"], ["--decode", "--dump", "x"], ["--source", "x"]] {
      #expect(try Command.run(bench + wrong).status == 2, "\(wrong)")
    }
  }

  @Test func dumpWritesWhatIsMeasured() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let result = try Command.run(bench + ["--dump", file.path(percentEncoded: false)])
    #expect(result.status == 0 && result.output.isEmpty)
    let dump = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    let tokens = try #require(dump["tokens"] as? [String])
    #expect(tokens.count == 288 && tokens[97] == "61")
    #expect((dump["end"] as? [Int])?.contains(258) == true)
    let workloads = try #require(dump["workloads"] as? [[String: Any]])
    #expect(workloads.map { $0["name"] as? String } == ["schema8", "json"])
    let text = try #require((workloads[1]["texts"] as? [[Int]])?.first)
    #expect(text.map { tokens[$0] }.joined().hasPrefix("7b226964223a2034373131"))
  }

  @Test func benchMeasuresGrammarsThatCopyFromASource() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func file(_ name: String, _ text: String) throws -> String {
      let url = folder.appending(path: name)
      try text.write(to: url, atomically: false, encoding: .utf8)
      return url.path(percentEncoded: false)
    }
    let words = bench + ["--json", "--gbnf", try file("g", "root ::= @verbatim-words")]
    let missing = try Command.run(words)
    #expect(missing.status == 1 && missing.errors.contains("source"))
    let source = try file("s", "to be or not to be")
    #expect(try Command.run(words + ["--source", source]).objects.count == 1)
  }
}
