import Foundation
import Tokenization

let templateVerb = Verb(
  "template", usage: "",
  summary: "JSON Lines of chat templates and conversations to prompts",
  details: """
    in:  {"source":"…", "messages":[…], "tools":[…], "add_generation_prompt":false,
          "bos_token":"…", "eos_token":"…", "now":"2026-01-15T09:30:00"}
    out: {"text":"…"}, or {"error":"…"} with line and column in the source
    Of the input only "source" and "messages" are needed. "now" is what strftime_now shows, the time
    of this machine where it is left out. All other members are variables of the template:
    "enable_thinking", "documents". Blank lines are passed over.
    """
) { arguments in
  try arguments.refuseOperands()
  var printer = TemplatePrinter()
  try await JSONLines.answer { request in
    [.init("text", .string(try printer.text(request)))]
  }
}

/// Renders templates; many lines in a row may have the same one.
private struct TemplatePrinter {
  private var last: ChatTemplate?

  /// The prompt of a line.
  ///
  /// - Throws: Why the line makes no sense, or what the template objects to.
  mutating func text(_ request: [OrderedJSON.Member]) throws -> String {
    guard let source = try request.text("source") else {
      throw RequestError("\"source\" is missing")
    }
    let input = try ChatTemplateInput(json: .object(request), ignoring: ["source"])
    if let last, last.source.utf8.elementsEqual(source.utf8) { return try last.render(input) }
    let template = try ChatTemplate(source: source)
    last = template
    return try template.render(input)
  }
}
