internal import LanguageModels
internal import Tokenization

/// One response as the model wrote it.
///
/// A transcript keeps values, not how their JSON was spaced, and text, not how it was split into
/// tokens. A prompt that spells or splits them otherwise would not begin with the tokens that the KV
/// cache holds.
struct WrittenResponse: Sendable {
  /// The entries that the response became.
  var entryIDs: [String]
  /// What the entries say; a response whose entries say something else now is written anew.
  var contents: [GeneratedContent]
  var text: String
  var tokens: [TokenID]
}

/// The last responses as the model wrote them.
struct WrittenResponses: Sendable {
  private var responses: [WrittenResponse] = []
  private var tokenCount = 0

  private static let mostTokens = 1 << 17

  mutating func remember(_ response: WrittenResponse) {
    responses.append(response)
    tokenCount += response.tokens.count
    while tokenCount > Self.mostTokens, responses.count > 1 {
      tokenCount -= responses.removeFirst().tokens.count
    }
  }

  /// How some entries were written, if they are one response and still say the same.
  func response(ofEntries ids: [String], contents: [GeneratedContent]) -> WrittenResponse? {
    responses.last { response in
      response.entryIDs == ids
        && response.contents.elementsEqual(contents) {
          $0.jsonString == $1.jsonString
        }
    }
  }
}

extension Transcript.Response {
  /// What the entry says.
  var writtenContent: GeneratedContent {
    if segments.count == 1, case .structure(let segment) = segments[0] { return segment.content }
    return GeneratedContent(segments.compactMap(\.text).joined(separator: "\n"))
  }
}

extension Transcript.ToolCalls {
  /// What the entry says.
  var writtenContent: GeneratedContent {
    .calls(map { ($0.toolName, $0.arguments) })
  }
}

extension GeneratedContent {
  /// Calls of tools as one value.
  static func calls(_ calls: [(name: String, arguments: GeneratedContent)]) -> GeneratedContent {
    GeneratedContent(
      kind: .array(
        calls.map { GeneratedContent(kind: .array([GeneratedContent($0.name), $0.arguments])) }))
  }
}
