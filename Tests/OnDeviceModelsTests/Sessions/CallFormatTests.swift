import Foundation
import GGUF
import OnDeviceModels
import TestSupport
import Testing
import Tokenization

/// How calls of tools are written, found out from templates and read back.
@Suite struct CallFormatTests {
  private struct Template: Decodable {
    var template: String
    var source: String
  }

  private func format(ofTemplate name: String) throws -> ToolCallFormat? {
    guard let file = TestData.sharedFile("goldens/templates/templates.jsonl") else { return nil }
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let template = try JSONDecoder().decode(Template.self, from: Data(line.utf8))
      if template.template == name { return try format(of: template.source) }
    }
    return nil
  }

  private func format(of source: String) throws -> ToolCallFormat {
    let file = try GGUFFile(path: TinyModel.path)
    let renderer = try PromptRenderer(
      file: file, tokenizer: Tokenizer(file: file), path: TinyModel.path, .source(source))
    return ToolCallFormat(of: try #require(renderer))
  }

  private static let isThere = TestData.sharedFile("goldens/templates/templates.jsonl") != nil

  @Test(
    .enabled(if: isThere, "public templates are not part of the repository"),
    arguments: [
      "Qwen-Qwen2.5-7B-Instruct", "Qwen-Qwen3-0.6B", "MiMo-VL",
      "NousResearch-Hermes-3-Llama-3.1-8B-tool_use",
    ])
  func theFormatOfATemplateIsFound(_ name: String) throws {
    let format = try #require(try format(ofTemplate: name))
    #expect(format.isOfTemplate)
    #expect(format.opening == "<tool_call>\n{\"name\": \"")
    #expect(format.between == "\", \"arguments\": ")
    #expect(format.joint == "}\n</tool_call>\n<tool_call>\n{\"name\": \"")
    #expect(format.closing == "}\n</tool_call>")
  }

  @Test(
    .enabled(if: isThere, "public templates are not part of the repository"),
    arguments: [
      // No tools at all; no calls; calls of another kind than JSON.
      "HuggingFaceTB-SmolLM2-135M-Instruct", "LFM2.5-Instruct", "google-gemma-2-2b-it",
      "Qwen3-Coder", "mistralai-Mistral-Nemo-Instruct-2407",
    ])
  func aTemplateWithoutAUsableFormatGetsTheStandardOne(_ name: String) throws {
    #expect(try format(ofTemplate: name) == .standard)
  }

  @Test func aFormatOfItsOwnIsFoundWithItsMarks() throws {
    let source = """
      {% for m in messages %}{{ '<|im_start|>' ~ m.role ~ '\\n' ~ m.content }}\
      {% if m.tool_calls %}[CALLS]{% for c in m.tool_calls %}{{ c.function.name }}=\
      {{ c.function.arguments | tojson }}{{ ';' if not loop.last }}{% endfor %}[END]\
      {% endif %}{{ '<|im_end|>\\n' }}{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}
      """
    let format = try format(of: source)
    #expect(
      format
        == ToolCallFormat(
          opening: "[CALLS]", between: "=", joint: ";", closing: "[END]", isOfTemplate: true))
  }

  // MARK: Reading

  private func events(
    _ text: String, by size: Int, behind lead: String = "", names: [String] = ["gate", "gates"]
  ) -> [CallReader.Event] {
    var reader = CallReader(.standard, names: names, behind: lead)
    var events: [CallReader.Event] = []
    var rest = Array(text)[...]
    while !rest.isEmpty {
      events += reader.append(String(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return events + reader.finish()
  }

  /// What events add up to: texts, and arguments by call.
  private func sum(_ events: [CallReader.Event]) -> (text: String, calls: [[String]]) {
    var result: (text: String, calls: [[String]]) = ("", [])
    for event in events {
      switch event {
      case .text(let text): result.text += text
      case .arguments(let index, let name, let text):
        if index == result.calls.count { result.calls.append([name, ""]) }
        result.calls[index][1] += text
      }
    }
    return result
  }

  @Test(arguments: [1, 2, 3, 7, 1000])
  func callsAreReadHoweverTheTextIsCut(_ size: Int) {
    let text = """
      <tool_call>
      {"name": "gates", "arguments": {"a": "}]\\"{", "b": [1, {"c": "é"}]}}
      </tool_call>
      <tool_call>
      {"name": "gate", "arguments": {}}
      </tool_call>
      """
    let (rest, calls) = sum(events(text, by: size))
    #expect(rest.isEmpty)
    #expect(calls == [["gates", #"{"a": "}]\"{", "b": [1, {"c": "é"}]}"#], ["gate", "{}"]])
    let lead = "<tool_call>"
    let behind = sum(events(String(text.dropFirst(lead.count)), by: size, behind: lead))
    #expect(behind.calls == calls)
  }

  @Test(arguments: [1, 4, 1000])
  func whatIsNoCallIsText(_ size: Int) {
    for text in [#"{"name": "gate"}"#, "<tool", "<tool_call>\n{\"name\": \"other\"", "plain é"] {
      let (rest, calls) = sum(events(text, by: size))
      #expect(rest == text && calls.isEmpty)
    }
  }

  @Test func argumentsComeAsTheyAreWritten() {
    let lead = "<tool_call>\n{\"name\": \"gate\", \"arguments\": "
    let events = events(lead + #"{"a": 1}}"#, by: 1)
    #expect(events.count == 1 + #"{"a": 1}"#.count)
    #expect(events.first == .arguments(call: 0, name: "gate", ""))
  }
}
