import Foundation
import LanguageModels
import TestSupport
import Testing

@Suite struct TranscriptTests {
  private static let whole = Transcript(entries: [
    .instructions(
      .init(
        id: "i", segments: [.text(.init(id: "s", content: "Be kind."))],
        toolDefinitions: [.init(tool: GateTool())])),
    .prompt(
      .init(
        id: "p", metadata: ["turn": 1, "who": "ben"],
        segments: [
          .text(.init(content: "Héllo “you” \n مرحبا")),
          .structure(
            .init(schemaName: "Booking", content: GeneratedContent(Booking(code: "Z", guests: 1)))),
          .attachment(
            .init(content: .image(.init(imageURL: URL(filePath: "/a.png"))), label: "picture")),
        ],
        options: GenerationOptions(
          samplingMode: .random(probabilityThreshold: 0.9, seed: 42), temperature: 0.25,
          maximumResponseTokens: 100, toolCallingMode: .required),
        responseFormat: .init(type: Booking.self),
        contextOptions: ContextOptions(includeSchemaInPrompt: false, reasoningLevel: .custom("x")))),
    .reasoning(.init(segments: [.text(.init(content: "Hm"))], signature: Data([0, 255]))),
    .toolCalls(
      .init(
        id: "c",
        [
          .init(
            id: "1", metadata: ["tag": true], toolName: "gate",
            arguments: GeneratedContent(properties: ["z": 1, "a": 9_007_199_254_740_993]))
        ])),
    .toolOutput(.init(id: "1", toolName: "gate", segments: [.text(.init(content: "gate 5"))])),
    .response(.init(assetIDs: ["model"], segments: [.text(.init(content: "5"))])),
  ])

  @Test func savingAndReadingGivesAnEqualTranscript() throws {
    let data = try JSONEncoder().encode(Self.whole)
    let read = try JSONDecoder().decode(Transcript.self, from: data)
    #expect(read == Self.whole)
    guard case .toolCalls(let calls) = read[3] else { return }
    #expect(calls.first?.arguments.jsonString == #"{"z": 1, "a": 9007199254740993}"#)
    #expect(read.kinds == Self.whole.kinds)
  }

  @Test func theTranscriptOfASessionCanBeSavedAndTakenUpAgain() async throws {
    let model = ScriptedModel([
      { _, channel in await channel.call("1", "gate", #"{"flight": "A1"}"#) },
      { _, channel in await channel.say(#"{"code": "A1", "guests": 2}"#) },
      { _, channel in await channel.say("Yes") },
    ])
    let session = LanguageModelSession(model: model, tools: [GateTool()], instructions: "Help.")
    try await session.respond(to: "?", generating: Booking.self)
    let data = try JSONEncoder().encode(session.transcript)
    let transcript = try JSONDecoder().decode(Transcript.self, from: data)
    #expect(transcript == session.transcript)
    let again = LanguageModelSession(model: model, tools: [GateTool()], transcript: transcript)
    try await again.respond(to: "And now?")
    #expect(model.requests.last?.transcript.count == 6)
    #expect(model.requests.last?.enabledToolDefinitions.count == 1)
  }

  /// The form that other programs write: values as objects, arguments as strings of JSON.
  @Test func otherFormsAreReadToo() throws {
    let json = #"""
      {"type": "FoundationModels.Transcript", "version": 1, "transcript": {"entries": [
        {"role": "instructions", "id": "1", "contents": [{"type": "text", "id": "2", "text": "Hi"}]},
        {"role": "user", "contents": [{"type": "text", "text": "Go"}], "options": {}, "extra": 1},
        {"role": "response", "id": "3",
         "toolCalls": [{"id": "4", "name": "gate", "arguments": "{\"flight\": \"A\"}"}]},
        {"role": "tool", "id": "5", "toolCallID": "4", "toolName": "gate", "contents": []},
        {"role": "response", "id": "6", "assets": [], "contents": [{"type": "structure", "id": "7",
         "structure": {"source": "Booking", "content": {"code": "A", "guests": [1, 2.5, null, true]}}}]}
      ]}}
      """#
    let transcript = try JSONDecoder().decode(Transcript.self, from: Data(json.utf8))
    #expect(
      transcript.kinds == ["instructions", "prompt", "toolCalls", "toolOutput", "response"])
    guard case .toolCalls(let calls) = transcript[2], case .toolOutput(let output) = transcript[3],
      case .response(let response) = transcript[4],
      case .structure(let segment)? = response.segments.first
    else {
      Issue.record("other entries")
      return
    }
    #expect(calls.first?.arguments == GeneratedContent(properties: ["flight": "A"]))
    #expect(output.id == "4")
    #expect(try segment.content.value(String.self, forProperty: "code") == "A")
    let guests = try segment.content.value(GeneratedContent.self, forProperty: "guests")
    #expect(guests.jsonString == "[1, 2.5, null, true]")
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"transcript": {"entries": [{"role": "ghost"}]}}"#,
    #"{"transcript": {"entries": [{"role": "user", "contents": [{"type": "text"}]}]}}"#,
    #"{"transcript": {"entries": 3}}"#,
  ])
  func whatIsNoTranscriptIsADecodingError(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Transcript.self, from: Data(json.utf8))
    }
  }

  @Test func aTranscriptIsACollection() {
    var transcript = Self.whole
    #expect(transcript.count == 6)
    transcript.removeLast(2)
    transcript.insert(contentsOf: Self.whole.suffix(1), at: 1)
    #expect(transcript.kinds == ["instructions", "response", "prompt", "reasoning", "toolCalls"])
    transcript[0] = transcript[1]
    #expect(transcript.kinds.first == "response")
    transcript += Self.whole.prefix(1)
    #expect(transcript.count == 6)
    #expect(Transcript().isEmpty)
    #expect(Transcript(entries: []).startIndex == 0)
  }

  @Test func theHistoryIsWhatFollowsTheInstructions() {
    var transcript = Self.whole
    #expect(transcript.history.count == 5)
    transcript.history.removeFirst(4)
    #expect(transcript.kinds == ["instructions", "response"])
    transcript.history = []
    #expect(transcript.kinds == ["instructions"])
    var bare = Transcript()
    bare.history.append(Self.whole[5])
    #expect(bare.kinds == ["response"])
  }

  @Test func entriesDescribeThemselves() {
    let texts = Self.whole.map(\.description)
    #expect(texts[0].contains("Be kind."))
    #expect(texts[0].contains("gate"))
    #expect(texts[1].contains(#"{"code": "Z", "guests": 1}"#))
    #expect(texts[3].contains(#"gate({"z": 1, "a": 9007199254740993})"#))
    #expect(texts[4].contains("gate 5"))
  }

  @Test func anImageIsFoundByItsLabel() throws {
    let reference = try ImageReference(GeneratedContent(properties: ["attachmentLabel": "picture"]))
    #expect(reference.resolve(in: Self.whole)?.url == URL(filePath: "/a.png"))
    let other = try ImageReference(GeneratedContent(properties: ["attachmentLabel": "other"]))
    #expect(other.resolve(in: Self.whole) == nil)
  }

  @Test func feedbackIsJSONWithTheTranscript() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying("Yes"))
    try await session.respond(to: "?")
    let data = session.logFeedbackAttachment(
      sentiment: .negative, issues: [.init(category: .incorrect, explanation: "It is no.")],
      desiredResponseText: "No")
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["sentiment"] as? String == "negative")
    let issues = try #require(object["issues"] as? [[String: String]])
    #expect(issues == [["category": "incorrect", "explanation": "It is no."]])
    #expect(String(decoding: data, as: UTF8.self).contains(#""text" : "No""#))
    #expect(object["transcript"] != nil)
    let more = session.logFeedbackAttachment(
      sentiment: nil, desiredResponseContent: Booking(code: "A", guests: 1))
    #expect(String(decoding: more, as: UTF8.self).contains("Booking"))
    #expect(!session.logFeedbackAttachment(sentiment: .positive).isEmpty)
  }
}
