import Foundation
import TestSupport
import Testing

/// `extract` and grammars of `run`, on a tiny model with random weights: whatever it would like to
/// say, the output has the shape.
@Suite struct ExtractTests {
  private let folder: URL
  private let model = ["--model", Command.tinyModel("llama"), "--template", "chatml"]

  private static let schema = #"""
    {"type":"object","properties":{"sender":{"type":"object","properties":{"name":{"type":"string"}},
    "required":["name"]},"items":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object",
    "properties":{"code":{"type":"string"},"count":{"type":"integer","minimum":0,"maximum":99}},
    "required":["code","count"]}},"paid":{"type":"boolean"}},"required":["sender","items","paid"]}
    """#

  private static let document = "Bill of Müller & Söhne\n3 x FL-20, 10 x \"SU\" 05"

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func file(_ text: String) throws -> String {
    let url = folder.appending(path: UUID().uuidString)
    try text.write(to: url, atomically: false, encoding: .utf8)
    return url.path(percentEncoded: false)
  }

  private func check(_ value: Any) throws {
    let object = try #require(value as? [String: Any])
    #expect(Set(object.keys) == ["sender", "items", "paid"])
    #expect((object["sender"] as? [String: Any])?["name"] is String && object["paid"] is Bool)
    let items = try #require(object["items"] as? [[String: Any]])
    #expect((1...2).contains(items.count))
    for item in items {
      #expect(item["code"] is String && (0...99).contains(item["count"] as? Int ?? -1))
    }
  }

  private func json(_ text: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }

  // MARK: One document

  @Test func theValueHasTheShapeOfTheSchema() throws {
    let words = ["extract", "--schema", try file(Self.schema), "--max-tokens", "200"] + model
    for more in [[], ["--temperature", "3", "--top-k", "0", "--seed", "1"]] {
      let result = try Command.run(words + more, input: Self.document)
      #expect(result.status == 0, "\(result.errors)")
      try check(json(result.output))
      let places = ["sender", "items", "paid"].map {
        result.output.range(of: "\"\($0)\"")?.lowerBound ?? result.output.endIndex
      }
      #expect(places == places.sorted())
    }
  }

  @Test func theSameCallGivesTheSameValue() throws {
    let words = ["extract", "--schema", try file(Self.schema), "--max-tokens", "100"] + model
    let first = try Command.run(words, input: Self.document)
    #expect(first.output == (try Command.run(words, input: Self.document).output))
  }

  @Test func textThatMatchesAGrammarOrExpressionIsPrintedAsItIs() throws {
    let regex = try Command.run(
      ["extract", "--regex", "[a-c]{3}-[0-9]"] + model, input: Self.document)
    #expect(regex.status == 0)
    #expect(regex.output.wholeMatch(of: /[a-c]{3}-[0-9]\n/) != nil)
    let gbnf = try Command.run(
      ["extract", "--gbnf", try file("root ::= \"<\" @verbatim \">\"")] + model,
      input: Self.document)
    #expect(gbnf.status == 0 && Self.document.contains(gbnf.output.dropFirst().dropLast(2)))
  }

  @Test(arguments: [1, 2, 3])
  func verbatimFieldsOccurInTheDocument(_ seed: Int) throws {
    let result = try Command.run(
      [
        "extract", "--schema", try file(Self.schema), "--verbatim", "sender.name, items.code",
        "--temperature", "4", "--top-k", "0", "--top-p", "1", "--min-p", "0", "--seed", "\(seed)",
        "--max-tokens", "200",
      ] + model, input: Self.document)
    #expect(result.status == 0, "\(result.errors)")
    let value = try json(result.output)
    try check(value)
    let object = try #require(value as? [String: Any])
    var spans = [try #require((object["sender"] as? [String: Any])?["name"] as? String)]
    for item in object["items"] as? [[String: Any]] ?? [] {
      spans.append(item["code"] as? String ?? "?")
    }
    #expect(spans.allSatisfy { !$0.isEmpty && Self.document.contains($0) }, "\(spans)")
  }

  @Test func aValueThatCannotBeClosedFailsAndPrintsNothing() throws {
    let result = try Command.run(
      ["extract", "--schema", try file(Self.schema), "--max-tokens", "5"] + model,
      input: Self.document)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains("not complete (token limit)"))
  }

  @Test func aValueThatIsClosedEarlyIsWholeAndSaidToBe() throws {
    let schema = try file(#"{"type":"array","items":{"type":"string","minLength":2},"minItems":1}"#)
    let result = try Command.run(
      ["extract", "--schema", schema, "--max-tokens", "12", "--logit-bias", "93=-1000"] + model,
      input: Self.document)
    #expect(result.status == 0)
    #expect(try json(result.output) is [String])
    #expect(result.errors.contains("closed early: token limit"))
  }

  @Test func aTimeLimitClosesTheValue() throws {
    let result = try Command.run(
      ["extract", "--schema", try file(Self.schema), "--max-time", "0"] + model,
      input: Self.document)
    #expect(result.status == 0 && result.errors.contains("closed early: time limit"))
    try check(json(result.output))
  }

  @Test func whatIsLeftOutLenientlyIsReported() throws {
    let schema = try file(
      #"{"type":"array","items":{"enum":[1,2]},"uniqueItems":true,"minItems":1,"maxItems":3}"#)
    let words = ["extract", "--schema", schema, "--lenient", "--whitespace", "compact"] + model
    let result = try Command.run(words, input: Self.document)
    #expect(result.status == 0 && result.errors.contains("\"uniqueItems\" is not enforced"))
    #expect(result.output.wholeMatch(of: /\[[12](,[12]){0,2}\]\n/) != nil, "\(result.output)")
  }

  // MARK: Many documents

  @Test func everyDocumentIsAnsweredByOneLine() throws {
    let lines = [
      #"{"text":"Bill of A"}"#, #""Bill of B""#, "not json", #"{"text":5}"#, #"{"txt":"x"}"#,
      #"{"text":""}"#, "", "[1]", "{\"text\":\"\(String(repeating: "long ", count: 200))\"}",
      #"{"text":"Bill\nof C","#, #"{"text":"Bill\nof D"}"#,
    ]
    let result = try Command.run(
      ["extract", "--jsonl", "--schema", try file(Self.schema), "--max-tokens", "120"] + model,
      input: lines.joined(separator: "\n"))
    #expect(result.status == 1)
    #expect(result.errors.contains("7 of 10 lines have no complete value"))
    let objects = try result.objects
    try #require(objects.count == 10)
    for index in [0, 1, 9] { try check(objects[index]) }
    for index in 2...8 { #expect(objects[index]["error"] is String && objects[index].count == 1) }
    #expect((objects[7]["error"] as? String)?.contains("do not fit the context of 512") == true)
  }

  @Test func allCompleteIsSuccess() throws {
    let result = try Command.run(
      ["extract", "--jsonl", "--regex", "[0-9]{2}"] + model,
      input: "\"a\"\n{\"text\":\"b\"}\n")
    #expect(result.status == 0)
    // What is no JSON by itself, or may not be, is a string.
    #expect(result.output.wholeMatch(of: /"\d\d"\n"\d\d"\n/) != nil)
  }

  @Test func aPartIsKeptBesideItsError() throws {
    let result = try Command.run(
      ["extract", "--jsonl", "--regex", "[a-z]{30}", "--max-tokens", "4"] + model, input: "\"a\"\n")
    #expect(result.status == 1)
    let object = try #require(try result.objects.first)
    #expect(object["error"] as? String == "token limit")
    // Four tokens of a letter or a few.
    #expect((4..<30).contains((object["partial"] as? String)?.count ?? 0))
  }

  @Test func verbatimFieldsAreThoseOfEachDocument() throws {
    let schema = try file(
      #"{"type":"object","properties":{"a":{"type":"string","maxLength":4}},"required":["a"]}"#)
    let documents = ["alpha", "\"beta\"\n", "γάμμα", "δ"]
    let lines = try documents.map {
      String(decoding: try JSONSerialization.data(withJSONObject: ["text": $0]), as: UTF8.self)
    }
    let result = try Command.run(
      ["extract", "--jsonl", "--schema", schema, "--verbatim", "a", "--temperature", "2"] + model,
      input: lines.joined(separator: "\n"))
    #expect(result.status == 0)
    for (object, document) in zip(try result.objects, documents) {
      let span = try #require(object["a"] as? String)
      #expect(!span.isEmpty && document.contains(span))
    }
  }

  // MARK: run

  @Test func theAnswerOfRunHasTheShape() throws {
    let schema = try file(Self.schema)
    let words = ["run", "--prompt", "hello", "--max-tokens", "200", "--quiet"] + model
    let result = try Command.run(words + ["--schema", schema])
    #expect(result.status == 0, "\(result.errors)")
    try check(json(result.output))
    #expect(
      try Command.run(words + ["--regex", "yes|no"]).output.wholeMatch(of: /(yes|no)\n/) != nil)
    let cut = try Command.run(words + ["--regex", "[a-z]{9}", "--max-tokens", "3"])
    #expect(cut.status == 1 && cut.errors.contains("not complete: token limit"))
    // Verbatim parts are copied from the prompt.
    let copied = try Command.run(words + ["--gbnf", try file("root ::= @verbatim")])
    #expect(copied.status == 0 && "hello".contains(copied.output.dropLast()))
  }

  @Test func aGrammarMayComeThroughAPipe() throws {
    let command = try Command.found().path(percentEncoded: false)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments =
      ["-c", #"printf 'root ::= "a" [bc]' | "$@""#, "sh", command, "run", "--prompt", "x"]
      + ["--gbnf", "/dev/stdin", "--quiet"] + model
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: output, as: UTF8.self).wholeMatch(of: /a[bc]\n/) != nil)
  }

  // MARK: Wrong calls

  @Test func wrongCallsAndFailuresAreToldApart() throws {
    let schema = try file(Self.schema)
    let missing = folder.appending(path: "none").path(percentEncoded: false)
    let broken = try file("{\n\"type\":")
    let unique = try file(#"{"type":"array","uniqueItems":true}"#)
    let calls: [([String], Int32, String)] = [
      (["extract"], 2, "--schema, --gbnf or --regex is needed"),
      (["extract", "--schema", schema, "--regex", "a"], 2, "exclude each other"),
      (["extract", "--regex", "("], 2, "--regex"),
      (["extract", "--schema", schema, "--verbatim", "sender.nam"], 2, "sender.name"),
      (["extract", "--schema", schema, "--verbatim", "paid"], 2, "no string"),
      (["extract", "--regex", "a", "--verbatim", "x"], 2, "--schema"),
      (["extract", "--schema", schema, "--stop", "x"], 2, "unknown option"),
      (["extract", "--schema", missing], 1, missing),
      (["extract", "--schema", "/dev/zero"], 1, "more than 16 MiB"),
      (["extract", "--schema", folder.path(percentEncoded: false)], 1, "cannot read"),
      (["extract", "--schema", broken], 1, "\(broken): 2:8: JSON"),
      (["extract", "--schema", unique, "--whitespace", "none"], 2, "compact, bounded or free"),
      (["extract", "--regex", "a", "--lenient"], 2, "--lenient goes with --schema"),
      (["extract", "--schema", unique], 1, "\"uniqueItems\" cannot be enforced"),
      (
        ["extract", "--schema", try file(#"{"properties":{"a":{"minimun":3}}}"#)], 1,
        "minimun"
      ),
      (["extract", "--schema", try file(#"{"enum":[]}"#)], 1, "never be satisfied"),
      (["extract", "--gbnf", try file("root = x")], 1, "1:"),
      (["extract", "--regex", "a", "--max-time", "-1"], 2, "--max-time"),
      (["run", "--prompt", "x", "--schema", missing], 1, missing),
      (["run", "--prompt", "x", "--regex", "a", "--stop", "b"], 2, "--stop"),
      (["grammar", "--schema", schema], 2, "--bench"),
      (["grammar", "--bench", "--texts", schema], 2, "--texts"),
    ]
    for (words, status, part) in calls {
      let result = try Command.run(words + (words[0] == "grammar" ? [] : model), input: "text")
      #expect(result.status == status, "\(words): \(result.errors)")
      #expect(result.errors.contains(part), "\(words): \(result.errors)")
      #expect(result.output.isEmpty)
    }
  }

  @Test func anEmptyDocumentIsAWrongCall() throws {
    let result = try Command.run(["extract", "--regex", "a"] + model)
    #expect(result.status == 2 && result.errors.contains("empty"))
  }

  @Test func aModelWithoutATemplateNeedsAChoice() throws {
    let words = ["extract", "--regex", "[ab]", "--model", Command.tinyModel("llama")]
    let result = try Command.run(words, input: "text")
    #expect(result.status == 1 && result.errors.contains("--template"))
    #expect(try Command.run(words + ["--raw"], input: "text").status == 0)
  }
}
