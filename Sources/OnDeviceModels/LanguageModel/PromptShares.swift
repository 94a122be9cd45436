internal import LanguageModels
internal import Tokenization

/// Which bytes of a rendered prompt are for what.
///
/// Content counts for what it is. What the template writes counts for the definitions of tools
/// beside it, else for the instructions before it (those at the very beginning for the
/// instructions behind it), else for the prompts, as the marks between entries do.
struct PromptShares {
  /// Stretches in order, each up to its end.
  private var stretches: [(end: Int, share: PromptShare)] = []

  init(_ parts: [PromptPart], _ messages: [PromptMessages.Message]) {
    var known: [(count: Int, share: PromptShare?)] = []
    var readers = messages.indices.map { index in
      SectionReader(messages[index], rendered: Self.content(of: index, in: parts))
    }
    for part in parts {
      let count = part.text.utf8.count
      switch part.origin {
      case .template, .variable: known.append((count, nil))
      case .tools: known.append((count, .tools))
      case .message(let index):
        guard readers.indices.contains(index) else {
          known.append((count, .prompts))
          continue
        }
        for piece in readers[index].take(count) { known.append((piece.count, piece.share)) }
      }
    }
    var end = 0
    for index in known.indices {
      end += known[index].count
      stretches.append((end, known[index].share ?? Self.share(ofTemplateAt: index, known)))
    }
  }

  /// All that a prompt holds of one message.
  private static func content(of index: Int, in parts: [PromptPart]) -> [UInt8] {
    parts.flatMap { $0.origin == .message(index) ? Array($0.text.utf8) : [] }
  }

  private static func share(
    ofTemplateAt index: Int, _ known: [(count: Int, share: PromptShare?)]
  ) -> PromptShare {
    let before = known[..<index].last { $0.share != nil }?.share
    let after = known[(index + 1)...].first { $0.share != nil }?.share
    if before == .tools || after == .tools { return .tools }
    if before == .instructions || before == nil && after == .instructions { return .instructions }
    return .prompts
  }

  /// How the tokens fill the window.
  ///
  /// - Parameters:
  ///   - places: for each token the byte at which it begins, ascending.
  ///   - contextSize: tokens that fit.
  /// - Returns: counts that add up to the number of tokens.
  func usage(places: [Int], contextSize: Int) -> LanguageModelSession.ContextUsage {
    var usage = LanguageModelSession.ContextUsage(contextSize: contextSize)
    var index = 0
    for place in places {
      while index < stretches.count - 1, stretches[index].end <= place { index += 1 }
      switch stretches.isEmpty ? .prompts : stretches[index].share {
      case .instructions: usage.instructions += 1
      case .tools: usage.tools += 1
      case .schema: usage.schema += 1
      case .prompts: usage.prompts += 1
      case .toolOutput: usage.toolOutput += 1
      case .responses: usage.responses += 1
      }
    }
    return usage
  }
}

/// Cuts what a prompt holds of one message into the message's sections.
private struct SectionReader {
  /// Sections as far as they were found, each up to its end.
  private var sections: [(end: Int, share: PromptShare)] = []
  private var position = 0

  /// - Parameters:
  ///   - message: the message.
  ///   - rendered: all that the prompt holds of it: its content, perhaps with white space cut off
  ///     or with other members around it.
  init(_ message: PromptMessages.Message, rendered: [UInt8]) {
    // What is no section is a call of a tool.
    let first = message.sections.first?.share ?? .responses
    var start = rendered.count
    // From the last one backwards: what stands behind a prompt is ours and is found exactly.
    for section in message.sections.dropFirst().reversed() {
      let text = Self.trimmed(section.text)
      guard let place = Self.lastPlace(of: text, in: rendered[..<start]) else { continue }
      sections.insert((start, section.share), at: 0)
      start = place
    }
    sections.insert((start, first), at: 0)
    if let last = sections.indices.last { sections[last].end = rendered.count }
  }

  private static func trimmed(_ text: String) -> [UInt8] {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let bytes = Array(text.utf8)
    let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return Array(bytes[start..<end])
  }

  private static func lastPlace(of text: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard !text.isEmpty, text.count <= bytes.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - text.count)).last { start in
      bytes[start..<start + text.count].elementsEqual(text)
    }
  }

  /// The next bytes, by section.
  mutating func take(_ count: Int) -> [(count: Int, share: PromptShare)] {
    let end = position + count
    var result: [(count: Int, share: PromptShare)] = []
    for section in sections where section.end > position && position < end {
      let next = min(section.end, end)
      result.append((next - position, section.share))
      position = next
    }
    if position < end {
      result.append((end - position, sections.last?.share ?? .prompts))
      position = end
    }
    return result
  }
}
