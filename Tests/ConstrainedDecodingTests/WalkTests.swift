import ConstrainedDecoding
import Foundation
import TestSupport
import Testing
import Tokenization

/// Another implementation of JSON Schema: the Python package `jsonschema`, which scripts/test puts
/// into the build folder.
enum PythonValidator {
  private static let packages: String = {
    let build = ProcessInfo.processInfo.environment["HEARTH_BUILD"].map { URL(filePath: $0) }
    return (build ?? TestData.root.appending(path: ".build")).appending(path: "python")
      .path(percentEncoded: false)
  }()

  /// Whether python3 can validate.
  static let isAvailable = (try? run("import jsonschema", lines: [])) != nil

  struct Failure: Error {
    var status: Int32
  }

  /// Reads lines of `{"schema":…,"text":"…"}` and prints what is wrong with any.
  ///
  /// Numbers stay exact; whole ones are integers however they are written. Declared keys must stand
  /// in their order.
  static let program = #"""
    import json, sys
    from decimal import Decimal
    from jsonschema import Draft202012Validator, FormatChecker

    def number(text):
        value = Decimal(text)
        return int(value) if value == value.to_integral_value() else value

    def read(text):
        return json.loads(text, parse_float=number)

    for line in sys.stdin:
        row = read(line)
        schema = row["schema"]
        try:
            value = read(row["text"])
        except ValueError as error:
            print("not JSON:", row["text"], error)
            continue
        validator = Draft202012Validator(schema, format_checker=FormatChecker())
        for error in validator.iter_errors(value):
            print(json.dumps(row, default=str), "->", error.message)
        if isinstance(value, dict) and isinstance(schema, dict):
            declared = list(schema.get("properties", {}))
            places = [declared.index(key) for key in value if key in declared]
            if places != sorted(places):
                print("order:", row["text"])
    """#

  /// What a Python program prints.
  static func run(_ program: String, lines: [String]) throws -> String {
    let python = Process()
    python.executableURL = URL(filePath: "/usr/bin/env")
    python.arguments = ["python3", "-c", program]
    python.environment = ProcessInfo.processInfo.environment.merging(
      ["PYTHONPATH": packages, "PYTHONIOENCODING": "utf-8"]) { $1 }
    let input = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: input)
    defer { try? FileManager.default.removeItem(at: input) }
    let output = Pipe()
    python.standardInput = try FileHandle(forReadingFrom: input)
    python.standardOutput = output
    python.standardError = FileHandle.nullDevice
    try python.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    python.waitUntilExit()
    guard python.terminationStatus == 0 else {
      throw Failure(status: python.terminationStatus)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

@Suite(
  .enabled(
    if: PythonValidator.isAvailable, "skipped: python3 with jsonschema is not there"))
struct WalkTests {
  static let schemas = [
    RealVocabularyTests.schema,
    #"{"type":"object","properties":{"b":{"type":"integer","multipleOf":7},"a":{"type":"number","exclusiveMinimum":-1.5,"maximum":2.25}},"required":["a"]}"#,
    #"{"type":"array","items":{"anyOf":[{"type":"null"},{"type":"string","minLength":2,"maxLength":4},{"type":"array","maxItems":2}]},"minItems":2,"maxItems":4}"#,
    #"{"type":"object","patternProperties":{"^x":{"type":"integer"}},"additionalProperties":{"type":"string","maxLength":3},"maxProperties":3}"#,
    ##"{"type":"object","properties":{"kind":{"enum":["a","b",3,null,{"x":[1,"y"]}]},"next":{"$ref":"#"}},"required":["kind"]}"##,
    #"{"oneOf":[{"type":"object","properties":{"t":{"const":"p"},"v":{"type":"string","pattern":"^[A-Z]{2}\\d+$"}},"required":["t","v"]},{"type":"object","properties":{"t":{"const":"q"},"v":{"type":"boolean"}},"required":["t","v"]}]}"#,
    #"{"type":"array","prefixItems":[{"type":"string","format":"date"},{"type":"string","format":"ipv4"},{"type":"string","format":"uuid"}],"items":{"type":"boolean"},"minItems":3,"maxItems":5}"#,
    #"{"allOf":[{"type":"object","properties":{"a":{"minimum":3}}},{"properties":{"a":{"type":"integer","maximum":12},"c":{"not":{"type":"string"}}},"required":["a","c"]}]}"#,
    #"{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":true,"propertyNames":{"maxLength":3},"minProperties":1}"#,
    #"{"type":"object","properties":{"d":{"type":"string"},"e":{"type":"string"}},"dependentRequired":{"d":["e"]},"if":{"required":["e"]},"then":{"properties":{"e":{"minLength":1}}}}"#,
    #"{"type":"array","contains":{"type":"integer","minimum":5},"items":{"type":["integer","string"]}}"#,
    #"{"type":"number","multipleOf":0.25,"minimum":-3,"maximum":3}"#,
    #"true"#,
  ]

  /// Chooses random legal tokens until the value ends, by itself or closed near the budget.
  private func walk(_ grammar: CompiledGrammar, seed: UInt64) throws -> [UInt8]? {
    var random = SeededGenerator(seed: seed)
    var session = GrammarSession(grammar, budget: 250)
    var text: [UInt8] = []
    while true {
      switch try session.step() {
      case .finished(.complete): return text
      case .finished(let outcome):
        Issue.record("\(outcome), seed \(seed): \(String(decoding: text, as: UTF8.self))")
        return nil
      case .feed(let tokens): text += tokens.flatMap { Array(grammar.table.bytes(of: $0)) }
      case .choose(let mask):
        let token = try #require(mask.tokens.randomElement(using: &random))
        let isEnd = grammar.table.endTokens.contains(token)
        if try session.accept(token), !isEnd { text += Array(grammar.table.bytes(of: token)) }
      }
    }
  }

  private func check(
    _ table: TokenTable, _ whitespace: JSONSchemaOptions.Whitespace, seeds: ClosedRange<Int>
  ) throws {
    var options = JSONSchemaOptions()
    options.whitespace = whitespace
    var lines: [String] = []
    for schema in Self.schemas {
      let compiled = try CompiledGrammar(
        try Grammar(jsonSchema: schema, options: options), table)
      for seed in seeds {
        guard let text = try walk(compiled, seed: UInt64(seed)) else { continue }
        let line: OrderedJSON = [
          "schema": try OrderedJSON(parsing: schema),
          "text": .string(String(decoding: text, as: UTF8.self)),
        ]
        lines.append(line.serialized())
      }
    }
    #expect(lines.count == Self.schemas.count * seeds.count)
    #expect(try PythonValidator.run(PythonValidator.program, lines: lines) == "")
  }

  @Test(arguments: [
    JSONSchemaOptions.Whitespace.compact, .bounded, .free,
  ])
  func randomWalksAreValid(_ whitespace: JSONSchemaOptions.Whitespace) throws {
    try check(TestVocabulary.small, whitespace, seeds: TestData.isRelease ? 1...40 : 1...6)
  }

  @Test(arguments: RealVocabulary.available)
  func randomWalksOverRealVocabulariesAreValid(_ vocabulary: RealVocabulary) throws {
    try check(
      try vocabulary.load().table, .bounded, seeds: TestData.isRelease ? 1...5 : 1...1)
  }
}
