import LanguageModels
import Synchronization
import TestSupport
import Testing

#if HEARTH_MACROS
extension SessionPropertyValues {
  @SessionPropertyEntry var isUrgent: Bool = false
  @SessionPropertyEntry var topics: [String] = []
}
#else
extension SessionPropertyValues {
  private enum UrgencyKey: SessionPropertyKey {
    static var defaultValue: Bool { false }
  }
  private enum TopicsKey: SessionPropertyKey {
    static var defaultValue: [String] { [] }
  }

  var isUrgent: Bool {
    get { self[UrgencyKey.self] }
    set { self[UrgencyKey.self] = newValue }
  }
  var topics: [String] {
    get { self[TopicsKey.self] }
    set { self[TopicsKey.self] = newValue }
  }
}
#endif

/// What happened, in order.
private final class Log: Sendable {
  private let events = Mutex<[String]>([])

  var all: [String] { events.withLock { $0 } }

  func add(_ event: String) { events.withLock { $0.append(event) } }
}

/// A helper at an airport: brief when it is urgent, with a tool otherwise.
private struct AirportProfile: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.isUrgent) var isUrgent
  let model: ScriptedModel
  let log: Log

  var body: some DynamicProfile {
    if isUrgent {
      Profile {
        Instructions("Be brief.")
      }
      .model(model)
      .temperature(0)
      .maximumResponseTokens(20)
      .onActivate { log.add("urgent") }
      .onDeactivate { log.add("calm") }
    } else {
      Profile {
        Instructions("Be kind.")
        Topics()
        GateTool()
      }
      .model(model)
      .samplingMode(.greedy)
    }
  }
}

/// What the conversation is about.
private struct Topics: DynamicInstructions {
  @SessionProperty(\.topics) var topics

  var body: some DynamicInstructions {
    if topics.isEmpty {
      Instructions("Ask what it is about.")
    } else {
      ForEach(topics, id: \.self) { topic in Instructions("It is about \(topic).") }
    }
  }
}

/// Tells about everything.
private struct Watched: LanguageModelSession.DynamicProfileModifier {
  let log: Log

  func body(content: Content) -> some DynamicProfile {
    content
      .onPrompt { log.add("prompt \($0.segments.compactMap(\.text).joined())") }
      .onToolCall { log.add("call \($0.toolName)") }
      .onToolOutput { call, output in
        log.add("output \(call.id == output.id) \(output.segments.compactMap(\.text).joined())")
      }
      .onResponse { log.add("response \($0.segments.compactMap(\.text).joined())") }
  }
}

@Suite struct ProfileTests {
  private let log = Log()

  @Test func aProfileIsAskedAnewAtEachRequest() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(profile: AirportProfile(model: model, log: log))
    try await session.respond(to: "1")
    #expect(
      model.requests.last?.transcript.texts == ["Be kind.\nAsk what it is about.", "1"])
    #expect(model.requests.last?.enabledToolDefinitions.map(\.name) == ["gate"])
    #expect(model.requests.last?.generationOptions == GenerationOptions(samplingMode: .greedy))

    session.properties.topics = ["gates", "trains"]
    try await session.respond(to: "2")
    #expect(
      model.requests.last?.transcript.texts
        == ["Be kind.\nIt is about gates.\nIt is about trains.", "1", "Yes", "2"])

    session.properties.isUrgent = true
    try await session.respond(to: "3")
    #expect(
      model.requests.last?.transcript.texts == ["Be brief.", "1", "Yes", "2", "Yes", "3"])
    #expect(model.requests.last?.enabledToolDefinitions.isEmpty == true)
    #expect(
      model.requests.last?.generationOptions
        == GenerationOptions(temperature: 0, maximumResponseTokens: 20))
    // The instructions are asked for, so they are no part of what was said.
    #expect(
      session.transcript.kinds == [
        "prompt", "response", "prompt", "response", "prompt", "response",
      ])
  }

  @Test func whatTheRequestSaysWins() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(profile: AirportProfile(model: model, log: log))
    session.properties.isUrgent = true
    try await session.respond(to: "1", options: GenerationOptions(temperature: 0.5))
    #expect(
      model.requests.last?.generationOptions
        == GenerationOptions(temperature: 0.5, maximumResponseTokens: 20))
  }

  @Test func theInnermostModifierWins() async throws {
    struct Warm: LanguageModelSession.DynamicProfile {
      let model: ScriptedModel

      var body: some DynamicProfile {
        Profile { Instructions("Be kind.") }.temperature(0.25).model(model).temperature(0.75)
      }
    }
    let model = ScriptedModel.saying("Yes")
    try await LanguageModelSession(profile: Warm(model: model)).respond(to: "1")
    #expect(model.requests.last?.generationOptions.temperature == 0.25)
  }

  @Test func aProfileIsToldWhenItBeginsAndCeasesToHold() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(profile: AirportProfile(model: model, log: log))
    try await session.respond(to: "1")
    #expect(log.all == [])
    session.properties.isUrgent = true
    try await session.respond(to: "2")
    try await session.respond(to: "3")
    #expect(log.all == ["urgent"])
    session.properties.isUrgent = false
    try await session.respond(to: "4")
    #expect(log.all == ["urgent", "calm"])
  }

  @Test func aProfileIsToldWhatHappens() async throws {
    let model = ScriptedModel([
      { _, channel in await channel.call("1", "gate", #"{"flight": "A1"}"#) },
      { _, channel in await channel.say("B12") },
    ])
    struct Talk: LanguageModelSession.DynamicProfile {
      let model: ScriptedModel
      let log: Log

      var body: some DynamicProfile {
        Profile { GateTool() }.model(model).modifier(Watched(log: log))
      }
    }
    let session = LanguageModelSession(profile: Talk(model: model, log: log))
    try await session.respond(to: "Where?")
    #expect(
      log.all == ["prompt Where?", "call gate", "output true gate of A1", "response B12"])
  }

  @Test func anErrorOfAProfileEndsTheRequest() async throws {
    struct Failure: Error {}
    struct Strict: LanguageModelSession.DynamicProfile {
      let model: ScriptedModel

      var body: some DynamicProfile {
        Profile { Instructions("Be kind.") }.model(model)
          .onResponse { throw Failure() }
          .transcriptErrorHandlingPolicy(.preserveTranscript)
      }
    }
    let session = LanguageModelSession(profile: Strict(model: .saying("Yes")))
    await #expect(throws: Failure.self) { try await session.respond(to: "1") }
    #expect(session.transcript.kinds.first == "prompt")
    session.transcriptErrorHandlingPolicy = .revertTranscript
    let before = session.transcript
    await #expect(throws: Failure.self) { try await session.respond(to: "2") }
    #expect(session.transcript == before)
  }

  @Test func aProfileMayTransformTheHistory() async throws {
    struct Forgetful: LanguageModelSession.DynamicProfile {
      let model: ScriptedModel

      var body: some DynamicProfile {
        Profile { Instructions("Be kind.") }.model(model).historyTransform { $0.suffix(2) }
      }
    }
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(profile: Forgetful(model: model))
    for turn in 1...3 { try await session.respond(to: "\(turn)") }
    #expect(model.requests.last?.transcript.texts == ["Be kind.", "2", "Yes", "3"])
    #expect(session.transcript.count == 6)
    #expect(Transcript(entries: session.omittedEntries).texts == ["1", "Yes"])
  }

  @Test func instructionsAloneMayBeDynamic() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(
      model: model, dynamicInstructions: Topics(),
      history: [.prompt(.init(segments: [.text(.init(content: "Before"))]))])
    session.properties.topics = ["trains"]
    try await session.respond(to: "1")
    #expect(
      model.requests.last?.transcript.texts == ["It is about trains.", "Before", "1"])
    #expect(session.properties.history.count == 3)
  }

  @Test func toolsShareThePropertiesOfTheirSession() async throws {
    struct UrgentTool: Tool {
      @SessionProperty(\.isUrgent) var isUrgent
      let name = "hurry"
      let description = "Says that it is urgent"

      func call(arguments: GateTool.Arguments) async throws -> String {
        isUrgent = true
        return "It is."
      }
    }
    let model = ScriptedModel([
      { _, channel in await channel.call("1", "hurry", #"{"flight": "A1"}"#) },
      { _, channel in await channel.say("Done") },
    ])
    let session = LanguageModelSession(model: model, tools: [UrgentTool()])
    let other = LanguageModelSession(model: model)
    try await session.respond(to: "1")
    #expect(session.properties.isUrgent && !other.properties.isUrgent)
  }

  /// A profile that belongs to the main actor, as those of apps often do.
  @MainActor private struct ScreenProfile: @MainActor LanguageModelSession.DynamicProfile {
    let model: ScriptedModel
    let screen: Screen

    var body: some LanguageModelSession.DynamicProfile {
      LanguageModelSession.Profile { Instructions("The screen shows \(screen.title).") }
        .model(model)
        .onResponse { screen.count += 1 }
    }
  }

  @MainActor private final class Screen {
    var title = "a map"
    var count = 0
  }

  @Test @MainActor func aProfileMayBelongToTheMainActor() async throws {
    let model = ScriptedModel.saying("Yes")
    let screen = Screen()
    let session = LanguageModelSession(profile: ScreenProfile(model: model, screen: screen))
    try await session.respond(to: "1")
    screen.title = "a list"
    try await session.respond(to: "2")
    #expect(
      model.requests.map { $0.transcript.texts.first ?? "" }
        == ["The screen shows a map.", "The screen shows a list."])
    #expect(screen.count == 2)
  }
}
