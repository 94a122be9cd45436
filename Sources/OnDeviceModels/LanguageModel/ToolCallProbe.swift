internal import Foundation
internal import Tokenization

/// Finds out how a chat template writes calls of tools, by having it write some.
///
/// A template counts as one that knows tools if it shows their definitions, calls and outputs, and
/// writes a call as its name and its arguments as JSON with fixed texts around them. A format that
/// repeats the identifiers of calls does not count: a model would have to make them up.
struct ToolCallProbe {
  private let renderer: PromptRenderer

  private static let question = "probe question"
  private static let answer = "probe answer"
  private static let names = ["probe_first", "probe_second"]
  private static let identifiers = ["probecal1", "probecal2"]
  private static let outputs = ["probe output 1", "probe output 2"]
  private static let purpose = "probe purpose"

  init(_ renderer: PromptRenderer) { self.renderer = renderer }

  /// The format of the template, nil where it has none that counts.
  var format: ToolCallFormat? {
    // The last answer of a talk may get a mark of its own, as an empty thought.
    let talks = [[Self.user, Self.plainAnswer, Self.user], [Self.user, Self.plainAnswer]]
    for talk in talks {
      guard let text = text(talk), let start = text.range(of: Self.answer)?.lowerBound else {
        continue
      }
      let lead = String(text[..<start])
      if let format = format(calls: 2, behind: lead) ?? format(calls: 1, behind: lead) {
        return format
      }
    }
    return nil
  }

  private func format(calls count: Int, behind lead: String) -> ToolCallFormat? {
    let calls = (0..<count).map(Self.call)
    let outputs = (0..<count).map(Self.output)
    guard let whole = text([Self.user, Self.message(calls: calls)] + outputs),
      whole.contains(Self.purpose), whole.hasPrefix(lead),
      (0..<count).allSatisfy({ whole.contains(Self.outputs[$0]) })
    else { return nil }
    var rest = whole.dropFirst(lead.count)
    // The call alone, without what the template writes behind it, such as outputs.
    guard let end = endOfTurn(in: rest) else { return nil }
    rest = rest[..<end]
    var texts: [String] = []
    for index in 0..<count {
      guard let name = rest.range(of: Self.names[index]) else { return nil }
      texts.append(String(rest[..<name.lowerBound]))
      rest = rest[name.upperBound...]
      guard let arguments = rest.firstMatch(of: /\{\s*"probe_key"\s*:\s*"probe value"\s*\}/) else {
        return nil
      }
      texts.append(String(rest[..<arguments.range.lowerBound]))
      rest = rest[arguments.range.upperBound...]
    }
    let closing = String(rest.reversed().drop(while: \.isWhitespace).reversed())
    let identifier = Self.identifiers.contains { id in
      closing.contains(id) || texts.contains { $0.contains(id) }
    }
    guard !identifier, count == 1 || texts[1] == texts[3] else { return nil }
    return ToolCallFormat(
      opening: String(texts[0].drop(while: \.isWhitespace)), between: texts[1],
      joint: count == 2 ? texts[2] : nil, closing: closing, isOfTemplate: true)
  }

  /// Where the first token stands that ends a turn.
  private func endOfTurn(in text: Substring) -> Substring.Index? {
    let vocabulary = renderer.tokenizer.vocabulary
    return vocabulary.endOfGeneration.compactMap { token in
      text.range(of: vocabulary.text(of: token))?.lowerBound
    }.min()
  }

  private func text(_ messages: [OrderedJSON]) -> String? {
    let tools = Self.names.map { name -> OrderedJSON in
      [
        "type": "function",
        "function": [
          "name": .string(name), "description": .string(Self.purpose),
          "parameters": [
            "type": "object", "properties": ["probe_key": ["type": "string"]],
            "required": ["probe_key"],
          ],
        ],
      ]
    }
    let parts = try? renderer.parts(messages: messages, tools: tools, addGenerationPrompt: false)
    return parts?.map(\.text).joined()
  }

  private static let user: OrderedJSON = ["role": "user", "content": .string(question)]
  private static let plainAnswer: OrderedJSON = [
    "role": "assistant", "content": .string(answer),
  ]

  private static func message(calls: [OrderedJSON]) -> OrderedJSON {
    ["role": "assistant", "content": "", "tool_calls": .array(calls)]
  }

  private static func call(_ index: Int) -> OrderedJSON {
    [
      "id": .string(identifiers[index]), "type": "function",
      "function": ["name": .string(names[index]), "arguments": ["probe_key": "probe value"]],
    ]
  }

  private static func output(_ index: Int) -> OrderedJSON {
    [
      "role": "tool", "name": .string(names[index]), "tool_call_id": .string(identifiers[index]),
      "content": .string(outputs[index]),
    ]
  }
}
