/// One conversation as a template sees it.
package struct ChatTemplateInput: Sendable {
  /// Objects with `role`, `content` and whatever else the template reads (`tool_calls`, `name`).
  ///
  /// Arguments of tool calls should be objects: that is what templates of today expect.
  package var messages: [OrderedJSON]
  /// Definitions of functions; where it is nil the name `tools` is not defined.
  package var tools: [OrderedJSON]?
  /// Whether the prompt ends with the start of an answer.
  package var addGenerationPrompt: Bool
  /// Control tokens by the name templates know them by, such as `bos_token`.
  ///
  /// Only these, the template's own text and the roles may become control tokens.
  package var controlTokens: [OrderedJSON.Member]
  /// More variables: `enable_thinking`, `documents`, `custom_tools`.
  package var variables: [OrderedJSON.Member]
  /// Where `strftime_now` gets the time from.
  package var clock: TemplateClock

  package init(
    messages: [OrderedJSON], tools: [OrderedJSON]? = nil, addGenerationPrompt: Bool = true,
    beginningOfSequence: String? = nil, endOfSequence: String? = nil,
    variables: [OrderedJSON.Member] = [], clock: TemplateClock = .system
  ) {
    self.messages = messages
    self.tools = tools
    self.addGenerationPrompt = addGenerationPrompt
    self.variables = variables
    self.clock = clock
    controlTokens = []
    if let text = beginningOfSequence { controlTokens.append(.init("bos_token", .string(text))) }
    if let text = endOfSequence { controlTokens.append(.init("eos_token", .string(text))) }
  }

  /// Reads an input from one JSON object, as a line of a file or the body of a request.
  ///
  /// The members are `messages`, `tools`, `add_generation_prompt` (false where it is absent), `now`
  /// (`2026-01-15T09:30:00`), control tokens under names that end in `_token`, and any further
  /// variables. A member that is null counts as absent, but for further variables.
  ///
  /// - Parameters:
  ///   - json: The object.
  ///   - ignored: Members that are no variables, such as `source`.
  /// - Throws: `input` where a member is of the wrong type or `messages` is absent.
  package init(
    json: OrderedJSON, ignoring ignored: Set<String> = []
  ) throws(ChatTemplateError) {
    guard case .object(let members) = json else { throw .input(reason: "it must be an object") }
    guard let messages = json["messages"]?.arrayValue else {
      throw .input(reason: "'messages' must be an array")
    }
    self.init(messages: messages, addGenerationPrompt: false)
    for member in members where !ignored.contains(member.name) {
      try read(member)
    }
  }

  private mutating func read(_ member: OrderedJSON.Member) throws(ChatTemplateError) {
    let isNull = member.value == .null
    switch member.name {
    case "messages": break
    case "tools" where !isNull:
      tools = member.value.arrayValue
      if tools == nil { throw .input(reason: "'tools' must be an array") }
    case "add_generation_prompt" where !isNull:
      guard let flag = member.value.boolValue else {
        throw .input(reason: "'add_generation_prompt' must be true or false")
      }
      addGenerationPrompt = flag
    case "now" where !isNull:
      guard let time = member.value.stringValue.flatMap({ CivilTime(iso8601: $0) }) else {
        throw .input(reason: "'now' must be a time such as 2026-01-15T09:30:00")
      }
      clock = .fixed(time)
    case "tools", "add_generation_prompt", "now": break
    case let name where name.hasSuffix("_token"):
      guard isNull || member.value.stringValue != nil else {
        throw .input(reason: "'\(name)' must be a string")
      }
      if !isNull { controlTokens.append(member) }
    default: variables.append(member)
    }
  }

  /// All variables; later ones win over earlier ones of the same name.
  func templateVariables() throws(TemplateFailure) -> [(name: String, value: TemplateValue)] {
    var all: [(name: String, value: TemplateValue)] = []
    for variable in variables {
      all.append((variable.name, try TemplateValue(variable.value, origin: .variable)))
    }
    for token in controlTokens {
      all.append((token.name, try TemplateValue(token.value, origin: .template)))
    }
    var converted: [TemplateValue] = []
    for (index, message) in messages.enumerated() {
      converted.append(try TemplateValue(message: message, index: index))
    }
    all.append(("messages", try .list(converted)))
    if let tools { all.append(("tools", try TemplateValue(.array(tools), origin: .tools))) }
    all.append(("add_generation_prompt", .bool(addGenerationPrompt)))
    return all
  }
}

extension TemplateValue {
  init(_ json: OrderedJSON, origin: PromptOrigin) throws(TemplateFailure) {
    try self.init(json, origin: origin, level: 0)
  }

  private init(_ json: OrderedJSON, origin: PromptOrigin, level: Int) throws(TemplateFailure) {
    switch json {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .int(let number): self = .int(number)
    case .double(let number): self = .double(number)
    case .number(let text): self = .double(Double(text) ?? .nan)
    case .string(let text):
      self = .string(TemplateString(bytes: Array(text.utf8), origin: origin))
    case .array(let elements):
      let level = try Self.checkedDepth(level + 1)
      var values: [TemplateValue] = []
      values.reserveCapacity(elements.count)
      for element in elements {
        values.append(try TemplateValue(element, origin: origin, level: level))
      }
      self = try .list(values)
    case .object(let members):
      let level = try Self.checkedDepth(level + 1)
      var dictionary = TemplateDictionary()
      for member in members {
        let name = TemplateString(bytes: Array(member.name.utf8), origin: origin)
        try dictionary.set(
          .string(name), to: TemplateValue(member.value, origin: origin, level: level))
      }
      self = .dictionary(dictionary)
    }
  }

  /// A message: its role counts as text of the template, everything else as content.
  ///
  /// Templates build control tokens from roles, as in `'<|' + message.role + '|>'`. A role that is
  /// more than a word stays content, so that nothing can be smuggled in through it.
  init(message: OrderedJSON, index: Int) throws(TemplateFailure) {
    self = try TemplateValue(message, origin: .message(index))
    guard case .dictionary(var dictionary) = self, let role = message["role"]?.stringValue,
      role.utf8.allSatisfy(Self.belongsToRole)
    else { return }
    try dictionary.set("role", to: .text(role))
    self = .dictionary(dictionary)
  }

  private static func belongsToRole(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
